import CairnSystem
import CairnThreads
import Glibc
import Synchronization

/// Turns inotify events in a container folder into hints: one inotify instance and one thread,
/// which sleeps in `poll` until an event. It owns both, and knows no objects.
final class FolderNotifier: Sendable {
  private let core: Core

  /// Throws `.unsupported` if the system provides no inotify instance or no thread.
  init(root: String, mark: ObjectKey? = nil) throws(StoreError) {
    let inotify = cairn_inotify_open()
    guard inotify >= 0 else {
      throw StoreError(
        code: .unsupported,
        cause: "The system gives no inotify instance to watch \(root). "
          + "Raise fs.inotify.max_user_instances (see sysctl.d(5)).")
    }
    let instance = Descriptor(owning: inotify)
    let wake = cairn_eventfd()
    guard wake >= 0 else { throw .system(-wake, "watch", root: root) }
    let core = Core(root: root, mark: mark, inotify: instance, wake: Descriptor(owning: wake))
    self.core = core
    guard PosixThread.run("cairn-notify", { core.run() }) else {
      throw .system(EAGAIN, "start a thread to watch", root: root)
    }
  }

  deinit {
    core.stop()
  }

  func follow(
    _ folder: FolderPath, _ hint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription {
    let added = core.watches.withLock { watches -> Result<Int, StoreError> in
      do throws(StoreError) {
        return .success(try watches.add(folder, hint))
      } catch {
        return .failure(error)
      }
    }
    let id = try added.get()
    return Subscription { [self] in core.watches.withLock { $0.remove(id) } }
  }

  /// Gives followers their watches again after the root was opened.
  func lookAgainIfLost() {
    guard core.hasLost.load(ordering: .relaxed) else { return }
    _ = cairn_eventfd_raise(core.wake.raw)
  }

  /// The number of watches that the kernel holds for this process.
  var watchCount: Int { core.watches.withLock { $0.watchCount } }

  /// The state that the thread keeps alive. The notifier itself is released when nobody needs it.
  private final class Core: Sendable {
    let inotify: Descriptor
    let wake: Descriptor
    let watches: Mutex<FolderWatches>
    let hasLost = Atomic(false)
    private let isStopped = Atomic(false)

    init(
      root: String, mark: ObjectKey?, inotify: consuming Descriptor, wake: consuming Descriptor
    ) {
      watches = Mutex(FolderWatches(root: root, mark: mark, inotify: inotify.raw))
      self.inotify = inotify
      self.wake = wake
    }

    func stop() {
      isStopped.store(true, ordering: .releasing)
      _ = cairn_eventfd_raise(wake.raw)
    }

    func run() {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 8)
      defer { buffer.deallocate() }
      // The next time to hint followers without a watch: the limit may have been raised, and no
      // event says so.
      var trial: (time: Int64, pause: Int64)?
      while true {
        var waiting = [
          pollfd(fd: inotify.raw, events: Int16(POLLIN), revents: 0),
          pollfd(fd: wake.raw, events: Int16(POLLIN), revents: 0),
        ]
        let patience = trial.map { max(0, $0.time - Monotonic.now) / 1_000_000 + 1 }
        let ready = poll(&waiting, 2, patience.map { Int32(clamping: $0) } ?? -1)
        precondition(ready >= 0 || errno == EINTR, "poll on two descriptors of our own failed")
        if isStopped.load(ordering: .acquiring) { return }
        _ = cairn_eventfd_clear(wake.raw)
        let filled = Glibc.read(inotify.raw, buffer.baseAddress, buffer.count)
        let isDue = trial.map { $0.time <= Monotonic.now } ?? false
        let events = UnsafeRawBufferPointer(rebasing: buffer[..<max(filled, 0)])
        for hint in takeIn(events, all: isDue) { hint() }
        if !hasLost.load(ordering: .relaxed) {
          trial = nil
        } else if isDue || trial == nil {
          let pause = min(30_000_000_000, trial.map { $0.pause * 2 } ?? 1_000_000_000)
          trial = (Monotonic.now + pause, pause)
        }
      }
    }

    /// Handles all read events as one round of hints; with `all`, also for followers without a
    /// watch.
    private func takeIn(_ events: UnsafeRawBufferPointer, all: Bool) -> [FolderWatches.Hint] {
      watches.withLock { watches in
        var hinted: Set<Int> = watches.lookAgainForLost(all: all)
        var offset = 0
        var watch: Int32 = 0
        var kinds: UInt32 = 0
        var name: UnsafePointer<CChar>?
        while let base = events.baseAddress,
          cairn_inotify_next(base, events.count, &offset, &watch, &kinds, &name) == 1
        {
          let text = name.flatMap { String(validatingCString: $0) }
          hinted.formUnion(watches.note(watch: watch, kinds: kinds, name: text))
        }
        hasLost.store(!watches.lost.isEmpty, ordering: .relaxed)
        return watches.hints(of: hinted)
      }
    }
  }
}
