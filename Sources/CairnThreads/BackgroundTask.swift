import Synchronization

/// One piece of work on a thread of its own, beside the thread that created it: work that blocks or
/// computes for milliseconds. Releasing it waits until the work is done.
public final class BackgroundTask<Value: Sendable>: Sendable {
  private final class Outcome: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
  }

  private let outcome = Outcome()
  private let thread: Mutex<PosixThread?>

  /// Starts the work. If the system has no more threads, the work is done before this returns.
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
  /// - Returns: the result of the work.
  /// - Throws: the error of the work.
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
