/// A queue of messages to one thread, or to an actor of an `ActorPool`. The thread sleeps in the
/// kernel until a message or its deadline comes. Once the reader stops taking messages, nobody can
/// add any.
public final class Mailbox<Message: Sendable>: Sendable {
  private struct State: Sendable {
    var messages: [Message] = []
    var isOverflown = false
    var isClosed = false
    /// A function to call after each added message.
    var onMessage: (@Sendable () -> Void)?
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
    let onMessage = state.change { state -> (@Sendable () -> Void)? in
      guard !state.isOverflown, !state.isClosed else { return nil }
      state.isOverflown = state.messages.count + new.count > limit
      state.messages += state.isOverflown ? [overflow] : new
      return state.onMessage
    }
    onMessage?()
  }

  /// Calls a function after each message that is added from now on, on the thread that adds it. A
  /// reader that is no thread learns of messages by it.
  public func notify(_ onMessage: @escaping @Sendable () -> Void) {
    state.change { if !$0.isClosed { $0.onMessage = onMessage } }
  }

  /// Adds a message that must arrive.
  /// - Returns: false if the mailbox is closed.
  @discardableResult
  public func post(_ message: Message) -> Bool {
    let (isTaken, onMessage) = state.change { state -> (Bool, (@Sendable () -> Void)?) in
      guard !state.isClosed else { return (false, nil) }
      state.messages.append(message)
      return (true, state.onMessage)
    }
    onMessage?()
    return isTaken
  }

  /// Takes all messages, and waits for the first one.
  /// - Parameter deadline: The latest time of the monotonic clock to wait for; nil waits forever.
  /// - Returns: the messages; empty after the deadline.
  public func take(until deadline: Int64?) -> [Message] {
    state.wait(until: deadline) { $0.messages.isEmpty ? nil : Self.empty(&$0) } ?? []
  }

  /// Takes all messages, without waiting.
  /// - Returns: the messages; empty if there are none.
  public func takeNow() -> [Message] { state.wait(until: nil) { Self.empty(&$0) } ?? [] }

  /// Closes the mailbox.
  /// - Returns: the messages that nobody took.
  public func close() -> [Message] {
    state.change { state in
      state.isClosed = true
      state.onMessage = nil
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
