/// The rule for notifications: a few per hour, the rest summed up, and lasting problems. It knows
/// no clock and no notification program.
public struct NoticeRule: Sendable {
  /// The maximum number of notifications within an hour.
  public static let mostAnHour = 4
  /// The minimum time between notifications of one topic, or sums, in nanoseconds.
  public static let pause: Int64 = 600 * second
  /// The time after which a problem deserves a notification.
  public static let lasting: Int64 = 900 * second
  private static let hour: Int64 = 3_600 * second
  private static let second: Int64 = 1_000_000_000

  /// A problem that one event begins and another one ends.
  private struct Trouble {
    var event: Control.Event
    var since: Int64
  }

  /// The times of the notifications within the last hour.
  private var shown: [Int64] = []
  private var lastOfTopic: [NoticeTopic: Int64] = [:]
  /// The events that were not shown yet, in order.
  private var waiting: [(topic: NoticeTopic, event: Control.Event)] = []
  /// The number of further events per topic, once enough are waiting.
  private var more: [NoticeTopic: Int] = [:]
  private var troubles: [Trouble] = []

  /// Creates a rule without events.
  public init() {}

  /// Handles an event.
  /// - Parameters:
  ///   - event: The event.
  ///   - now: The time of a clock that never goes back.
  /// - Returns: the notification to show now, if there is one.
  public mutating func take(_ event: Control.Event, at now: Int64) -> Control.Notice? {
    settle(event)
    if begins(event) {
      let isKnown = troubles.contains { Self.covers($0.event, event) }
      // A flood of problems is one: the console shows the list.
      if !isKnown, troubles.count < 1_000 { troubles.append(Trouble(event: event, since: now)) }
    }
    guard let topic = NoticeTopic(event) else { return nil }
    return offer(topic, event, now)
  }

  /// Handles the passing of time.
  /// - Returns: the notification to show now, if there is one.
  public mutating func passed(_ now: Int64) -> Control.Notice? {
    let lasting = troubles.filter { $0.since <= now - Self.lasting }
    // A problem is reported once, and again only if it was over meanwhile.
    for index in troubles.indices where troubles[index].since <= now - Self.lasting {
      troubles[index].since = .max
    }
    for trouble in lasting { wait(.trouble, trouble.event) }
    guard let due = sumDue, due <= now else { return nil }
    return sum(now)
  }

  /// The next time when `passed` may return a notification; nil: not without an event.
  public var next: Int64? {
    let trouble = troubles.map(\.since).min().flatMap { $0 == .max ? nil : $0 + Self.lasting }
    return [sumDue, trouble].compactMap { $0 }.min()
  }

  // MARK: How many

  private mutating func offer(
    _ topic: NoticeTopic, _ event: Control.Event, _ now: Int64
  ) -> Control.Notice? {
    shown.removeAll { $0 <= now - Self.hour }
    let isEarly = lastOfTopic[topic].map { now < $0 + Self.pause } ?? false
    // The last notification of an hour is reserved for the sum of later events.
    guard !isEarly, shown.count < Self.mostAnHour - 1 else {
      wait(topic, event)
      return nil
    }
    shown.append(now)
    lastOfTopic[topic] = now
    return topic.notice(of: event)
  }

  private mutating func wait(_ topic: NoticeTopic, _ event: Control.Event) {
    if waiting.count < 100 {
      waiting.append((topic, event))
    } else {
      more[topic, default: 0] += 1
    }
  }

  /// The time to show the waiting events.
  private var sumDue: Int64? {
    guard !waiting.isEmpty else { return nil }
    let last = (shown.last ?? .min / 2) + Self.pause
    let isFull = shown.count >= Self.mostAnHour
    return isFull ? max(last, shown[shown.count - Self.mostAnHour] + Self.hour) : last
  }

  private mutating func sum(_ now: Int64) -> Control.Notice? {
    defer { (waiting, more) = ([], [:]) }
    guard let first = waiting.first else { return nil }
    shown.removeAll { $0 <= now - Self.hour }
    shown.append(now)
    var counts = more
    for (topic, _) in waiting { counts[topic, default: 0] += 1 }
    for topic in counts.keys { lastOfTopic[topic] = now }
    var notice = first.topic.notice(of: first.event)
    let total = counts.values.reduce(0, +)
    guard total > 1 else { return notice }
    if counts.count == 1 {
      notice.title = first.topic.count(total)
      notice.text += "\nAnd \(total - 1) more."
      return notice
    }
    let parts = NoticeTopic.allCases.compactMap { topic in counts[topic].map { topic.count($0) } }
    return Control.Notice(
      about: "several", title: "\(total) things happened",
      text: parts.joined(separator: ", ") + ".", action: "Show activity",
      show: ["console", "--show", "folders"], command: "cairn events")
  }

  // MARK: Trouble

  private func begins(_ event: Control.Event) -> Bool {
    switch Control.EventKind(rawValue: event.kind) {
    case .problem: event.code != Control.Event.codeOfNews
    case .containerLost, .containerDamaged: true
    default: false
    }
  }

  /// Returns whether two events report the same problem. Each folder reports a lost container, and
  /// then that it does not continue.
  private static func covers(_ one: Control.Event, _ other: Control.Event) -> Bool {
    if one.kind == Control.EventKind.containerLost.rawValue {
      return other.kind == one.kind || other.mount != nil && other.path == nil
    }
    guard one.kind == other.kind else { return false }
    return one.mount == other.mount && one.path == other.path && one.text == other.text
  }

  /// Forgets the problems that an event ends.
  private mutating func settle(_ event: Control.Event) {
    func forget(_ isOver: (Control.Event) -> Bool) { troubles.removeAll { isOver($0.event) } }
    switch Control.EventKind(rawValue: event.kind) {
    case .problemSolved:
      forget {
        $0.mount == event.mount && $0.path == event.path
          && (event.text.hasSuffix($0.text) || event.path != nil)
      }
    case .containerFound: forget { $0.kind == Control.EventKind.containerLost.rawValue }
    case .containerRepaired:
      forget {
        $0.mount == event.mount && $0.kind == Control.EventKind.containerDamaged.rawValue
      }
    // The folder as a whole continues.
    case .exportEnd, .importEnd:
      forget { $0.mount != nil && $0.mount == event.mount && $0.path == nil }
    case .mountPhase where !Self.stopped.contains { event.text.hasSuffix($0) }:
      forget { $0.mount != nil && $0.mount == event.mount && $0.path == nil }
    case .mountRemoved:
      forget { trouble in event.path.map { trouble.isAt($0) } ?? false }
    case .shareStopped, .shareLeft, .shareRevoked:
      forget { $0.mount != nil && $0.mount == event.mount }
    default: break
    }
  }

  /// The phases of a folder that does not continue.
  private static let stopped = [Control.Phase.detached, .offline, .damaged].map(\.rawValue)
}

extension Control.Event {
  /// Returns whether the event is about that folder, or something in it.
  fileprivate func isAt(_ folder: Control.Path) -> Bool {
    guard let path else { return false }
    return path == folder || path.bytes.starts(with: folder.bytes + [UInt8(ascii: "/")])
  }
}

extension Control.Event {
  /// The code of a notice that is no problem.
  public static let codeOfNews = "notice"
}
