import CairnThreads

/// Events on their way to notices: whoever tells an event goes on at once, and whoever shows
/// notices has a thread that sleeps until there is one.
public final class NoticeFeed: Sendable {
  private struct State: Sendable {
    var events: [Control.Event] = []
    var isOver = false
  }

  private let state = Monitor(State())

  /// Nothing happened yet.
  public init() {}

  /// Takes an event; returns at once.
  public func take(_ event: Control.Event) { state.change { $0.events.append(event) } }

  /// Ends `run` after what was taken before.
  public func end() { state.change { $0.isOver = true } }

  /// Hands over the notices of what is taken, by the rule, until the end.
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

  /// As `run`, on a thread of its own.
  /// - Returns: what waits for its end.
  public func start(_ show: @escaping @Sendable (Control.Notice) -> Void) -> () -> Void {
    let thread = PosixThread.start("cairn-notices") { [self] in run(show) }
    return { thread?.join() }
  }
}
