/// A queue of messages to one thread. The thread sleeps in the kernel until a message or its
/// deadline comes. Once the thread stops taking messages, nobody can add any.
public final class Mailbox<Message: Sendable>: Sendable {
  private struct State: Sendable {
    var messages: [Message] = []
    var isOverflown = false
    var isClosed = false
  }

  private let state = Monitor(State())
  private let limit: Int
  private let overflow: Message

  /// Creates an empty mailbox. `overflow` replaces all hints when more than `limit` are waiting.
  public init(limit: Int, overflow: Message) {
    self.limit = limit
    self.overflow = overflow
  }

  /// Adds messages that `overflow` can replace when too many are waiting.
  public func hint(_ new: [Message]) {
    state.change { state in
      guard !state.isOverflown, !state.isClosed else { return }
      state.isOverflown = state.messages.count + new.count > limit
      state.messages += state.isOverflown ? [overflow] : new
    }
  }

  /// Adds a message that must arrive.
  /// - Returns: false if the mailbox is closed.
  @discardableResult
  public func post(_ message: Message) -> Bool {
    state.change { state in
      guard !state.isClosed else { return false }
      state.messages.append(message)
      return true
    }
  }

  /// Takes all messages, and waits for the first one.
  /// - Parameter deadline: The latest time of the monotonic clock to wait for; nil waits forever.
  /// - Returns: the messages; empty after the deadline.
  public func take(until deadline: Int64?) -> [Message] {
    state.wait(until: deadline) { $0.messages.isEmpty ? nil : Self.empty(&$0) } ?? []
  }

  /// Closes the mailbox.
  /// - Returns: the messages that nobody took.
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
