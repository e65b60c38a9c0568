import CairnSystem
import Glibc
import Synchronization

/// A thread for blocking work, outside the cooperative pool. It takes no signals, because they
/// belong to the program's own threads.
public struct PosixThread: Sendable {
  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private let raw: pthread_t

  /// Starts a thread that must be joined or detached later.
  /// - Parameters:
  ///   - name: The name in ps and top; 15 bytes are kept.
  ///   - run: The work of the thread.
  /// - Returns: the thread; nil if the system has no more.
  public static func start(
    _ name: String, _ run: @escaping @Sendable () -> Void
  ) -> PosixThread? {
    let body = Unmanaged.passRetained(
      Body {
        _ = cairn_name_thread(name)
        run()
      })
    // A new thread inherits the mask.
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
    return PosixThread(raw: thread)
  }

  /// Starts a thread that nobody joins.
  /// - Parameters:
  ///   - name: The name in ps and top; 15 bytes are kept.
  ///   - run: The work of the thread.
  /// - Returns: false if the system has no more threads.
  public static func run(_ name: String, _ run: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = start(name, run) else { return false }
    thread.letGo()
    return true
  }

  /// Waits for the end of the thread. The value must not be used afterwards.
  public func join() { pthread_join(raw, nil) }

  /// Detaches the thread. The value must not be used afterwards.
  public func letGo() { pthread_detach(raw) }

  /// A Boolean value that indicates whether this is the calling thread.
  public var isCurrent: Bool { pthread_equal(raw, pthread_self()) != 0 }

  /// Runs `body(0..<count)` on that many threads at once, released together, and waits for all of
  /// them.
  /// - Parameters:
  ///   - count: The number of threads.
  ///   - body: The work of each thread, by its number.
  /// - Returns: the number of threads that the system provided.
  @discardableResult
  public static func race(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> Int {
    let gate = Gate()
    let threads = (0..<count).compactMap { index in
      start("cairn-race") {
        while !gate.isOpen.load(ordering: .acquiring) { sched_yield() }
        body(index)
      }
    }
    gate.isOpen.store(true, ordering: .releasing)
    for thread in threads { thread.join() }
    return threads.count
  }

  private final class Gate: Sendable {
    let isOpen = Atomic(false)
  }
}
