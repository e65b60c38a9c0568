import CairnSystem
import Glibc
import Synchronization

/// Threads of our own, for calls that block: the cooperative pool has only as many threads as the
/// machine has cores.
enum PosixThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }

  /// Starts a thread that takes no signals. Nil if the system gives no more threads.
  static func start(_ name: String, _ run: @escaping @Sendable () -> Void) -> pthread_t? {
    let body = Unmanaged.passRetained(
      Body {
        _ = cairn_name_thread(name)
        run()
      })
    // Signals are for the program's own threads; a new thread inherits the mask.
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
      return nil
    }
    return thread
  }

  /// Runs `body(0..<count)` on that many threads at once, released together, and waits for all.
  /// Returns how many threads there really were.
  @discardableResult
  static func race(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> Int {
    let gate = Gate()
    let threads = (0..<count).compactMap { index in
      start("cairn-race") {
        while !gate.isOpen.load(ordering: .acquiring) { sched_yield() }
        body(index)
      }
    }
    gate.isOpen.store(true, ordering: .releasing)
    for thread in threads { pthread_join(thread, nil) }
    return threads.count
  }

  private final class Gate: Sendable {
    let isOpen = Atomic(false)
  }
}
