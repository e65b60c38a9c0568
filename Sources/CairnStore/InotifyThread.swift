import CairnSystem
import CairnThreads
import Glibc
import Synchronization

/// The inotify instance of this process for followers of folders, and its thread, which sleeps in
/// `poll` until an event. It owns both, and the watches of all `FolderNotifier`s. Instances are
/// few: a user has 128, and each daemon needs only this one. It begins with the first notifier, and
/// ends with the last.
final class InotifyThread: Sendable {
  private final class Root {
    var watches: FolderWatches
    let hasLost: FolderNotifier.HasLost

    init(_ watches: FolderWatches, _ hasLost: FolderNotifier.HasLost) {
      (self.watches, self.hasLost) = (watches, hasLost)
    }
  }

  private static let current = Mutex<InotifyThread?>(nil)

  private let inotify: Descriptor
  private let eventfd: Descriptor
  private let roots = Mutex<[Int: Root]>([:])
  private let last = Atomic(0)
  private let isStopped = Atomic(false)

  private init(inotify: consuming Descriptor, eventfd: consuming Descriptor) {
    self.inotify = inotify
    self.eventfd = eventfd
  }

  /// Adds a root.
  /// - Returns: The thread, the number of the root, and a flag that says whether followers of it
  ///   have no watch.
  /// - Throws: `.unsupported` if the system provides no inotify instance or no thread.
  static func join(
    root: String, mark: ObjectKey?
  ) throws(StoreError) -> (InotifyThread, Int, FolderNotifier.HasLost) {
    let flag = FolderNotifier.HasLost()
    let joined = current.withLock { current -> Result<(InotifyThread, Int), StoreError> in
      do throws(StoreError) {
        let shared = if let current { current } else { try begin(root) }
        current = shared
        // Under the lock, so that the thread doesn't end in between.
        return .success((shared, shared.add(root, mark, flag)))
      } catch {
        return .failure(error)
      }
    }
    let (shared, number) = try joined.get()
    return (shared, number, flag)
  }

  private static func begin(_ root: String) throws(StoreError) -> InotifyThread {
    let raw = cairn_inotify_open()
    guard raw >= 0 else {
      throw StoreError(
        code: .unsupported,
        cause: "The system gives no inotify instance to watch \(root). "
          + "Raise fs.inotify.max_user_instances (see sysctl.d(5)).")
    }
    let inotify = Descriptor(owning: raw)
    let wake = cairn_eventfd()
    guard wake >= 0 else { throw .system(-wake, "watch", root: root) }
    let made = InotifyThread(inotify: inotify, eventfd: Descriptor(owning: wake))
    guard PosixThread.run("cairn-notify", { made.run() }) else {
      throw .system(EAGAIN, "start a thread to watch", root: root)
    }
    return made
  }

  private func add(_ root: String, _ mark: ObjectKey?, _ flag: FolderNotifier.HasLost) -> Int {
    let number = last.wrappingAdd(1, ordering: .relaxed).newValue
    roots.withLock { [inotify = inotify.raw] roots in
      roots[number] = Root(FolderWatches(root: root, mark: mark, inotify: inotify), flag)
    }
    return number
  }

  /// Removes a root; the last one ends the thread.
  func leave(_ number: Int) {
    Self.current.withLock { current in
      let isLast = roots.withLock { roots in
        // All followers have ended: each holds the notifier.
        let left = roots.removeValue(forKey: number)?.watches.all ?? []
        for watch in left { Self.end(watch, roots, inotify.raw) }
        return roots.isEmpty
      }
      guard isLast else { return }
      if current === self { current = nil }
      isStopped.store(true, ordering: .releasing)
      wake()
    }
  }

  /// Changes the watches of a root. Only the end of all followers removes a root.
  func change<Result: Sendable>(
    _ number: Int, _ body: (inout FolderWatches) -> Result
  ) -> Result {
    roots.withLock { roots in
      guard let root = roots[number] else { preconditionFailure("a notifier without its root") }
      defer {
        for watch in root.watches.takeEnded() { Self.end(watch, roots, inotify.raw) }
      }
      return body(&root.watches)
    }
  }

