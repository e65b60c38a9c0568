import Synchronization

/// One piece of work on a thread of its own, while whoever gave it goes on: something that blocks
/// or computes for milliseconds. Whoever lets it go waits until it is done.
public final class Errand<Value: Sendable>: Sendable {
  private final class Outcome: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
  }

  private let outcome = Outcome()
  private let thread: Mutex<PosixThread?>

  /// Begins the work. Where the system gives no more threads, it is done before this returns.
  public init(_ body: @escaping @Sendable () throws -> Value) {
    let run: @Sendable () -> Void = { [outcome] in
      let result = Result { try body() }
      outcome.result.withLock { $0 = result }
    }
    let started = PosixThread.start("cairn-errand", run)
    thread = Mutex(started)
    if started == nil { run() }
  }

  deinit { join() }

  /// Waits for the end of the work.
  /// - Returns: what it came to.
  /// - Throws: what it threw.
  public func wait() throws -> Value {
    join()
    guard let result = outcome.result.withLock({ $0 }) else {
      preconditionFailure("a thread that ended without an outcome")
    }
    return try result.get()
  }

  private func join() {
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    thread?.join()
  }
}
