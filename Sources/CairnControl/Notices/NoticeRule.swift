/// Which events are worth a notice, and when: a few an hour, and the rest summed up; trouble when
/// it has lasted. It knows no clock and nobody who shows notices.
public struct NoticeRule: Sendable {
  /// The most notices within an hour.
  public static let mostAnHour = 4
  /// How long after a notice another one of its topic, or a sum, is shown at the earliest, in
  /// nanoseconds.
  public static let pause: Int64 = 600 * second
  /// How long something is in trouble before that is worth a notice.
  public static let lasting: Int64 = 900 * second
  private static let hour: Int64 = 3_600 * second
  private static let second: Int64 = 1_000_000_000

  /// What of events begins a trouble, or ends one.
  private struct Trouble {
    var event: Control.Event
    var since: Int64
  }

  /// When notices were shown, within the last hour.
  private var shown: [Int64] = []
  private var lastOfTopic: [NoticeTopic: Int64] = [:]
  /// What wasn't shown yet, in the order in which it came.
  private var waiting: [(topic: NoticeTopic, event: Control.Event)] = []
  /// How many more there were, once enough wait.
  private var more: [NoticeTopic: Int] = [:]
  private var troubles: [Trouble] = []

  /// Nothing happened yet.
  public init() {}

  /// Takes an event.
  /// - Parameters:
  ///   - event: What happened.
  ///   - now: The time, by a clock that never goes back.
  /// - Returns: the notice to show now, if there is one.
  public mutating func take(_ event: Control.Event, at now: Int64) -> Control.Notice? {
    settle(event)
    if begins(event) {
      let isKnown = troubles.contains { Self.covers($0.event, event) }
      // A flood of troubles is one: the page shows which.
      if !isKnown, troubles.count < 1_000 { troubles.append(Trouble(event: event, since: now)) }
    }
    guard let topic = NoticeTopic(event) else { return nil }
    return offer(topic, event, now)
  }

  /// What has become due without an event.
  /// - Returns: the notice to show now, if there is one.
  public mutating func passed(_ now: Int64) -> Control.Notice? {
    let lasting = troubles.filter { $0.since <= now - Self.lasting }
    // It is told once, and again only when it was over meanwhile.
    for index in troubles.indices where troubles[index].since <= now - Self.lasting {
      troubles[index].since = .max
    }
    for trouble in lasting { wait(.trouble, trouble.event) }
    guard let due = sumDue, due <= now else { return nil }
    return sum(now)
  }

  /// When `passed` has something to say at the earliest; nil: never, unless something happens.
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
    // The last of an hour is for the sum of what comes after it.
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

  /// When what waits is shown.
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

  /// Whether two events tell of one trouble: that the container is away each folder tells, and then
  /// that it doesn't go on.
  private static func covers(_ one: Control.Event, _ other: Control.Event) -> Bool {
    if one.kind == Control.EventKind.containerLost.rawValue {
      return other.kind == one.kind || other.mount != nil && other.path == nil
    }
    guard one.kind == other.kind else { return false }
    return one.mount == other.mount && one.path == other.path && one.text == other.text
  }

  /// Forgets the troubles that an event ends.
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
    // The folder as a whole goes on.
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

  /// What a folder does that doesn't go on.
  private static let stopped = [Control.Phase.detached, .offline, .damaged].map(\.rawValue)
}

extension Control.Event {
  /// Whether it is about that folder, or something in it.
  fileprivate func isAt(_ folder: Control.Path) -> Bool {
    guard let path else { return false }
    return path == folder || path.bytes.starts(with: folder.bytes + [UInt8(ascii: "/")])
  }
}
