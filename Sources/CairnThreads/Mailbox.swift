/// A queue of messages to one thread, which sleeps in the kernel until one comes or its time does.
/// Once the thread takes no more of them, nobody can put any.
public final class Mailbox<Message: Sendable>: Sendable {
  private struct State: Sendable {
    var messages: [Message] = []
    var isOverflown = false
    var isClosed = false
  }

  private let state = Monitor(State())
  private let limit: Int
  private let overflow: Message

  /// An empty mailbox; `overflow` takes the place of all hints when more than `limit` wait.
  public init(limit: Int, overflow: Message) {
    self.limit = limit
    self.overflow = overflow
  }

  /// Puts messages that can be replaced by `overflow` when too many wait.
  public func hint(_ new: [Message]) {
    state.change { state in
      guard !state.isOverflown, !state.isClosed else { return }
      state.isOverflown = state.messages.count + new.count > limit
      state.messages += state.isOverflown ? [overflow] : new
    }
  }

  /// Puts a message that must arrive.
  /// - Returns: false if nobody takes messages any more.
  @discardableResult
  public func post(_ message: Message) -> Bool {
    state.change { state in
      guard !state.isClosed else { return false }
      state.messages.append(message)
      return true
    }
  }

  /// Takes all messages; waits for the first of them.
  /// - Parameter deadline: Until that time of the monotonic clock at most; nil: for ever.
  /// - Returns: none if none came.
  public func take(until deadline: Int64?) -> [Message] {
    state.wait(until: deadline) { $0.messages.isEmpty ? nil : Self.empty(&$0) } ?? []
  }

  /// Takes no more messages from here on.
  /// - Returns: those that nobody took.
  public func close() -> [Message] {
    state.change { state in
      state.isClosed = true
      return Self.empty(&state)
    }
  }

  private static func empty(_ state: inout State) -> [Message] {
    defer {
      state.messages = []
      state.isOverflown = false
    }
    return state.messages
  }
}
