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
  /// The number of plaintext bytes of a chunk of the zone; nil if the zone doesn't have it.
  func size(ofChunk name: ChunkName) throws -> UInt32?
  /// The digest of the state after the checkpoint at that place, as it was found when the log was
  /// folded.
  func digest(ofCheckpoint sequence: UInt64) throws -> Bytes32?
  /// Whether a pack that is older than the open ones is one that lives on.
  func keepsPack(_ pack: PackName) throws -> Bool
  /// A live record that refers to a chunk in a pack that would be closed by `retirement`.
  func record(closedOutBy retirement: Retirement) throws -> RecordID?
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
  /// Founder and name; nil before the first valid commit.
  public var genesis: Genesis?
  /// Whose rules hold: those of a share, or those of what somebody publishes.
  public let kind: ZoneKind
  /// The person who owns the zone now; nil before the first valid commit and in public zones.
  public var owner: UserID?
  /// The share, if the zone is shared.
  public var share: Share?
  /// The owner's limit for `bytes`; nil: none.
  public var quota: UInt64?
  /// The sum of the sizes of all files that are in the zone now.
  public var bytes: UInt64
  /// Devices that sign no more here, each with its person.
  public var revokedDevices: Set<Author>
  /// Whether somebody who can't read any more has the key in force: the next owner's or
  /// administrator's device that sees this raises the epoch.
  public var isRekeyDue: Bool
  /// Whether the owner ended the zone.
  public var isPurged: Bool
  /// The encryption keys of the owner and of each participant: what the keys of later epochs are
  /// sealed to. Those of links stand with the links.
  public var keys: [UserID: Bytes32]
  /// The version of the rules that a program must know to read on; 0 while nobody said.
  public var minimumVersion: UInt32
  /// Which attributes of files the zone carries beside the executable bit and the time.
  public var carried: CarriedAttributes
  /// Packs of this generation and later ones are open to new references.
  public var generation: UInt32
  /// Where something is said of the past.
  public var marks: PastMarks
  /// From where on the log is enough, together with the state there; nil: from its beginning.
  public var floor: Floor?
  /// What is kept of the past; nil: all of it.
  public var history: HistoryPolicy?
  /// Where the log goes on.
  public var onward: Onward

  /// The header of a zone of which nothing is folded yet.
  public init(zone: ZoneID, kind: ZoneKind = .owned) {
    self.zone = zone
    self.kind = kind
    sequence = 0
    head = .zero
    epoch = 0
    bytes = 0
    revokedDevices = []
    isRekeyDue = false
    isPurged = false
    keys = [:]
    minimumVersion = 0
    carried = []
    generation = 0
    marks = PastMarks()
    onward = Onward()
  }
}

/// Whose rules hold in a zone.
public enum ZoneKind: UInt8, Hashable, Sendable, CaseIterable {
  /// A person owns it; the share says who takes part.
  case owned = 1
  /// A public zone: everybody reads, and nobody but who founded it writes.
  case `public` = 2
}

/// What a valid commit changes, computed by the fold and stored by whoever keeps the state.
public struct Delta: Hashable, Sendable {
  /// The records that are new or changed, whole.
  public var saved: [RecordID: Record] = [:]
  /// The records that are gone, each with its last state.
  public var deleted: [RecordID: Record] = [:]
  /// The places that records left which stand elsewhere from here on.
  public var left: [RecordID: Place] = [:]
  /// The chunks that may be referred to from here on.
  public var chunks: [ChunkEntry] = []
  /// The chunks of the zone that stand elsewhere from here on.
  public var movedChunks: [ChunkEntry] = []
  /// Whether every chunk that no record has leaves the zone.
  public var closesPast = false
  /// Chunks in packs that it closes leave the zone; what it keeps stands instead of what was kept.
  public var retirement: Retirement?
  /// Deletions at places up to this one are forgotten; 0: none.
  public var forgottenDeletions: UInt64 = 0
  /// The past versions that nobody keeps from here on.
  public var forgotten: [Forgetting] = []
  /// The header after the commit, with `sequence` and `head` of this commit.
  public var header: ZoneHeader

  /// Whether the digest of the state after the commit has to be noted.
  public var isCheckpoint: Bool { header.checkpoints.last == header.sequence }

  /// A delta that changes nothing but the header.
  public init(header: ZoneHeader) { self.header = header }
}

/// Why a commit, or a change of it, has no effect; the names are CloudKit's.
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
    /// The share has as many participants as it may have, 100.
    case tooManyParticipants
    /// There are more of something than there may be.
    case limitExceeded
    /// The files would have more bytes than the owner's limit allows.
    case quotaExceeded
    /// The owner ended the zone.
    case userDeletedZone
    /// The share's policy forbids it.
    case managedAccountRestricted
    /// The zone needs a later version of the rules than this program knows.
    case incompatibleVersion
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
