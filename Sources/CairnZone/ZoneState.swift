/// What the fold needs to know of a zone before a commit: a view onto an index, in memory or on
/// disk. The fold only reads; what changes comes back as a `Delta`.
public protocol ZoneState {
  /// The zone, whose id the genesis commit must match. Checking that is `CairnCloud`'s.
  var header: ZoneHeader { get throws }
  /// The record, unless it is unknown or deleted. The root is always there after the first commit.
  func record(_ id: RecordID) throws -> Record?
  /// The record with that name in that directory.
  func child(of parent: RecordID, named name: FileName) throws -> RecordID?
  /// Up to `limit` records in that directory, in the order of their ids, after `after`.
  func children(of parent: RecordID, after: RecordID?, limit: Int) throws -> [RecordID]
  /// Whether content may refer to that chunk.
  func hasChunk(_ name: ChunkName) throws -> Bool
}

/// How far a zone's log has been folded, and what holds for the zone as a whole.
public struct ZoneHeader: Hashable, Sendable {
  /// The zone.
  public var zone: ZoneID
  /// The last folded place in the log; 0 before the first commit.
  public var sequence: UInt64
  /// The digest of the stored entry at `sequence`; zeros before the first.
  public var head: Bytes32
  /// The key epoch in force; 0 before the first commit.
  public var epoch: UInt64
  /// Owner and name; nil before the first valid commit.
  public var genesis: Genesis?
  /// The share, if the zone is shared.
  public var share: Share?

  /// The header of a zone of which nothing is folded yet.
  public init(zone: ZoneID) {
    self.zone = zone
    self.sequence = 0
    self.head = .zero
    self.epoch = 0
    self.genesis = nil
    self.share = nil
  }
}

/// What a valid commit changes, computed by the fold and stored by whoever keeps the state.
public struct Delta: Hashable, Sendable {
  /// The records that are new or changed, whole.
  public var saved: [RecordID: Record] = [:]
  /// The records that are gone, each with its last state.
  public var deleted: [RecordID: Record] = [:]
  /// The chunks that may be referred to from here on.
  public var chunks: [ChunkEntry] = []
  /// The header after the commit, with `sequence` and `head` of this commit.
  public var header: ZoneHeader

  /// A delta that changes nothing but the header.
  public init(header: ZoneHeader) { self.header = header }
}

/// Why a commit, or a change of it, has no effect; the names are CloudKit's (CLOUDKIT.md §2.1).
public struct Refusal: Error, Hashable, Sendable {
  /// CloudKit's name for the reason.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The author may not make this change at this place in the log.
    case permissionFailure
    /// A change names a record that isn't there.
    case unknownItem
    /// Two records would have the same name in one directory, or a new record has a used id.
    case constraintViolation
    /// A parent is missing or no directory, a directory to delete isn't empty, a cycle, or content
    /// that refers to a chunk that the zone doesn't have.
    case referenceViolation
    /// The change makes no sense in itself.
    case invalidArguments
    /// The commit doesn't follow the entry before it.
    case serverRecordChanged
    /// The zone or its share isn't there.
    case zoneNotFound
    /// The share has as many participants as it may have, 100 (CLOUDKIT.md §2.2).
    case tooManyParticipants
  }

  /// The reason.
  public var code: Code
  /// The record that the reason is about, if it is about one.
  public var record: RecordID?
  /// A sentence for people.
  public var reason: String

  /// Joins the three.
  public init(_ code: Code, _ record: RecordID? = nil, _ reason: String) {
    self.code = code
    self.record = record
    self.reason = reason
  }
}
