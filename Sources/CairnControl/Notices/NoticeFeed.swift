import CairnThreads

/// A queue of events on their way to notifications. The sender of an event never waits, and a
/// thread sleeps until there is a notification to show.
public final class NoticeFeed: Sendable {
  private struct State: Sendable {
    var events: [Control.Event] = []
    var isOver = false
  }

  private let state = Monitor(State())

  /// Creates an empty queue.
  public init() {}

  /// Adds an event. Returns at once.
  public func take(_ event: Control.Event) { state.change { $0.events.append(event) } }

  /// Ends `run` after the earlier events.
  public func end() { state.change { $0.isOver = true } }

  /// Passes notifications for new events to `show` until the feed ends. `NoticeRule` selects them.
  public func run(_ show: (Control.Notice) -> Void) {
    var rule = NoticeRule()
    while true {
      let new = state.wait(until: rule.next) { state -> State? in
        guard !state.events.isEmpty || state.isOver else { return nil }
        defer { state.events = [] }
        return state
      }
      for event in new?.events ?? [] {
        if let notice = rule.take(event, at: Monotonic.now) { show(notice) }
      }
      if let notice = rule.passed(Monotonic.now) { show(notice) }
      if new?.isOver ?? false { return }
    }
  }

  /// Runs `run` on a thread of its own.
  /// - Returns: a closure that waits for its end.
  public func start(_ show: @escaping @Sendable (Control.Notice) -> Void) -> () -> Void {
    let thread = PosixThread.start("cairn-notices") { [self] in run(show) }
    return { thread?.join() }
  }
}
