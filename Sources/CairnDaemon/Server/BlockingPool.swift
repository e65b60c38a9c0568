import CairnSystem
import Glibc
import Synchronization

/// Threads for work that blocks: a few that serve all short work in turn, and one more for each
/// piece of waiting work, up to a limit. Idle threads sleep on a condition; nothing wakes them.
final class BlockingPool: Sendable {
  /// The most pieces of waiting work at once.
  let waitingLimit: Int

  private let short: WorkQueue
  private let waiting = Mutex(0)

  /// Starts `threads` threads for short work. Nil if the system gives no thread at all.
  init?(threads: Int = 4, waitingLimit: Int = 64) {
    self.waitingLimit = waitingLimit
    let queue = WorkQueue()
    short = queue
    let started = (0..<threads).filter { index in
      Self.startThread("cairn-short-\(index)") {
        while let work = queue.next() { work() }
      }
    }
    guard !started.isEmpty else { return nil }
  }

  deinit {
    short.close()
  }

  /// Runs `body` on one of the threads for short work, after what was submitted before.
  func submitShort(_ body: @escaping @Sendable () -> Void) {
    short.add(body)
  }

  /// Runs `body` on a thread of its own. False if there are too many of them already, or if the
  /// system gives no thread; `body` is not called then.
  func submitWaiting(_ body: @escaping @Sendable () -> Void) -> Bool {
    let isAllowed = waiting.withLock { count in
      guard count < waitingLimit else { return false }
      count += 1
      return true
    }
    guard isAllowed else { return false }
    let isStarted = Self.startThread("cairn-waiting") {
      body()
      self.waiting.withLock { $0 -= 1 }
    }
    if !isStarted { waiting.withLock { $0 -= 1 } }
    return isStarted
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }

  /// Starts a detached thread that takes no signals: those are for the program's own thread.
  private static func startThread(_ name: String, _ run: @escaping @Sendable () -> Void) -> Bool {
    let body = Unmanaged.passRetained(
      Body {
        _ = cairn_name_thread(name)
        run()
      })
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let failure = pthread_create(
      &thread, nil,
      { raw in
        guard let raw else { return nil }
        Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run()
        return nil
      }, body.toOpaque())
    guard failure == 0 else {
      body.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
