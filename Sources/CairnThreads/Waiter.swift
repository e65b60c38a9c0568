/// A wait for one answer of another thread.
public final class Waiter<Answer: Sendable>: Sendable {
  private let answer = Monitor<Answer?>(nil)

  /// Creates a waiter without an answer.
  public init() {}

  /// Answers. Only the first answer counts.
  public func complete(_ value: Answer) { answer.change { if $0 == nil { $0 = value } } }

  /// Waits for the answer.
  /// - Parameter deadline: The latest time of the monotonic clock to wait for; nil waits forever.
  /// - Returns: the answer; nil after the deadline.
  public func wait(until deadline: Int64?) -> Answer? { answer.wait(until: deadline) { $0 } }

  /// Waits for an answer that is certain to come.
  /// - Returns: the answer.
  public func wait() -> Answer {
    guard let answer = wait(until: nil) else { preconditionFailure("waited for ever, in vain") }
    return answer
  }
}

extension Waiter where Answer == Void {
  /// Answers. Only the first answer counts.
  public func complete() { complete(()) }
}
