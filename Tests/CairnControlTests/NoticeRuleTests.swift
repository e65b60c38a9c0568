import CairnControl
import Testing

/// The events that cause a desktop notification, and the number of notifications in an hour.
@Suite struct NoticeRuleTests {
  private static let minute: Int64 = 60_000_000_000

  /// A rule and its clock.
  private struct Play {
    var rule = NoticeRule()
    var now: Int64 = 5 * minute
    var number: UInt64 = 0

    /// Plays an event. Returns the notification for it.
    mutating func happens(
      _ kind: Control.EventKind, mount: String? = "m", path: Control.Path? = "/A/file",
      text: String = "text", by: Control.Person? = nil, code: String? = nil,
      container: String? = nil
    ) -> Control.Notice? {
      number += 1
      var event = Control.Event(
        number: number, time: .now(), kind: kind.rawValue, mount: mount, path: path, text: text,
        by: by, code: code)
      event.containerName = container
      return rule.take(event, at: now)
    }

    /// Lets time pass. Returns the shown notifications, with the minutes since the beginning.
    mutating func pass(_ minutes: Int64) -> [(Int64, Control.Notice)] {
      let end = now + minutes * NoticeRuleTests.minute
      var shown: [(Int64, Control.Notice)] = []
      while let next = rule.next, next <= end {
        now = max(now, next)
        if let notice = rule.passed(now) {
          shown.append((now / NoticeRuleTests.minute, notice))
        }
      }
      now = end
      return shown
    }
  }

  private let ana = Control.Person(user: "aa", handle: "ana", name: "Ana")

