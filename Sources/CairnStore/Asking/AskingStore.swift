import CairnThreads
import Synchronization

/// A store whose followers always learn of others' changes. If the store behind cannot notify, one
/// thread polls for all followers, by change markers. It owns that thread; `Asking` decides when to
/// poll and when to write a marker.
public final class AskingStore: ForwardingStore {
  private let asker: Asker

  /// The default longest pause between two polls, in seconds.
  public static let usualPause: Int64 = 60

  /// The folder of change markers.
  public static let folder = Bell.folder

  /// The way in which followers learn of others' changes.
  public struct News: Equatable, Sendable {
    /// The current maximum delay of a change, in nanoseconds; nil: the store notifies.
    public let lateness: Int64?
    /// The maximum delay after a long time without changes.
    public let longest: Int64
    /// A Boolean value that indicates whether the store missed a notification.
    public let isDeaf: Bool
  }

  /// Creates a store that sends no request before somebody follows a folder.
  /// - Parameters:
  ///   - store: The store with the objects.
  ///   - owner: The name of this device's markers: 32 hexadecimal digits that nobody else can
  ///     relate to it; nil if it writes nothing.
  ///   - isTold: Whether the store's notifications are trusted until one is missed.
  ///   - isFolder: Whether it is a folder, possibly on a network file system. Polling is free
  ///     there, but the system may cache names for seconds.
  ///   - longest: The longest pause between two polls, in seconds.
  public convenience init(
    _ store: any ObjectStore, owner: String?, isTold: Bool, isFolder: Bool, longest: Int64
  ) {
    self.init(
      store, owner: owner, isTold: isTold, isFolder: isFolder, longest: longest,
      patience: Asker.patience)
  }

  /// Creates a store with a given patience for notifications, in nanoseconds, and a clock.
  init(
    _ store: any ObjectStore, owner: String?, isTold: Bool, isFolder: Bool, longest: Int64,
    patience: Int64, clock: @escaping @Sendable () -> Int64 = { Monotonic.now }
  ) {
    asker = Asker(
      store, owner: owner, isTold: isTold, isFolder: isFolder, longest: longest * 1_000_000_000,
      patience: patience, clock: clock)
  }

  deinit { asker.stop() }

  /// An observer of the acts in this store.
  public struct Observer: Sendable {
    /// Called when an object was stored in a folder with that topic.
    public var wrote: @Sendable (_ folder: String, _ tag: UInt32) -> Void
    /// Called when the container was polled.
    public var asked: @Sendable () -> Void

    /// Creates an observer. Both closures are called on threads that must not block.
    public init(
      wrote: @escaping @Sendable (_ folder: String, _ tag: UInt32) -> Void,
      asked: @escaping @Sendable () -> Void
    ) {
      self.wrote = wrote
      self.asked = asked
    }
  }

  /// Sets the observer, and replaces an earlier one.
  public func observe(_ observer: Observer) { asker.observe(observer) }

  /// Handles a push message: another channel reported possible changes under these topics. Hints
  /// the followers and polls the container soon.
  public func woken(_ tags: Set<UInt32>) { asker.woken(tags) }

  /// Ends the hints after reporting the last changes, also for a store without followers that only
  /// wrote.
  public func end() { asker.end() }

  /// Ends, and deletes this device's markers, for a device that should not be heard again.
  public func takeDown() { asker.takeDown() }

  /// Hints all followers: recent changes are unknown.
  public func hintEverybody() { asker.hintEverybody() }

  /// The way in which followers currently learn of others' changes.
  public var news: News { asker.news }

  /// The number of requests to the store behind so far.
  public var requests: Int { asker.requests.load(ordering: .relaxed) }

  /// The store behind.
  public var store: any ObjectStore { asker.store }

  /// Returns the store behind, and counts the request.
  public func admit() -> any ObjectStore {
    asker.requests.add(1, ordering: .relaxed)
    return asker.store
  }

  /// See `ObjectStore`.
  public func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    do throws(StoreError) {
      let outcome = try admit().put(key, bytes)
      if outcome == .stored { asker.stored(key) }
      return outcome
    } catch {
      ringInDoubt(key, error)
      throw error
    }
  }

  /// Reports a change whose answer got lost. A reader that finds the object continues, and does not
  /// put it again with a marker.
  private func ringInDoubt(_ key: ObjectKey, _ error: StoreError) {
    if error.isWorthRetrying { asker.stored(key) }
  }

  /// See `ObjectStore`.
  public func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
    let found = try admit().get(key)
    asker.looked(key, isThere: found != nil)
    return found
  }

  /// See `ObjectStore`.
  public func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    let found = try admit().get(key, range: range)
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
  public func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) {
    do throws(StoreError) { try admit().mend(key, bytes) } catch {
      ringInDoubt(key, error)
      throw error
    }
    asker.stored(key)
  }

  /// See `ObjectStore`.
  public func agree(on tag: UInt32, for folder: String) { asker.agree(on: tag, for: folder) }

  /// See `ObjectStore`.
  public func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription {
    try asker.follow(prefix, onHint)
  }
}
