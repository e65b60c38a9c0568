import CairnIndex
public import CairnStore
public import CairnZone
import Synchronization

/// A zone of a database: the unit of sharing, of atomicity, of change tokens and of keys
/// (CKRecordZone). Calls block while they use the container or the index; call them from a thread
/// of your own. One caller at a time is inside; the others wait.
public final class Zone: Sendable {
  /// The zone's id.
  public let id: ZoneID
  /// Whether the zone is this person's own, or somebody else's.
  public let scope: DatabaseScope
  let store: any ObjectStore
  /// Where its objects stand in the container.
  let folder: ZoneFolder
  let index: IndexFile
  let account: Account
  private let replica: Mutex<ZoneReplica>
  /// What the replica knew last; to be had while it is busy.
  private let latest: Mutex<(header: ZoneHeader, trouble: LogTrouble?, isReadThrough: Bool)>

  /// The epoch of whose key bells have their tag; 0 if no tag is agreed on yet.
  private let agreedEpoch = Atomic<UInt64>(0)

  /// Whether nobody here may write, whatever the zone's rules say: there is no account.
  public let isReadOnly: Bool
  /// The link by which it is read here, where nobody takes part.
  let link: LinkID?

  init(
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
    latest = Mutex((replica.header, replica.trouble, replica.isReadThrough))
    if let tag = replica.bellTag {
      agreedEpoch.store(max(replica.header.epoch, 1), ordering: .relaxed)
      store.agree(on: tag, for: folder.log)
    }
    self.replica = Mutex(replica)
  }

  /// Who publishes in it; nil if it isn't a public zone.
  public var author: UserID? { scope == .public ? folder.founder : nil }

  /// How far the log is folded here, and the share, without asking the container or waiting.
  public var header: ZoneHeader { latest.withLock { $0.header } }

  /// How the log in the container differs from what was read of it here, as of the last look; nil
  /// if it doesn't. Neither asks the container nor waits.
  public var trouble: LogTrouble? { latest.withLock { $0.trouble } }

  /// Whether the log was read to its end since this was opened, or up to where this person was shut
  /// out. Before, `header` may be of a time at which they took no part yet: an index that was lost
  /// is made again entry by entry. Neither asks the container nor waits.
  public var isReadThrough: Bool { latest.withLock { $0.isReadThrough } }

  /// The point in the zone's history up to which it is folded here (CKServerChangeToken).
  public var changeToken: ChangeToken {
    let header = header
    return ChangeToken(
      zone: id, epoch: header.epoch, sequence: header.sequence, head: header.head)
  }

