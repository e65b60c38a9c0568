import CairnIdentity
import CairnWire
import CairnZone
import FoundationEssentials

/// The index of a log start's snapshot: the entry of the log start as stored, and the digests of
/// all its objects. That entry names them, which makes the snapshot trustworthy. The locations of
/// the parts are unknown here.
public struct Snapshot: Sendable {
  static let format: UInt32 = 1
  /// The maximum number of bytes of the object.
  static let limit = 48 << 20
  private static let what = "snapshot"

  /// The entry of the log start, as it is stored.
  var entry: [UInt8]
  /// Its position.
  var place: UInt64
  /// The state's header after the state digest.
  var header: ZoneHeader
  /// The header as it is stored: unknown fields in it count in the digest.
  private var headerBytes: [UInt8]
  /// The digests of records, deletions, chunks, packs and versions.
  var lists: [Bytes32]
  /// The digests of some entries up to the state digest.
  var passed: PassedPositions
  /// The parts that are sealed with earlier keys than the rest, one for each history cutoff in the
  /// header.
  var hidden: [HiddenPast]
  /// Entry 1, as stored: it proves the founder to new participants when it is deleted from the log.
  /// It proves itself. Empty if the person who raised the log start didn't have it.
  var first: [UInt8] = []

  /// - Parameters:
  ///   - entry: The entry of the log start, as it is stored.
  ///   - place: Its position.
  ///   - header: The header of the state after the state digest.
  ///   - lists: The digests of the state's four lists, and of the versions.
  ///   - passed: The digests of entries up to the state digest.
  ///   - hidden: The parts that are sealed under earlier keys, one for each history cutoff.
  init(
    entry: [UInt8], place: UInt64, header: ZoneHeader, lists: [Bytes32], passed: PassedPositions,
    hidden: [HiddenPast] = []
  ) {
    self.hidden = hidden
    self.entry = entry
    self.place = place
    self.header = header
    headerBytes = StoredMessage.encode(WireStateHeader(header))
    self.lists = lists
    self.passed = passed
  }

  /// Parses the result of `encoded`.
  init(_ bytes: [UInt8]) throws(FormatError) {
    let wire = try StoredMessage.decode(
      bytes, as: WireSnapshot.self, Self.what, limit: Self.limit)
    let lists = wire.lists.compactMap { Bytes32($0) }
    guard wire.format == Self.format, lists.count == 5, wire.lists.count == 5, wire.place > 1 else {
      throw FormatError(Self.what, "a part of it is missing or has a wrong size")
    }
    headerBytes = Array(wire.header)
    header = try StoredMessage.decode(
      headerBytes, as: WireStateHeader.self, Self.what, limit: Self.limit
    ).header()
    hidden = try wire.hidden.map { (wire) throws(FormatError) in try wire.hiddenPast() }
    guard hidden.map(\.epoch) == header.closings.map(\.epoch) else {
      throw FormatError(Self.what, "its past was closed elsewhere than it should")
    }
    guard let passed = PassedPositions(Array(wire.places), upTo: header.sequence) else {
      throw FormatError(Self.what, "it has other places than it should")
    }
    (entry, place, self.lists, self.passed) = (Array(wire.entry), wire.place, lists, passed)
    first = Array(wire.first)
  }

  func encoded() -> [UInt8] {
    var wire = WireSnapshot()
    wire.format = Self.format
    wire.entry = .init(entry)
    wire.place = place
    wire.header = .init(headerBytes)
    wire.lists = lists.map { .init($0.bytes) }
    wire.places = .init(passed.bytes)
    wire.first = .init(first)
    wire.hidden = hidden.map { WireHiddenPast($0) }
    return StoredMessage.encode(wire)
  }

  /// The digest of the state.
  public var digest: Bytes32 { StateDigest.digest(headerBytes, lists: Array(lists.prefix(4))) }

  /// The digest of the kept past.
  public var past: Bytes32 { Self.past(versions: lists[4], passed, hidden) }

  static func past(
    versions: Bytes32, _ passed: PassedPositions, _ hidden: [HiddenPast] = []
  ) -> Bytes32 {
    Crypto.digest(
      "cairn floor past v1", parts: [versions.bytes, passed.bytes] + hidden.map(\.bytes))
  }

  /// Returns the log start in a commit, if this snapshot belongs to it.
  func floor(in commit: Commit) -> Floor? {
    for case .zone(.floor(let floor)) in commit.share
    where floor.checkpoint == header.sequence && floor.digest == digest && floor.past == past {
      return floor
    }
    return nil
  }
}
