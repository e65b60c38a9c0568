import CairnIdentity
import CairnWire
import CairnZone

private let what = "part of a snapshot"

private func damaged(_ why: String) -> FormatError { FormatError(what, why) }

/// The content of a part of a snapshot, if entries up to the checkpoint can have made each element.
/// Readers of the entries have checked it, and noted the digest. But a newcomer cannot know that
/// anybody did, and their index must be able to store it. It decides by the part and the header
/// alone, and must not know the use.
struct SnapshotPart {
  let records: [Record]
  let deletions: [(id: RecordID, sequence: UInt64)]
  let chunks: [ChunkEntry]
  let packs: [PackName]
  let versions: [RecordVersion]

  /// Reads a part.
  /// - Parameters:
  ///   - bytes: The opened part.
  ///   - place: The list, and the part's position in it.
  ///   - header: The header of the state after the checkpoint.
  /// - Throws: `FormatError` if any element is impossible, or belongs elsewhere.
  init(_ bytes: [UInt8], at place: Place, of header: ZoneHeader) throws {
    let wire = try StoredMessage.decode(
      bytes, as: WireStatePart.self, what, limit: SnapshotSeal.limit)
    guard place.isOf(wire) else {
      throw damaged("a part has what belongs into another one, or in another order")
    }
    let log = Log(header: header)
    records = try wire.records.map { try log.record($0) }
    deletions = try wire.deletions.map { try log.deletion($0) }
    chunks = try wire.chunks.map { try log.chunk($0) }
    packs = try wire.packs.map { try log.pack(Array($0)) }
    versions = try wire.versions.map { try log.version($0) }
  }

  /// The position of a part.
  struct Place {
    /// The list.
    let list: StateDigest.List
    /// The hexadecimal digits with which all its ids or names begin.
    var digits: [UInt8] = []

    /// Returns whether all elements of a part belong there, in order, and only once.
    fileprivate func isOf(_ part: WireStatePart) -> Bool {
      let keys: [[UInt8]]
      var rest = part
      switch list {
      case .records: (keys, rest.records) = (part.records.map { Array($0.id) }, [])
      case .deletions: (keys, rest.deletions) = (part.deletions.map { Array($0.id) }, [])
      case .chunks: (keys, rest.chunks) = (part.chunks.map { Array($0.name) }, [])
      case .packs: (keys, rest.packs) = (part.packs.map { Array($0) }, [])
      case .versions:
        keys = part.versions.map {
          Array($0.record.id) + Crypto.number($0.record.changed.sequence)
        }
        rest.versions = []
      }
      return rest == WireStatePart() && keys.allSatisfy { StateDigest.begins($0, with: digits) }
        && zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
    }
  }

  /// The statements that the log up to the checkpoint can contain.
  private struct Log {
    let header: ZoneHeader

    func record(_ wire: WireStateRecord) throws(FormatError) -> Record {
      let record = try wire.record()
      guard has(record.created.sequence), has(record.changed.sequence) else {
        throw damaged("a record is of no entry up to the checkpoint")
      }
      if let problem = record.problem { throw damaged(problem) }
      return record
    }

    func deletion(_ wire: WireStateDeletion) throws(FormatError) -> (RecordID, UInt64) {
      guard let id = RecordID(bytes: wire.id), id != .root, has(wire.sequence) else {
        throw damaged("a deletion is of no record, or by no entry up to the checkpoint")
      }
      return (id, wire.sequence)
    }

    func chunk(_ wire: WireChunkEntry) throws(FormatError) -> ChunkEntry {
      let chunk = try wire.entry()
      if let pack = chunk.pack, !header.canHaveOpened(pack) {
        throw damaged("a chunk stands in a pack that nobody has opened")
      }
      guard chunk.after == nil else { throw damaged("a chunk begins with another one") }
      return chunk
    }

    func pack(_ bytes: [UInt8]) throws(FormatError) -> PackName {
      guard let pack = PackName(bytes: bytes) else {
        throw damaged("a pack that lives on has no name")
      }
      return pack
    }

    func version(_ wire: WireStateVersion) throws(FormatError) -> RecordVersion {
      let record = try record(wire.record)
      let version = try wire.version()
      guard record.place != nil, let end = version.end?.stamp.sequence, has(end),
        version.began < end
      else { throw damaged("a version was nowhere, or ended before it began, or never") }
      return version
    }

    private func has(_ sequence: UInt64) -> Bool { sequence > 0 && sequence <= header.sequence }
  }
}