  /// Lets one caller at the replica, and publishes what it knows afterwards. Nobody asks for it in
  /// the middle of a look into an index: see `IndexOrder`.
  func exclusively<Result: Sendable>(
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

  /// Who writes in the zone rings by a tag that those who read it can tell, and nobody else.
  private func agreeOnTag(_ replica: ZoneReplica) {
    let epoch = max(replica.header.epoch, 1)
    guard agreedEpoch.load(ordering: .relaxed) != epoch, let tag = replica.bellTag else { return }
    agreedEpoch.store(epoch, ordering: .relaxed)
    store.agree(on: tag, for: folder.log)
  }

  /// Forgets the pages of the index that are in memory.
  /// - Throws: what SQLite says about the index.
  public func releaseMemory() throws { try index.releaseMemory() }

  /// Folds everything that is new in the container.
  /// - Throws: `CloudError` if the container can't be read or the log is damaged.
  /// - Returns: how many entries came.
  @discardableResult
  public func pull() throws -> PulledEntries { try exclusively { try $0.pull() } }

  /// Folds what is new, unless the log was seen to end here a moment ago: for who commits next, and
  /// finds out by that if it goes on.
  /// - Throws: as `pull`.
  public func catchUp() throws { try exclusively { if !$0.sawEnd { _ = try $0.pull() } } }

  /// Puts the first entry into the log, unless another device of its author's was first: for a
  /// public zone.
  func found(named name: String) throws { try exclusively { try $0.found(named: name) } }

  /// Reads the records as of the last fold: a consistent view, which waits for nobody.
  public func read<Result>(_ body: (ZoneView) throws -> Result) throws -> Result {
    try index.read { db in
      let state = try IndexedZone(reading: db, zone: id, known: header)
      return try body(
        ZoneView(
          state: state, device: account.device.id, user: account.user, isReadOnly: isReadOnly))
    }
  }

  /// Reads a file's bytes into the zone's chunks: those that the zone doesn't have go into packs in
  /// the container right away, to be referred to by a later `commit`.
  /// - Parameter fill: Fills the buffer and returns the number of bytes, 0 at the end.
  /// - Returns: the content, whose bytes are durable once a commit that names it is.
  /// - Throws: `CloudError` if the container can't be used, and what `fill` throws.
  public func ingest(_ fill: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> Content {
    var content: Content?
    try withoutActuallyEscaping(fill) { fill in try ingestAll { content = try $0(fill) } }
    guard let content else { preconditionFailure("a content that was read and isn't there") }
    return content
  }

  /// Reads one file's bytes, as `ingest` does.
  public typealias Ingest = ((UnsafeMutableRawBufferPointer) throws -> Int) throws -> Content

  /// Reads the bytes of several files into the zone's chunks.
  /// - Parameters:
  ///   - lanes: With more than one, another thread helps to name the chunks of a large file, and
  ///     one stores a full pack while the next one is filled; the last one perhaps until a commit
  ///     needs it.
  ///   - lenders: Zones that have some of the chunks perhaps. Those of the same owner needn't be
  ///     stored again.
  ///   - body: Gets what reads one file as `ingest` does. It must not ask this zone for anything
  ///     else.
  /// - Throws: what `ingest` and `body` throw.
  public func ingestAll(
    lanes: Int = 1, borrowingFrom lenders: [Zone] = [], _ body: (Ingest) throws -> Void
  ) throws {
    try exclusively { replica in
      try replica.ingestAll(lanes: lanes, borrowing: { try Self.chunk($0, of: lenders) }, body)
    }
  }

  private static func chunk(_ name: ChunkName, of lenders: [Zone]) throws -> ChunkEntry? {
    for lender in lenders {
      if let entry = try lender.read({ try $0.state.chunk(name) }) { return entry }
    }
    return nil
  }

  /// Forgets the chunks that were ingested and couldn't be stored: their contents have to be
  /// ingested again.
  public func forgetUnsent() throws { try exclusively { $0.loose.forgetUnsent() } }

  /// The content id that bytes have, without storing anything.
  public func contentID(
    _ fill: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> ContentID {
    try ContentDigest.id(of: fill)
  }

  /// Hands out the bytes of a content, chunk by chunk, each checked against its name.
  public func readContent(
    _ content: Content, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    try exclusively { try $0.readContent(content, body) }
  }

  /// Commits changes of records, atomically, after the place `expecting`.
  /// - Parameters:
  ///   - records: the changes.
  ///   - sequence: the place.
  ///   - reversal: the restore or rewind that they are a part of.
  /// - Returns: the header after the commit.
  /// - Throws: `CloudError` with `.serverRecordChanged` if the zone moved on: fold, look again and
  ///   try anew; other codes if the change is refused or the container can't be used.
  @discardableResult
  public func commit(
    _ records: [RecordChange], expecting sequence: UInt64, as reversal: ReversalNote? = nil
  ) throws -> ZoneHeader {
    try exclusively {
      try $0.commit(records: records, share: [], expecting: sequence, as: reversal)
    }
  }

  /// How many entries were tried to be put here since this was opened. Where a commit fails and
  /// this is what it was, nothing of it can be in the log.
  public var entriesTried: UInt64 { replica.withLock { $0.entriesTried } }

  /// Whether the key of the epoch in force is known here: without it this device sees nothing new.
  public var canReadOn: Bool { replica.withLock { $0.canReadOn } }

  /// Commits changes together with chunks that came from another zone.
  @discardableResult
  func commit(
    _ records: [RecordChange], bringing chunks: [ChunkEntry], expecting sequence: UInt64
  ) throws -> ZoneHeader {
    try exclusively {
      try $0.commit(records: records, share: [], expecting: sequence, bringing: chunks)
    }
  }

  /// Saves records together with chunks that came from another zone.
  @discardableResult
  func save(_ records: [RecordChange], bringing chunks: [ChunkEntry]) throws -> ZoneHeader {
    try exclusively { replica in
      _ = try replica.pull()
      return try replica.commit(
        records: records, share: [], expecting: replica.header.sequence, bringing: chunks)
    }
  }

  /// Changes the share, on top of whatever the zone is by now. With `rekey` the same commit raises
  /// the epoch: what is written from there on opens only for who is in after it.
  @discardableResult
  func changeShare(_ share: [ShareChange], rekey: Bool = false) throws -> ZoneHeader {
    try exclusively { try $0.commitAnyway(share: share, rekey: rekey) }
  }

  /// Changes the share after the place `sequence`, as the other `changeShare` does.
  /// - Throws: `CloudError` with `.serverRecordChanged` if the zone moved on.
  func changeShare(
    _ share: [ShareChange], rekey: Bool, expecting sequence: UInt64
  ) throws {
    _ = try exclusively {
      try $0.commit(records: [], share: share, expecting: sequence, rekey: rekey)
    }
  }

  /// Saves records on top of whatever the zone is by now (CKModifyRecordsOperation, save policy
  /// "all keys").
  @discardableResult
  public func save(_ records: [RecordChange]) throws -> ZoneHeader {
    try exclusively { try $0.commitAnyway(records: records) }
  }

  /// Saves what `changes` makes of the zone as it is by then, anew each time that somebody else was
  /// faster; nothing once it makes nothing of it, which is asked before the container is.
  func save(_ changes: () throws -> [RecordChange]) throws {
    guard try !changes().isEmpty else { return }
    // Nobody is kept out between two of these.
    let sawEnd = try exclusively { $0.sawEnd }
    try onTop(sawEnd: sawEnd, tried: { entriesTried }, read: { try pull() }) {
      let sequence = header.sequence
      let records = try changes()
      guard !records.isEmpty else { return }
      try commit(records, expecting: sequence)
    }
  }

  /// The keys of all epochs, for an invitation.
  func keyring() -> Keyring { replica.withLock { $0.provenKeys } }

  /// Forgets keys that opened nothing.
  func dropUnprovenKeys() { replica.withLock { $0.dropUnprovenKeys() } }

  /// Calls `onHint` when the zone's log may have grown (CKRecordZoneSubscription). A hint, never
  /// the data; it comes on a thread of the store.
  public func follow(_ onHint: @escaping @Sendable () -> Void) throws -> Subscription {
    try store.follow(folder.log, onHint)
  }
}

/// The three databases of a container (CKDatabase.Scope).
public enum DatabaseScope: String, Hashable, Sendable, CaseIterable {
  /// Zones that this person owns.
  case `private`
  /// Zones that others own and this person takes part in.
  case shared
  /// What people publish: a world-readable zone for each.
  case `public`
}

/// What a fold of new entries came to.
public struct PulledEntries: Sendable {
  /// How many entries were folded.
  public var applied = 0
}
