/// Threads for blocking work. A few threads serve all short work in turn, and each piece of waiting
/// work gets one more thread, up to a limit. Idle threads sleep on a condition, and nothing wakes
/// them.
public final class BlockingPool: Sendable {
  private struct Queue: Sendable {
    var pieces: [@Sendable () -> Void] = []
    var isClosed = false
  }

  /// The next piece of work for a thread of the pool.
  private enum Next: Sendable {
    case work(@Sendable () -> Void)
    case end
  }

  /// The maximum number of pieces of waiting work at once.
  public let waitingLimit: Int
  private let short = Monitor(Queue())
  private let waiting = Monitor(0)

  /// Starts `threads` threads for short work. Returns nil if the system provides no thread at all.
  public init?(threads: Int = 4, waitingLimit: Int = 64) {
    self.waitingLimit = waitingLimit
    let started = (0..<threads).filter { index in
      PosixThread.run("cairn-short-\(index)") { [short] in
        while case .work(let piece) = Self.next(of: short) { piece() }
      }
    }
    guard !started.isEmpty else { return nil }
  }

  /// The threads end after the remaining work.
  deinit { short.change { $0.isClosed = true } }

  private static func next(of queue: Monitor<Queue>) -> Next {
    let next = queue.wait(until: nil) { queue -> Next? in
      if !queue.pieces.isEmpty { return .work(queue.pieces.removeFirst()) }
      return queue.isClosed ? .end : nil
    }
    return next ?? .end
  }

  /// Runs `body` on one of the threads for short work, after all work submitted before.
  public func submitShort(_ body: @escaping @Sendable () -> Void) {
    short.change(waking: .one) { $0.pieces.append(body) }
  }

  /// Runs `body` on a thread of its own.
  /// - Parameter body: Work that may wait.
  /// - Returns: false, without calling `body`, if the limit is reached or the system provides no
  ///   thread.
  public func submitWaiting(_ body: @escaping @Sendable () -> Void) -> Bool {
    let isAllowed = waiting.change { count in
      guard count < waitingLimit else { return false }
      count += 1
      return true
    }
    guard isAllowed else { return false }
    let isStarted = PosixThread.run("cairn-waiting") { [waiting] in
      body()
      waiting.change { $0 -= 1 }
    }
    if !isStarted { waiting.change { $0 -= 1 } }
    return isStarted
  }
}
