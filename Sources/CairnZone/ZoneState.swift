/// The view of a zone that replay needs before a commit: onto an index, in memory or on disk.
/// Replay only reads; changes are returned as a `Delta`.
public protocol ZoneState {
  /// The header of the zone. Its id must match the genesis commit, which `CairnReplica` checks.
  var header: ZoneHeader { get throws }
  /// Returns the record; nil if it is unknown or deleted. The root always exists after the first
  /// commit.
  func record(_ id: RecordID) throws -> Record?
  /// Returns the record with that name in that directory.
  func child(of parent: RecordID, named name: FileName) throws -> RecordID?
  /// Returns up to `limit` records in that directory, in the order of their ids, after `after`.
  func children(of parent: RecordID, after: RecordID?, limit: Int) throws -> [RecordID]
  /// Returns whether content may refer to that chunk.
  func hasChunk(_ name: ChunkName) throws -> Bool
  /// Returns the number of plaintext bytes of a chunk of the zone; nil if the zone does not have
  /// it.
  func size(ofChunk name: ChunkName) throws -> UInt32?
  /// Returns a chunk of the zone, as content refers to it; nil if the zone does not have it.
  func chunk(_ name: ChunkName) throws -> ChunkEntry?
  /// Returns the digest of the state after the checkpoint at that position, as computed during
  /// replay.
  func digest(ofCheckpoint sequence: UInt64) throws -> Bytes32?
  /// Returns whether a pack older than the open ones is kept.
  func keepsPack(_ pack: PackName) throws -> Bool
  /// Returns a live record with a chunk in a pack that `retirement` would close.
  func record(closedOutBy retirement: Retirement) throws -> RecordID?
}

/// The position of a zone's replay, and the properties of the zone as a whole.
public struct ZoneHeader: Hashable, Sendable {
  /// The zone.
  public var zone: ZoneID
  /// The last replayed position in the log; 0 before the first commit.
  public var sequence: UInt64
  /// The digest of the stored entry at `sequence`; zeros before the first.
  public var head: Bytes32
  /// The key epoch in force; 0 before the first commit.
  public var epoch: UInt64
  /// Founder and name; nil before the first valid commit.
  public var genesis: Genesis?
  /// The kind of the zone, which selects its rules: a share's, or a publisher's.
  public let kind: ZoneKind
  /// The current owner of the zone; nil before the first valid commit and in public zones.
  public var owner: UserID?
  /// The share, if the zone is shared.
  public var share: Share?
  /// The owner's limit for `bytes`; nil: none.
  public var quota: UInt64?
  /// The total size of all current files of the zone.
  public var bytes: UInt64
  /// Revoked devices, each with its person. They cannot sign here.
  public var revokedDevices: Set<Author>
  /// A Boolean value that indicates whether a former reader has the key in force. The next device
  /// of the owner or an administrator that sees this raises the epoch.
  public var isRekeyDue: Bool
  /// A Boolean value that indicates whether the owner ended the zone.
  public var isPurged: Bool
  /// The encryption keys of the owner and of each participant. Keys of later epochs are sealed to
  /// them. The keys of links are stored with the links.
  public var keys: [UserID: Bytes32]
  /// The version of the rules that a program must know to read on; 0 if none was set.
  public var minimumVersion: UInt32
  /// The attributes of files that the zone carries beside the executable bit and the time.
  public var carried: CarriedAttributes
  /// The first generation of packs that is open to new references.
  public var generation: UInt32
  /// The positions that concern the history.
  public var marks: PastMarks
  /// The log start, with the state there; nil: the beginning of the log.
  public var floor: Floor?
  /// The history policy; nil keeps everything.
  public var history: HistoryPolicy?
  /// The continuation of the log.
  public var onward: Onward

  /// Creates the header of a zone without any replayed entry.
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

/// The kind of a zone, which selects its rules.
public enum ZoneKind: UInt8, Hashable, Sendable, CaseIterable {
  /// A zone with an owner and possibly a share.
  case owned = 1
  /// A public zone: everybody reads, and only its founder writes.
  case `public` = 2
}

/// The changes of a valid commit, computed by replay and stored by the keeper of the state.
public struct Delta: Hashable, Sendable {
  /// The new or changed records, whole.
  public var saved: [RecordID: Record] = [:]
  /// The deleted records, each with its last state.
  public var deleted: [RecordID: Record] = [:]
  /// The former places of moved records.
  public var left: [RecordID: Place] = [:]
  /// The chunks that may be referred to from now on.
  public var chunks: [ChunkEntry] = []
  /// The chunks of the zone that have a new place.
  public var movedChunks: [ChunkEntry] = []
  /// A Boolean value that indicates whether every chunk without a record leaves the zone.
  public var closesPast = false
  /// The retirement of packs: chunks in closed packs leave the zone, and its kept packs replace the
  /// earlier ones.
  public var retirement: Retirement?
  /// The position up to which deletions are forgotten; 0: none.
  public var forgottenDeletions: UInt64 = 0
  /// The past versions that are erased.
  public var forgotten: [Forgetting] = []
  /// The header after the commit, with `sequence` and `head` of this commit.
  public var header: ZoneHeader

  /// A Boolean value that indicates whether the digest of the state after the commit must be noted.
  public var isCheckpoint: Bool { header.checkpoints.last == header.sequence }

  /// Creates a delta that only changes the header.
  public init(header: ZoneHeader) { self.header = header }
}

/// The reason why a commit, or one of its changes, has no effect; the names are CloudKit's.
public struct Refusal: Error, Hashable, Sendable {
  /// The kind of the reason, with CloudKit's name.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The author has no right to make this change at this position in the log.
    case permissionFailure
    /// A change names a missing record.
    case unknownItem
    /// Two records would have the same name in one directory, or a new record has a used id.
    case constraintViolation
    /// A parent is missing or no directory, a deleted directory is not empty, there is a cycle, or
    /// content refers to a missing chunk.
    case referenceViolation
    /// The change is invalid in itself.
    case invalidArguments
    /// The commit does not follow the entry before it.
    case serverRecordChanged
    /// The zone or its share does not exist.
    case zoneNotFound
    /// The share has the maximum number of participants, 100.
    case tooManyParticipants
    /// A limit on a number is exceeded.
    case limitExceeded
    /// The files would exceed the owner's limit.
    case quotaExceeded
    /// The owner ended the zone.
    case userDeletedZone
    /// The share's policy forbids it.
    case managedAccountRestricted
    /// The zone needs a later version of the rules.
    case incompatibleVersion
  }

  /// The kind of the reason.
  public var code: Code
  /// The record that the reason is about; nil if there is none.
  public var record: RecordID?
  /// A sentence for people.
  public var reason: String

  /// Creates a refusal.
  public init(_ code: Code, _ record: RecordID? = nil, _ reason: String) {
    self.code = code
    self.record = record
    self.reason = reason
  }
}
