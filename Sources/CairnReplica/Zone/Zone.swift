import CairnIdentity
import CairnIndex
public import CairnStore
public import CairnZone
import Synchronization

/// A zone of a database: the unit of sharing, of atomicity, of change tokens and of keys
/// (CKRecordZone). Calls block while they use the container or the index, so call them from a
/// thread of your own. Only one caller at a time is inside; the others wait.
public final class Zone: Sendable {
  /// The zone's id.
  public let id: ZoneID
  /// The database of the zone: this person's own zones, those of others, or public zones.
  public let scope: DatabaseScope
  /// The store of the container.
  public let store: any ObjectStore
  /// The keys of its objects in the container.
  public let folder: ZoneFolder
  let index: IndexFile
  let account: Account
  /// The chunks without a commit.
  let loose: LooseChunks
  private let hints: LogHints
  private let replica: Mutex<ZoneReplica>
  /// The replica's last known state, available while the replica is busy.
  private let latest: Mutex<(header: ZoneHeader, trouble: LogTrouble?, isReadThrough: Bool)>

  /// The epoch whose key gave the current topic of change markers; 0 if no topic is agreed on yet.
  private let agreedEpoch = Atomic<UInt64>(0)

  /// A Boolean value that indicates whether nobody can write here, whatever the zone's rules say,
  /// because there is no account.
  public let isReadOnly: Bool
  /// The link by which it is read here without a participant.
  let link: LinkID?

  /// Creates the zone of a replica.
  /// - Parameters:
  ///   - id: The zone's id.
  ///   - scope: The database of the zone.
  ///   - store: The store of the container.
  ///   - replica: This device's copy of the zone.
  ///   - isReadOnly: A Boolean value that indicates whether there is no account that could write.
  ///   - link: The link by which it is read without a participant.
  public init(
    _ id: ZoneID, scope: DatabaseScope, store: any ObjectStore, replica: sending ZoneReplica,
    isReadOnly: Bool = false, readBy link: LinkID? = nil
  ) {
    self.link = link
    self.id = id
    self.scope = scope
    self.isReadOnly = isReadOnly
    self.store = store
    folder = replica.folder
    index = replica.index
    account = replica.account
    loose = replica.loose
    hints = replica.hints
    latest = Mutex((replica.header, replica.trouble, replica.isReadThrough))
    if let tag = replica.bellTag {
      agreedEpoch.store(max(replica.header.epoch, 1), ordering: .relaxed)
      store.agree(on: tag, for: folder.log)
    }
    self.replica = Mutex(replica)
  }

  /// The publisher; nil if it isn't a public zone.
  public var author: UserID? { scope == .public ? folder.founder : nil }

  /// The position and state of the replayed log, with the share. Needs neither the container nor
  /// waiting.
  public var header: ZoneHeader { latest.withLock { $0.header } }

  /// The difference between the log in the container and earlier reads, as of the last check; nil
  /// if there is none. Needs neither the container nor waiting.
  public var trouble: LogTrouble? { latest.withLock { $0.trouble } }

  /// A Boolean value that indicates whether the log was read to its end since this object was
  /// opened, or up to this person's removal. Before that, `header` may describe a time before this
  /// person was a participant, because a lost index is rebuilt entry by entry. Needs neither the
  /// container nor waiting.
  public var isReadThrough: Bool { latest.withLock { $0.isReadThrough } }

  /// The position up to which the zone is replayed here (CKServerChangeToken).
  public var changeToken: ChangeToken {
    let header = header
    return ChangeToken(
      zone: id, epoch: header.epoch, sequence: header.sequence, head: header.head)
  }

  /// Gives one caller access to the replica, and publishes its state afterwards. Nobody may call
  /// this inside of a read of an index: see `IndexOrder`.
  public func exclusively<Result: Sendable>(
    _ body: (ZoneReplica) throws -> Result
  ) throws -> Result {
    IndexOrder.assertNoLook()
    return try replica.withLock { replica in
      defer {
        latest.withLock { $0 = (replica.header, replica.trouble, replica.isReadThrough) }
        agreeOnTag(replica)
      }
      return try body(replica)
    }
  }

  /// Agrees with the other writers on a topic for change markers. Only readers of the zone can
  /// compute it.
  private func agreeOnTag(_ replica: ZoneReplica) {
    let epoch = max(replica.header.epoch, 1)
    guard agreedEpoch.load(ordering: .relaxed) != epoch, let tag = replica.bellTag else { return }
    agreedEpoch.store(epoch, ordering: .relaxed)
    store.agree(on: tag, for: folder.log)
  }

  /// Drops the pages of the index from memory.
  /// - Throws: Any SQLite error of the index.
  public func releaseMemory() throws { try index.releaseMemory() }

  /// Replays all new entries in the container.
  /// - Throws: `CloudError` if the container can't be read or the log is damaged.
  /// - Returns: The number of new entries.
  @discardableResult
  public func pull() throws -> PulledEntries { try exclusively { try $0.pull() } }

  /// Replays new entries after a hint of `follow`, unless the log was seen to end here since: then
  /// the hint was about an entry of this device.
  /// - Throws: The errors of `pull`.
  public func pullIfHinted() throws { try exclusively { try $0.pullIfHinted() } }