  @Test func `a notification names the container where there are several`() {
    var play = Play()
    #expect(
      play.happens(.requestReceived, path: nil, text: "bob asks", container: "office")?.text
        == "office: Bob asks")
    #expect(play.happens(.conflict, container: "office")?.text.hasPrefix("office: ") == true)
    #expect(play.happens(.invitationReceived, text: "x")?.text.contains("office") == false)
  }

  @Test func `an invitation, a conflict, an end and held deletions are shown at once`() {
    for (kind, by, section) in [
      (Control.EventKind.invitationReceived, ana, "people"), (.conflict, nil, "conflicts"),
      (.shareRevoked, ana, "people"), (.shareStopped, ana, "people"),
      (.deletionsHeld, nil, "held"), (.requestReceived, nil, "people"),
      (.dropReceived, nil, "people"),
      (.changesMany, nil, "activity"), (.userChanged, nil, "people"),
      (.shareRights, ana, "people"), (.shareClaimed, ana, "people"),
    ] as [(Control.EventKind, Control.Person?, String)] {
      var play = Play()
      let notice = play.happens(kind, text: "ana did it", by: by)
      #expect(notice?.about == kind.rawValue)
      #expect(notice?.show.prefix(3) == ["console", "--show", section])
      #expect(notice?.text.lowercased().hasSuffix("ana did it") == true)
      #expect(notice?.command.hasPrefix("cairn ") == true)
      #expect(play.rule.next == nil)
    }
  }

  @Test func `nothing else is shown, and neither are the person's own actions`() {
    let told: Set<Control.EventKind> = [
      .invitationReceived, .conflict, .shareRevoked, .shareStopped, .deletionsHeld,
      .requestReceived, .dropReceived, .changesMany, .userChanged, .shareRights, .shareClaimed,
    ]
    for kind in Control.EventKind.allCases where !told.contains(kind) {
      var play = Play()
      #expect(play.happens(kind) == nil)
    }
    let own: [Control.EventKind] = [
      .shareStopped, .shareRevoked, .shareLeft, .shareRights, .shareClaimed,
    ]
    for kind in own {
      var play = Play()
      #expect(play.happens(kind, by: nil) == nil)
      #expect(play.rule.next == nil)
    }
  }

  @Test func `a thousand conflicts are two notifications, and the second one sums up`() {
    var play = Play()
    var shown = 0
    for number in 0..<1_000 {
      if play.happens(.conflict, path: .init("/A/\(number)")) != nil { shown += 1 }
    }
    #expect(shown == 1)
    let later = play.pass(600)
    #expect(later.count == 1)
    #expect(later.first?.0 == 15)
    #expect(later.first?.1.title == "999 conflicts")
    #expect(later.first?.1.text.contains("/A/1:") == true)
    #expect(later.first?.1.text.hasSuffix("And 998 more.") == true)
  }

  @Test func `an event of another kind is shown at once, whatever waits`() {
    var play = Play()
    for _ in 0..<100 { _ = play.happens(.conflict) }
    #expect(play.happens(.shareRevoked, by: ana)?.about == "share.revoked")
    #expect(play.pass(600).map(\.1.title) == ["99 conflicts"])
  }

  @Test func `any hour has four notifications at most, and nothing is left out`() {
    var play = Play()
    var times: [Int64] = []
    var told = 0
    let kinds: [Control.EventKind] = [
      .conflict, .deletionsHeld, .invitationReceived, .changesMany, .userChanged,
    ]
    for minute in 0..<600 {
      if let notice = play.happens(kinds[minute % kinds.count], path: .init("/A/\(minute)")) {
        times.append(play.now / Self.minute)
        told += Self.count(notice)
      }
      for (time, notice) in play.pass(1) {
        times.append(time)
        told += Self.count(notice)
      }
    }
    for (_, notice) in play.pass(120) { told += Self.count(notice) }
    #expect(told == 600)
    for (index, time) in times.enumerated() {
      let inHour = times[index...].count { $0 < time + 60 }
      #expect(inHour <= NoticeRule.mostAnHour, "\(inHour) from minute \(time) on")
    }
    #expect(times.count >= 30)
  }

  /// Returns the number of events in a notification.
  private static func count(_ notice: Control.Notice) -> Int {
    Int(notice.title.prefix { $0.isNumber }) ?? 1
  }

  @Test func `a problem is shown once it has lasted, and only once`() {
    var play = Play()
    #expect(play.happens(.problem, text: "it is full", code: "quotaExceeded") == nil)
    #expect(play.happens(.problem, text: "it is full", code: "quotaExceeded") == nil)
    let shown = play.pass(600)
    #expect(shown.map(\.0) == [20])
    #expect(shown.first?.1.about == "trouble")
    #expect(shown.first?.1.text == "/A/file: it is full")
    #expect(play.happens(.problemSolved, text: "in order again: it is full") == nil)
    #expect(play.happens(.problem, text: "it is full", code: "quotaExceeded") == nil)
    #expect(play.pass(600).count == 1)
  }

  @Test func `a problem that ends by itself isn't shown, and neither is mere information`() {
    let ends: [(Control.EventKind, Control.Path?, Control.EventKind, Control.Path?, String)] = [
      (.problem, "/A/file", .problemSolved, "/A/file", "in order again: text"),
      (.problem, nil, .mountPhase, nil, "detached → idle"), (.problem, nil, .exportEnd, "/A", ""),
      (.problem, nil, .importEnd, "/A", ""), (.problem, "/A/file", .mountRemoved, "/A", ""),
      (.problem, "/A/file", .shareRevoked, "/A", ""),
      (.containerLost, nil, .containerFound, nil, ""),
      (.containerDamaged, "/A", .containerRepaired, "/A", ""),
    ]
    for (kind, path, end, endPath, text) in ends {
      var play = Play()
      #expect(play.happens(kind, path: path) == nil)
      #expect(play.rule.next != nil)
      #expect(play.pass(10).isEmpty)
      _ = play.happens(end, path: endPath, text: text)
      #expect(play.rule.next == nil, "\(kind), \(end)")
      #expect(play.pass(600).isEmpty)
    }
    var play = Play()
    _ = play.happens(.problem, path: nil)
    _ = play.happens(.mountPhase, path: nil, text: "idle → detached")
    #expect(play.pass(60).count == 1)
    var other = Play()
    #expect(other.happens(.problem, code: Control.Event.codeOfNews) == nil)
    #expect(other.rule.next == nil)
  }

  @Test func `an absent container is one problem for any number of folders`() {
    var play = Play()
    for mount in ["a", "b", "c"] {
      _ = play.happens(.containerLost, mount: mount, path: nil, text: "it is away")
      _ = play.happens(.problem, mount: mount, path: nil, text: "it can't be read")
    }
    let shown = play.pass(600)
    #expect(shown.map(\.1.title) == ["A problem lasts"])
    #expect(shown.first?.1.text == "It is away")
  }

  @Test func `other people's text has no line of its own, and no control characters`() {
    var play = Play()
    let notice = play.happens(
      .conflict, path: .init("/A/a\nb\u{1B}[31m"), text: "both\u{202E} sides\n\u{7}")
    let text = notice.map { $0.title + $0.text } ?? ""
    #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
    #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .format })
  }
}
