public import CairnStore
public import CairnZone
import GRDB
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
  private let replica: Mutex<ZoneReplica>

  init(_ id: ZoneID, scope: DatabaseScope, store: any ObjectStore, replica: sending ZoneReplica) {
    self.id = id
    self.scope = scope
    self.store = store
    self.replica = Mutex(replica)
  }

  /// How far the log is folded here, and the share, without asking the container.
  public var header: ZoneHeader { replica.withLock { $0.header } }

  /// The point in the zone's history up to which it is folded here (CKServerChangeToken).
  public var changeToken: ChangeToken {
    let header = header
    return ChangeToken(
      zone: id, epoch: header.epoch, sequence: header.sequence, head: header.head)
  }

  /// Folds everything that is new in the container.
  /// - Throws: `CloudError` if the container can't be read or the log is damaged.
  @discardableResult
  public func pull() throws -> PulledEntries { try replica.withLock { try $0.pull() } }

  /// Reads the records as of the last fold.
  public func read<Result: Sendable>(_ body: (ZoneView) throws -> Result) throws -> Result {
    try replica.withLock { try $0.read(body) }
  }

  /// Reads a file's bytes into the zone's chunks: those that the zone doesn't have go into packs in
  /// the container right away, to be referred to by a later `commit`.
  /// - Parameter fill: Fills the buffer and returns the number of bytes, 0 at the end.
  public func ingest(_ fill: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> Content {
    try replica.withLock { try $0.ingest(fill) }
  }

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
    try replica.withLock { try $0.readContent(content, body) }
  }

  /// Commits changes of records, atomically, after the place `expecting`.
  /// - Returns: the header after the commit.
  /// - Throws: `CloudError` with `.serverRecordChanged` if the zone moved on: fold, look again and
  ///   try anew; other codes if the change is refused or the container can't be used.
  @discardableResult
  public func commit(
    _ records: [RecordChange], expecting sequence: UInt64
  ) throws -> ZoneHeader {
    try replica.withLock { try $0.commit(records: records, share: [], expecting: sequence) }
  }

  /// Changes the share, on top of whatever the zone is by now.
  func changeShare(_ share: [ShareChange]) throws -> ZoneHeader {
    try replica.withLock { try $0.commitAnyway(share: share) }
  }

  /// Saves records on top of whatever the zone is by now (CKModifyRecordsOperation, save policy
  /// "all keys").
  @discardableResult
  public func save(_ records: [RecordChange]) throws -> ZoneHeader {
    try replica.withLock { try $0.commitAnyway(records: records) }
  }

  /// The keys of all epochs, for an invitation.
  func keyring() -> Keyring { replica.withLock { $0.keys } }

  /// Reads the whole log and all content back and says what is damaged.
  public func verify(_ progress: (Int, Int) -> Void = { _, _ in }) throws -> [Damage] {
    try replica.withLock { try $0.verify(progress) }
  }

  /// Calls `onHint` when the zone's log may have grown (CKRecordZoneSubscription). A hint, never
  /// the data; it comes on a thread of the store.
  public func follow(_ onHint: @escaping @Sendable () -> Void) throws -> Subscription {
    try store.follow("zones/\(id)/log", onHint)
  }
}

/// The three databases of a container (CKDatabase.Scope).
public enum DatabaseScope: String, Hashable, Sendable, CaseIterable {
  /// Zones that this person owns.
  case `private`
  /// Zones that others own and this person takes part in.
  case shared
  /// The world-readable zone of the container.
  case `public`
}

/// What a fold of new entries came to.
public struct PulledEntries: Sendable {
  /// How many entries were folded.
  public var applied = 0
  /// The entries that have no effect, and why.
  public var refused: [RefusedEntry] = []
}

/// An entry of a zone's log that has no effect.
public struct RefusedEntry: Hashable, Sendable {
  /// Its place in the log.
  public var sequence: UInt64
  /// CloudKit's name of the reason.
  public var code: String
  /// A sentence for people.
  public var reason: String
}