  /// Replays new entries, unless the log was seen to end here a moment ago. For callers that commit
  /// next, because the commit detects further entries.
  /// - Throws: The errors of `pull`.
  public func catchUp() throws { try exclusively { if !$0.sawEnd { _ = try $0.pull() } } }

  /// Puts the first entry of a public zone into the log, unless another device of its author was
  /// first.
  public func found(named name: String) throws { try exclusively { try $0.found(named: name) } }

  /// Reads the records as of the last replay: a consistent view that waits for nobody.
  public func read<Result>(_ body: (ZoneView) throws -> Result) throws -> Result {
    try index.read { db in
      let state = try IndexedZone(reading: db, zone: id, known: header)
      return try body(
        ZoneView(
          state: state, device: account.device.id, user: account.user, isReadOnly: isReadOnly))
    }
  }

  /// Commits changes of records, atomically, after the position `expecting`.
  /// - Parameters:
  ///   - records: The changes.
  ///   - sequence: The position.
  ///   - reversal: The restore or rewind that the changes belong to.
  /// - Returns: The header after the commit.
  /// - Throws: `CloudError` with `.serverRecordChanged` if the zone moved on: replay, check again
  ///   and retry. Other codes if the change is refused or the container can't be used.
  @discardableResult
  public func commit(
    _ records: [RecordChange], expecting sequence: UInt64, as reversal: ReversalNote? = nil
  ) throws -> ZoneHeader {
    try exclusively {
      try $0.commit(records: records, share: [], expecting: sequence, as: reversal)
    }
  }

  /// The number of attempts to put an entry since this object was opened. If a commit fails and the
  /// number is unchanged, no part of the commit can be in the log.
  public var entriesTried: UInt64 { replica.withLock { $0.entriesTried } }

  /// A Boolean value that indicates whether this device has the key of the current epoch. Without
  /// it this device sees nothing new.
  public var canReadOn: Bool { replica.withLock { $0.canReadOn } }

  /// Commits changes together with chunks from another zone.
  @discardableResult
  public func commit(
    _ records: [RecordChange], bringing chunks: [ChunkEntry], expecting sequence: UInt64
  ) throws -> ZoneHeader {
    try carry(chunks)
    return try exclusively {
      try $0.commit(records: records, share: [], expecting: sequence, bringing: chunks)
    }
  }

  /// Saves records together with chunks from another zone.
  @discardableResult
  public func save(_ records: [RecordChange], bringing chunks: [ChunkEntry]) throws -> ZoneHeader {
    try carry(chunks)
    return try exclusively { replica in
      _ = try replica.pull()
      return try replica.commit(
        records: records, share: [], expecting: replica.header.sequence, bringing: chunks)
    }
  }

  /// Changes the share, based on the present state of the zone. With `rekey` the same commit raises
  /// the epoch: only the participants after the commit can read later entries.
  @discardableResult
  public func changeShare(_ share: [ShareChange], rekey: Bool = false) throws -> ZoneHeader {
    try exclusively { try $0.commitAnyway(share: share, rekey: rekey) }
  }

  /// Changes the share after the position `sequence`, like the other `changeShare`.
  /// - Throws: `CloudError` with `.serverRecordChanged` if the zone moved on.
  public func changeShare(
    _ share: [ShareChange], rekey: Bool, expecting sequence: UInt64
  ) throws {
    _ = try exclusively {
      try $0.commit(records: [], share: share, expecting: sequence, rekey: rekey)
    }
  }

  /// Saves records, based on the present state of the zone (CKModifyRecordsOperation, save policy
  /// "all keys").
  @discardableResult
  public func save(_ records: [RecordChange]) throws -> ZoneHeader {
    try exclusively { try $0.commitAnyway(records: records) }
  }

  /// Saves the result of `changes`, which is called again whenever somebody else was faster. Does
  /// nothing if `changes` returns nothing. This is checked before the container is contacted.
  public func save(_ changes: () throws -> [RecordChange]) throws {
    guard try !changes().isEmpty else { return }
    // Other callers may run between these two calls.
    let sawEnd = try exclusively { $0.sawEnd }
    try onTop(sawEnd: sawEnd, tried: { entriesTried }, read: { try pull() }) {
      let sequence = header.sequence
      let records = try changes()
      guard !records.isEmpty else { return }
      try commit(records, expecting: sequence)
    }
  }

  /// Returns the keys of all epochs, for an invitation.
  public func keyring() -> Keyring { replica.withLock { $0.provenKeys } }

  /// Forgets keys that opened nothing.
  public func dropUnprovenKeys() { replica.withLock { $0.dropUnprovenKeys() } }

  /// Calls `onHint` when the zone's log may have grown (CKRecordZoneSubscription). It is a hint and
  /// never contains the data. It is called on a thread of the store.
  public func follow(_ onHint: @escaping @Sendable () -> Void) throws -> Subscription {
    try store.follow(folder.log) { [hints] in
      hints.add()
      onHint()
    }
  }
}

/// The result of a replay of new entries.
public struct PulledEntries: Sendable {
  /// The number of replayed entries.
  public var applied = 0
}
