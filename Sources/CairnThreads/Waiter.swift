/// Somebody who waits for an answer of another thread, once.
public final class Waiter<Answer: Sendable>: Sendable {
  private let answer = Monitor<Answer?>(nil)

  /// Nobody has answered yet.
  public init() {}

  /// Answers; only the first answer counts.
  public func complete(_ value: Answer) { answer.change { if $0 == nil { $0 = value } } }

  /// Waits for the answer.
  /// - Parameter deadline: Until that time of the monotonic clock at most; nil: for ever.
  /// - Returns: the answer; nil if nobody answered by then.
  public func wait(until deadline: Int64?) -> Answer? { answer.wait(until: deadline) { $0 } }

  /// Waits for the answer, which somebody owes.
  /// - Returns: the answer.
  public func wait() -> Answer {
    guard let answer = wait(until: nil) else { preconditionFailure("waited for ever, in vain") }
    return answer
  }
}

extension Waiter where Answer == Void {
  /// Answers; only the first answer counts.
  public func complete() { complete(()) }
}
