import CairnControl
import Glibc

/// How numbers, times and words of the model are written for people.
enum Wording {
  /// The beginning of an id, as much as nobody mistakes for another; commands take it.
  static func id(_ whole: String) -> String { String(whole.prefix(12)) }

  /// As in `12,345 files`, `1 file`, `3 directories`.
  static func count(_ number: some BinaryInteger, _ one: String, _ many: String) -> String {
    grouped(Int64(number)) + " " + (number == 1 ? one : many)
  }

  /// With a comma before each group of three digits.
  static func grouped(_ number: Int64) -> String {
    let digits = Array(String(number.magnitude))
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }

  /// As in `987 B`, `12.3 kB`, `4.0 GB`: powers of 1000.
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

  /// A permission as the options of `cairn` name it.
  static func permission(_ permission: Control.Permission) -> String {
    switch permission {
    case .none: "none"
    case .readOnly: "read-only"
    case .readWrite: "read-write"
    }
  }

  /// Writes what somebody can read beside what is there now.
  static func past(_ past: Control.PastAmount?, _ who: String) {
    guard let past, past.versions > 0 else { return }
    Output.line(
      "\(who) can also read what is kept of the past: "
        + "\(count(past.versions, "version", "versions")), "
        + "\(count(past.deleted, "deleted file", "deleted files")).")
  }

  /// Writes what is kept of the past, and isn't shown to somebody.
  static func hidden(_ past: Control.PastAmount?, _ who: String) {
    guard let past else { return }
    Output.line(
      "\(who) see what is in the folder from now on, and nothing of its past: "
        + "\(count(past.versions, "version", "versions")), "
        + "\(count(past.deleted, "deleted file", "deleted files")) are kept from them.")
  }

  /// Since when something is paused, and until when.
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

  /// A person: handle and name, or the id where neither is known.
  static func person(_ user: String?, _ handle: String?, _ name: String?) -> String {
    switch (handle, name) {
    case (let handle?, let name?): Output.printable(name) + " (" + Output.printable(handle) + ")"
    case (let handle?, nil): Output.printable(handle)
    case (nil, let name?): Output.printable(name)
    case (nil, nil): user ?? "unknown"
    }
  }

  /// A person by name, handle and the beginning of their id, with how sure one can be of them: what
  /// anybody can claim beside what nobody can. If a sentence `goesOn` behind it, it ends with
  /// another comma.
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

  /// The same of a person as the daemon tells of them.
  static func identified(_ person: Control.Person, goesOn: Bool = false) -> String {
    identified(
      person.user, person.handle, person.name, person.verification, claimedBy: person.claimedBy,
      goesOn: goesOn)
  }

  /// How sure one can be of somebody, in words; empty of oneself.
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
