import CairnThreads
import Synchronization

/// A store whose followers hear of what others write, whether or not the store behind it can
/// notify: where it can't, one thread asks for all of them, by bells. It owns that thread; what is
/// asked and rung when, `Asking` decides.
public final class AskingStore: ObjectStore {
  private let asker: Asker

  /// The folder of the objects by which devices tell each other that they wrote.
  public static let folder = Bell.folder

  /// How its followers hear of what others write.
  public struct News: Equatable, Sendable {
    /// How long after a change it may be heard of by now, in nanoseconds; nil: a notice comes.
    public let lateness: Int64?
    /// The same at most, when nobody has written for long.
    public let longest: Int64
    /// Whether the store seemed to notify, and didn't.
    public let isDeaf: Bool
  }

  /// Nothing is asked before somebody follows a folder.
  /// - Parameters:
  ///   - store: What keeps the objects.
  ///   - owner: Under which name this device rings: 32 hexadecimal digits that nobody else can
  ///     relate to it; nil if it writes nothing.
  ///   - isTold: Whether the store's notices are believed to come, until one is missed.
  ///   - isFolder: Whether it is a folder of this machine, if only of a network's: asking costs
  ///     nothing there, but the system may remember for seconds which names there are.
  ///   - longest: The longest pause between two questions, in seconds.
  public convenience init(
    _ store: any ObjectStore, owner: String?, isTold: Bool, isFolder: Bool, longest: Int64
  ) {
    self.init(
      store, owner: owner, isTold: isTold, isFolder: isFolder, longest: longest,
      patience: Asker.patience)
  }

  /// Waits for a notice that long, in nanoseconds, and tells the time by that clock.
  init(
    _ store: any ObjectStore, owner: String?, isTold: Bool, isFolder: Bool, longest: Int64,
    patience: Int64, clock: @escaping @Sendable () -> Int64 = { Monotonic.now }
  ) {
    asker = Asker(
      store, owner: owner, isTold: isTold, isFolder: isFolder, longest: longest * 1_000_000_000,
      patience: patience, clock: clock)
  }

  deinit { asker.stop() }

  /// Who wants to know what is done here.
  public struct Observer: Sendable {
    /// An object was stored in a folder whose bell has that tag.
    public var wrote: @Sendable (_ folder: String, _ tag: UInt32) -> Void
    /// The container was asked whether something is new.
    public var asked: @Sendable () -> Void

    /// Joins the two; both are called on threads that must go on at once.
    public init(
      wrote: @escaping @Sendable (_ folder: String, _ tag: UInt32) -> Void,
      asked: @escaping @Sendable () -> Void
    ) {
      self.wrote = wrote
      self.asked = asked
    }
  }

  /// Tells it from here on, and nobody else.
  public func observe(_ observer: Observer) { asker.observe(observer) }

  /// Somebody has told, by another way than the container, that something may be new where bells
  /// have these tags: who follows that is hinted, and the container asked soon.
  public func woken(_ tags: Set<UInt32>) { asker.woken(tags) }

  /// Hints nobody any more, once what was written here is rung: also by who follows nothing, and
  /// only wrote something that others wait for.
  public func end() { asker.end() }

  /// Ends, and takes this device's bells away, for who isn't to be heard of again.
  public func takeDown() { asker.takeDown() }

  /// Hints all followers: nobody knows what came of late.
  public func hintEverybody() { asker.hintEverybody() }

  /// How its followers hear of what others write by now.
  public var news: News { asker.news }

  /// How many requests the store behind it had so far.
  public var requests: Int { asker.requests.load(ordering: .relaxed) }

  private func counted() -> any ObjectStore {
    asker.requests.add(1, ordering: .relaxed)
    return asker.store
  }

  /// See `ObjectStore`.
  public func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    do throws(StoreError) {
      let outcome = try counted().put(key, bytes)
      if outcome == .stored { asker.stored(key) }
      return outcome
    } catch {
      ringInDoubt(key, error)
      throw error
    }
  }

  /// An answer that got lost may be that of something that stands there now: whoever looks finds
  /// it and goes on, and puts nothing again that would ring.
  private func ringInDoubt(_ key: ObjectKey, _ error: StoreError) {
    if error.isWorthRetrying { asker.stored(key) }
  }

  /// See `ObjectStore`.
  public func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
    let found = try counted().get(key)
    asker.looked(key, isThere: found != nil)
    return found
  }

  /// See `ObjectStore`.
  public func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    let found = try counted().get(key, range: range)
    asker.looked(key, isThere: found != nil)
    return found
  }

  /// See `ObjectStore`.
  public func get(
    each keys: [ObjectKey], range: Range<Int>
  ) -> [Result<[UInt8]?, StoreError>] {
    asker.requests.add(keys.count, ordering: .relaxed)
    let answers = asker.store.get(each: keys, range: range)
    for (key, answer) in zip(keys, answers) {
      if case .success(let found) = answer { asker.looked(key, isThere: found != nil) }
    }
    return answers
  }

  /// See `ObjectStore`.
  public var flight: Int { asker.store.flight }

  /// See `ObjectStore`.
  public func size(of key: ObjectKey) throws(StoreError) -> Int? { try counted().size(of: key) }

  /// See `ObjectStore`.
  public func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    try counted().list(prefix, after: after, limit: limit)
  }

  /// See `ObjectStore`.
  public func listed(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ListedObject] {
    try counted().listed(prefix, after: after, limit: limit)
  }

  /// See `ObjectStore`.
  public func folders(in prefix: String) throws(StoreError) -> [String] {
    try counted().folders(in: prefix)
  }

  /// See `ObjectStore`.
  public func owner(of key: ObjectKey) -> String? { asker.store.owner(of: key) }

  /// See `ObjectStore`.
  public func delete(_ key: ObjectKey) throws(StoreError) { try counted().delete(key) }

  /// See `ObjectStore`.
  public func remove(
    _ key: ObjectKey, ifIts bytes: [UInt8]?, upTo limit: Int
  ) throws(StoreError) {
    try counted().remove(key, ifIts: bytes, upTo: limit)
  }

  /// See `ObjectStore`.
  public func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) {
    do throws(StoreError) { try counted().mend(key, bytes) } catch {
      ringInDoubt(key, error)
      throw error
    }
    asker.stored(key)
  }

  /// See `ObjectStore`.
  public func claim(_ folder: String) throws(StoreError) { try counted().claim(folder) }

  /// See `ObjectStore`.
  public func prune(_ prefix: String) throws(StoreError) { try counted().prune(prefix) }

  /// See `ObjectStore`.
  public func agree(on tag: UInt32, for folder: String) { asker.agree(on: tag, for: folder) }

  /// See `ObjectStore`.
  public func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription {
    try asker.follow(prefix, onHint)
  }
}
