import CairnControl
import Glibc

/// The form of numbers, times and words for people.
enum Wording {
  /// The beginning of an id, long enough to be unique. Commands accept it.
  static func id(_ whole: String) -> String { String(whole.prefix(12)) }

  /// A count as in `12,345 files`, `1 file`, `3 directories`.
  static func count(_ number: some BinaryInteger, _ one: String, _ many: String) -> String {
    grouped(Int64(number)) + " " + (number == 1 ? one : many)
  }

  /// A number with a comma before each group of three digits.
  static func grouped(_ number: Int64) -> String {
    let digits = Array(String(number.magnitude))
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }

  /// A size as in `987 B`, `12.3 kB`, `4.0 GB`: powers of 1000.
  static func bytes(_ count: Int64) -> String {
    guard count >= 1000 else { return "\(count) B" }
    var tenths = (count / 100, "kB")
    for unit in ["MB", "GB", "TB", "PB", "EB"] where tenths.0 >= 10_000 {
      tenths = (tenths.0 / 1000, unit)
    }
    return "\(tenths.0 / 10).\(tenths.0 % 10) \(tenths.1)"
  }

  /// Local time, to the second.
  static func time(_ time: Control.Time) -> String {
    var seconds = time_t(time.seconds)
    var parts = tm()
    var buffer = [CChar](repeating: 0, count: 32)
    guard localtime_r(&seconds, &parts) != nil else { return time.description }
    let count = strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M:%S", &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The day of a time, as in 2026-12-05.
  static func day(_ time: Control.Time) -> String { String(self.time(time).prefix(10)) }

  /// The sentences about storage that versions need, and that is deleted in two steps: the last day
  /// for a daemon that runs once a day, and the earliest days.
  /// - Parameters:
  ///   - bytes: The size of the versions.
  ///   - from: The time from which no policy keeps them; nil: now.
  /// - Returns: The sentences.
  static func freed(_ bytes: UInt64, from: Control.Time?) -> String {
    let start = from ?? Control.Time.now()
    let grace: Int64 = 7 * 86_400
    func after(_ seconds: Int64) -> Control.Time {
      Control.Time(nanoseconds: (start.seconds + seconds) * 1_000_000_000)
    }
    let size = self.bytes(Int64(clamping: bytes))
    let first = from == nil ? "now" : "on \(day(start))"
    return "The daemon frees \(size) by itself until \(day(after(grace + 86_400))). To free it "
      + "sooner, run `cairn gc` \(first) and again on \(day(after(grace)))."
  }

  /// A permission in the words of `cairn`'s options.
  static func permission(_ permission: Control.Permission) -> String {
    switch permission {
    case .none: "none"
    case .readOnly: "read-only"
    case .readWrite: "read-write"
    }
  }

  /// The sentence about an invited person, and about a changed permission.
  static func invited(_ person: Control.Participant, to title: String) -> String {
    let who = identified(
      person.user, person.handle, person.name, person.verification, goesOn: true)
    let name = "\"\(Output.printable(title))\""
    let end = person.until.map { ", until " + time($0) } ?? ""
    let now = permission(person.permission)
    if let former = person.formerPermission {
      return "\(who) is in \(name) already: changed from \(permission(former)) to \(now)\(end)."
    }
    return person.acceptance == .accepted
      ? "\(who) is in \(name) already: \(now)\(end)."
      : "\(who) is invited to \(name): \(now)\(end)."
  }

  /// The permission of people with the link, in words.
  static func link(_ permission: Control.Permission) -> String {
    permission == .none ? "off" : self.permission(permission)
  }

  /// Writes the amount of history that a person can read beside the current contents.
  static func past(_ past: Control.PastAmount?, _ who: String) {
    guard let past, past.versions > 0 else { return }
    Output.line(
      "\(who) can also read the kept history: "
        + "\(count(past.versions, "version", "versions")), "
        + "\(count(past.deleted, "deleted file", "deleted files")).")
  }

  /// Writes the amount of history that is kept and hidden from a person.
  static func hidden(_ past: Control.PastAmount?, _ who: String) {
    guard let past else { return }
    Output.line(
      "\(who) see the current contents and later changes, but no history: "
        + "\(count(past.versions, "version", "versions")), "
        + "\(count(past.deleted, "deleted file", "deleted files")) are hidden from them.")
  }

  /// The phase of a folder in words.
  static func phase(_ phase: Control.Phase) -> String {
    switch phase {
    case .idle: "up to date"
    case .held: "pending deletions"
    case .detached: "missing"
    case .starting, .scanning, .sending, .receiving, .waiting, .offline, .paused, .damaged:
      phase.rawValue
    }
  }

  /// The start and the end of a pause.
  static func pause(_ paused: Control.Paused) -> String {
    "since \(time(paused.since))" + (paused.until.map { " until \(time($0))" } ?? "")
  }

  /// A role in words.
  static func role(_ role: Control.Role) -> String {
    switch role {
    case .owner: "owner"
    case .administrator: "administrator"
    case .privateUser: "participant"
    case .publicUser: "by link"
    }
  }

  /// A person: handle and name, or the id if neither is known.
  static func person(_ user: String?, _ handle: String?, _ name: String?) -> String {
    switch (handle, name) {
    case (let handle?, let name?): Output.printable(name) + " (" + Output.printable(handle) + ")"
    case (let handle?, nil): Output.printable(handle)
    case (nil, let name?): Output.printable(name)
    case (nil, nil): user ?? "unknown"
    }
  }

  /// A person who has a file open, as in `open by Ana (ana) on laptop since 2026-11-28 10:12:00`.
  static func open(_ opener: Control.Opener) -> String {
    let person = person(opener.person.user, opener.person.handle, opener.person.name)
    return "open by \(person) on \(Output.printable(opener.device)) since \(time(opener.since))"
  }

  /// A person by name, handle and the beginning of their id, with the certainty: claims beside the
  /// fact that nobody can forge. If the sentence `goesOn`, the text ends with another comma.
  static func identified(
    _ user: String?, _ handle: String?, _ name: String?, _ verification: Control.Verification?,
    claimedBy: Int? = nil, goesOn: Bool = false
  ) -> String {
    var words = [person(user, handle, name)]
    if handle != nil || name != nil, let user { words.append(id(user)) }
    let sure = sureness(verification, claimedBy: claimedBy, isHidden: false)
    if !sure.isEmpty { words.append(sure) }
    return words.joined(separator: ", ") + (goesOn && words.count > 1 ? "," : "")
  }

  /// The same for a person in a reply.
  static func identified(_ person: Control.Person, goesOn: Bool = false) -> String {
    identified(
      person.user, person.handle, person.name, person.verification, claimedBy: person.claimedBy,
      goesOn: goesOn)
  }

  /// The certainty of a person's identity in words; empty for the person themself.
  static func sureness(
    _ verification: Control.Verification?, claimedBy: Int?, isHidden: Bool
  ) -> String {
    var words: [String] = []
    switch verification {
    case .verified: words.append("verified")
    case .notVerified: words.append("not verified")
    case .changed: words.append("CHANGED")
    case nil: break
    }
    if let claimedBy, claimedBy > 1 { words.append("handle claimed by \(claimedBy)") }
    if isHidden { words.append("NOT IN THE CONTAINER") }
    return words.joined(separator: ", ")
  }
}
