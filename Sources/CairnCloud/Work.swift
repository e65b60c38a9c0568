import CairnThreads
import Synchronization

/// The threads on which a container's calls block. The cooperative pool has one thread per core, so
/// nothing may block there.
final class Work: Sendable {
  private let pool: BlockingPool

  init() throws(CloudError) {
    guard let pool = BlockingPool() else {
      throw CloudError(.internalError, "the system provides no thread")
    }
    self.pool = pool
  }

  /// Runs a short call, after all short calls before.
  func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws(CloudError) -> T {
    let answer = Answer<T>()
    return try await wait(for: answer) { [pool] in
      pool.submitShort {
        // A call that is cancelled before it begins does nothing.
        if answer.isOpen { answer.give(CloudError.catching(body)) }
      }
    }
  }

  /// Runs a transfer on a thread of its own. If the task is cancelled, the caller continues at
  /// once, and the transfer ends at its next `check`, or sooner by `cancelling`.
  func transfer<T: Sendable>(
    cancelling cancel: @escaping @Sendable () -> Void = {},
    _ body: @escaping @Sendable (_ check: () throws -> Void) throws -> T
  ) async throws(CloudError) -> T {
    let answer = Answer<T>()
    let piece: @Sendable () -> Void = {
      answer.give(
        CloudError.catching {
          try body { if !answer.isOpen { throw CancellationError() } }
        })
    }
    return try await wait(for: answer, cancelling: cancel) { [pool] in
      if !pool.submitWaiting(piece) { pool.submitShort(piece) }
    }
  }

  private func wait<T: Sendable>(
    for answer: Answer<T>, cancelling cancel: @escaping @Sendable () -> Void = {},
    _ start: @Sendable () -> Void
  ) async throws(CloudError) -> T {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        answer.await(continuation)
        start()
      }
    } onCancel: {
      answer.give(.failure(.cancelled))
      cancel()
    }
    return try result.get()
  }
}

/// The result of one call. The first of result and cancellation counts.
private final class Answer<T: Sendable>: Sendable {
  private enum State {
    case new
    case awaited(CheckedContinuation<Result<T, CloudError>, Never>)
    case given(Result<T, CloudError>)
    case done
  }

  private let state = Mutex(State.new)

  /// A Boolean value that indicates whether somebody may still want the result.
  var isOpen: Bool {
    state.withLock { state in
      switch state {
      case .new, .awaited: true
      case .given, .done: false
      }
    }
  }

  func await(_ continuation: CheckedContinuation<Result<T, CloudError>, Never>) {
    let given: Result<T, CloudError>? = state.withLock { state in
      if case .given(let result) = state {
        state = .done
        return result
      }
      state = .awaited(continuation)
      return nil
    }
    if let given { continuation.resume(returning: given) }
  }

  func give(_ result: Result<T, CloudError>) {
    let waiting: CheckedContinuation<Result<T, CloudError>, Never>? = state.withLock { state in
      switch state {
      case .new: state = .given(result)
      case .awaited(let continuation):
        state = .done
        return continuation
      case .given, .done: break
      }
      return nil
    }
    waiting?.resume(returning: result)
  }
}
