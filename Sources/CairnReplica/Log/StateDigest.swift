import CairnIdentity
import CairnWire
import CairnZone
import FoundationEssentials

/// The digest of a zone's state: a log start names it, and everybody who replayed the log up to
/// there computes the same one. It consists of parts of at most `partLimit` bytes, so that a reader
/// without the log can fetch a state in parts and check each part. It knows no store, and keeps one
/// part in memory.
enum StateDigest {
  /// The maximum size of a part in bytes. A larger part with more than one element is split by the
  /// next digit of the ids.
  static let partLimit = 1 << 20

  /// The lists of a state, in the order in which they are digested, with their fields in a
  /// `StatePart`.
  enum List: UInt8, CaseIterable {
    case records = 1
    case deletions = 2
    case chunks = 3
    case packs = 4
    /// The kept past: in snapshots, and not a part of the state.
    case versions = 5
  }

  /// A part of a list's digest.
  enum Piece {
    /// A `StatePart`, encoded.
    case part([UInt8])
    /// The digests of sixteen parts.
    case node([Bytes32])

    /// The digest.
    var digest: Bytes32 {
      switch self {
      case .part(let bytes): Crypto.digest("cairn state part v1", parts: [bytes])
      case .node(let parts): Crypto.digest("cairn state node v1", parts: parts.map(\.bytes))
      }
    }
  }

  /// One element of a list.
  struct Element {
    /// The id or name by which the list is ordered and cut.
    var key: [UInt8]
    /// The element in its form in a part.
    var bytes: [UInt8]

    static func record(_ record: Record) -> Element {
      Element(key: record.id.bytes, bytes: StoredMessage.encode(WireStateRecord(record)))
    }

    static func deletion(_ id: RecordID, at sequence: UInt64) -> Element {
      var wire = WireStateDeletion()
      wire.id = .init(id.bytes)
      wire.sequence = sequence
      return Element(key: id.bytes, bytes: StoredMessage.encode(wire))
    }

    static func chunk(_ chunk: ChunkEntry) -> Element {
      Element(key: chunk.name.bytes, bytes: StoredMessage.encode(WireChunkEntry(chunk)))
    }

    static func pack(_ pack: PackName) -> Element { Element(key: pack.bytes, bytes: pack.bytes) }

    static func version(_ version: RecordVersion) -> Element {
      Element(
        key: version.record.id.bytes + Crypto.number(version.began),
        bytes: StoredMessage.encode(WireStateVersion(version)))
    }
  }

  /// The digest of a state: its header, and the digests of the four lists in order.
  static func digest(_ header: ZoneHeader, lists: [Bytes32]) -> Bytes32 {
    digest(StoredMessage.encode(WireStateHeader(header)), lists: lists)
  }

  /// The same of a header as it is encoded.
  static func digest(_ header: [UInt8], lists: [Bytes32]) -> Bytes32 {
    precondition(lists.count == 4, "a state has four lists")
    return Crypto.digest("cairn state v1", parts: lists.map(\.bytes) + [header])
  }

  /// Returns the digest of one list. `next` returns its elements in the order of their keys,
  /// without duplicates. `take` gets each piece of the digest, the parts of a node before the node.
  static func digest<Failure>(
    of list: List, limit: Int = partLimit, next: @escaping () throws(Failure) -> Element?,
    take: ((Piece) throws(Failure) -> Void)? = nil
  ) throws(Failure) -> Bytes32 {
    var source = Source(next: next, take: take)
    return try digest(of: list, at: [], limit: limit, &source)
  }

  /// The remaining elements, including those that were read and given back.
  private struct Source<Failure: Error> {
    let next: () throws(Failure) -> Element?
    let take: ((Piece) throws(Failure) -> Void)?
    /// The next one last.
    private var waiting: [Element] = []

    init(
      next: @escaping () throws(Failure) -> Element?,
      take: ((Piece) throws(Failure) -> Void)?
    ) {
      self.next = next
      self.take = take
    }

    /// The next element, if its key begins with these digits.
    mutating func take(below digits: [UInt8]) throws(Failure) -> Element? {
      if waiting.isEmpty, let element = try next() { waiting.append(element) }
      guard let element = waiting.last, StateDigest.begins(element.key, with: digits) else {
        return nil
      }
      waiting.removeLast()
      return element
    }

    mutating func giveBack(_ elements: [Element]) { waiting += elements.reversed() }
  }

  private static func digest<Failure>(
    of list: List, at digits: [UInt8], limit: Int, _ source: inout Source<Failure>
  ) throws(Failure) -> Bytes32 {
    var part: [UInt8] = []
    var elements: [Element] = []
    while let element = try source.take(below: digits) {
      part += framed(element.bytes, in: list)
      elements.append(element)
      if part.count > limit, elements.count > 1 {
        source.giveBack(elements)
        var parts: [Bytes32] = []
        for digit: UInt8 in 0..<16 {
          parts.append(try digest(of: list, at: digits + [digit], limit: limit, &source))
        }
        try source.take?(.node(parts))
        return Piece.node(parts).digest
      }
    }
    try source.take?(.part(part))
    return Piece.part(part).digest
  }

  /// Returns whether the hexadecimal digits of an id or a name begin with these.
  static func begins(_ key: [UInt8], with digits: [UInt8]) -> Bool {
    digits.count <= key.count * 2
      && digits.indices.allSatisfy { index in
        let byte = key[index / 2]
        return (index.isMultiple(of: 2) ? byte >> 4 : byte & 15) == digits[index]
      }
  }

  /// An element as a field of a `StatePart`: tag, length, bytes.
  private static func framed(_ bytes: [UInt8], in list: List) -> [UInt8] {
    var framed = [list.rawValue << 3 | 2]
    var length = bytes.count
    while length > 127 {
      framed.append(UInt8(truncatingIfNeeded: length) | 128)
      length >>= 7
    }
    return framed + [UInt8(length)] + bytes
  }
}

extension MemoryZone {
  /// The digest of the state as it is.
  var digest: Bytes32 {
    let deletions = deletions.sorted { $0.key < $1.key }
    return StateDigest.digest(
      header,
      lists: [
        digest(of: .records, records.values.sorted { $0.id < $1.id }) { .record($0) },
        digest(of: .deletions, deletions) { .deletion($0.key, at: $0.value) },
        digest(of: .chunks, chunks.values.sorted { $0.name < $1.name }) { .chunk($0) },
        digest(of: .packs, keptPacks.sorted()) { .pack($0) },
      ])
  }

  private func digest<Value>(
    of list: StateDigest.List, _ values: [Value],
    _ element: @escaping (Value) -> StateDigest.Element
  ) -> Bytes32 {
    var rest = values.makeIterator()
    return StateDigest.digest(of: list) { rest.next().map(element) }
  }
}