  /// Ends a watch that no root needs any more.
  private static func end(_ watch: Int32, _ roots: [Int: Root], _ inotify: Int32) {
    guard !roots.values.contains(where: { $0.watches.needs(watch) }) else { return }
    // It fails for a dropped watch, which is harmless.
    _ = cairn_inotify_unwatch(inotify, watch)
  }

  /// Has the thread look again for followers without a watch.
  func wake() { _ = cairn_eventfd_raise(eventfd.raw) }

  // MARK: The thread

  private func run() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 8)
    defer { buffer.deallocate() }
    // The next time to hint followers without a watch: the limit may have been raised, and no
    // event says so.
    var trial: (time: Int64, pause: Int64)?
    while true {
      var waiting = [
        pollfd(fd: inotify.raw, events: Int16(POLLIN), revents: 0),
        pollfd(fd: eventfd.raw, events: Int16(POLLIN), revents: 0),
      ]
      let patience = trial.map { max(0, $0.time - Monotonic.now) / 1_000_000 + 1 }
      let ready = poll(&waiting, 2, patience.map { Int32(clamping: $0) } ?? -1)
      precondition(ready >= 0 || errno == EINTR, "poll on two descriptors of our own failed")
      if isStopped.load(ordering: .acquiring) { return }
      _ = cairn_eventfd_clear(eventfd.raw)
      let filled = Glibc.read(inotify.raw, buffer.baseAddress, buffer.count)
      let isDue = trial.map { $0.time <= Monotonic.now } ?? false
      let events = UnsafeRawBufferPointer(rebasing: buffer[..<max(filled, 0)])
      let (hints, hasLost) = takeIn(events, all: isDue)
      for hint in hints { hint() }
      if !hasLost {
        trial = nil
      } else if isDue || trial == nil {
        let pause = min(30_000_000_000, trial.map { $0.pause * 2 } ?? 1_000_000_000)
        trial = (Monotonic.now + pause, pause)
      }
    }
  }

  /// Handles all read events as one round of hints; with `all`, also for followers without a watch.
  /// - Returns: The followers to hint, and whether some have no watch.
  private func takeIn(
    _ events: UnsafeRawBufferPointer, all: Bool
  ) -> (hints: [FolderWatches.Hint], hasLost: Bool) {
    roots.withLock { roots in
      var (hints, ended, hasLost): ([FolderWatches.Hint], Set<Int32>, Bool) = ([], [], false)
      for number in roots.keys.sorted() {
        guard let root = roots[number] else { continue }
        let hinted = Self.note(events, in: &root.watches, all: all)
        hints += root.watches.hints(of: hinted)
        ended.formUnion(root.watches.takeEnded())
        let isAnyLost = !root.watches.lost.isEmpty
        root.hasLost.value.store(isAnyLost, ordering: .relaxed)
        hasLost = hasLost || isAnyLost
      }
      for watch in ended { Self.end(watch, roots, inotify.raw) }
      return (hints, hasLost)
    }
  }

  /// Tells the watches of one root of all events. Those of other roots mean nothing to it.
  private static func note(
    _ events: UnsafeRawBufferPointer, in watches: inout FolderWatches, all: Bool
  ) -> Set<Int> {
    var hinted = watches.lookAgainForLost(all: all)
    var (offset, watch, kinds): (Int, Int32, UInt32) = (0, 0, 0)
    var name: UnsafePointer<CChar>?
    while let base = events.baseAddress,
      cairn_inotify_next(base, events.count, &offset, &watch, &kinds, &name) == 1
    {
      let text = name.flatMap { String(validatingCString: $0) }
      hinted.formUnion(watches.note(watch: watch, kinds: kinds, name: text))
    }
    return hinted
  }
}
