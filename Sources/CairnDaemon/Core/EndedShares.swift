import CairnContainer
import CairnControl
import CairnZone
import FoundationEssentials
import Glibc
import Synchronization

/// The shares that ended for this person, and the paths of their folders, saved in the home. A
/// person who looks days later, or calls the same command again, learns what became of them. The
/// end itself is detected elsewhere.
final class EndedShares: Sendable {
  private struct Entry: Codable {
    var zone: String
    /// The report; nil while the end is only begun.
    var event: Control.Event?
    /// The link to the share, if this person left it.
    var link: String?
    /// The command that began the end, until it is answered.
    var asked: Asked?
    /// True after the answer to that command: its person knows of the end.
    var isAnswered: Bool?
  }

  /// A command that ends a share, with its answer. A daemon that ends in the middle leaves it: the
  /// same command gets this answer later.
  private struct Asked: Codable {
    var operation: String
    var path: Control.Path?
    var answer: Data
  }

  /// The number of remembered shares, and of those reported without a request, and the time of
  /// these reports.
  private static let (limit, toldOf, month) = (100, 10, Int64(30 * 24 * 3_600))
  private let path: String
  private let entries: Mutex<[Entry]>

  init(_ home: Home) {
    path = home.ended
    // It only describes the past: if it is unreadable, nothing else changes.
    let entries = try? JSONDecoder().decode(
      [Entry].self, from: Data(contentsOf: URL(filePath: home.ended)))
    self.entries = Mutex(
      (entries ?? []).map { entry in
        var entry = entry
        // The number was of another run of the daemon.
        entry.event?.number = 0
        return entry
      })
  }

  /// Adds a share that ended, with the event, and with its link if this person left it.
  func add(_ zone: ZoneID, _ event: Control.Event, link: String? = nil) {
    replace(zone) { ($0.event, $0.link) = (event, link) }
  }

  /// Looks up the link to a share that this person left within the grace period.
  /// - Parameter text: The id of the share, its beginning, or the path that its folder had.
  /// - Returns: The link; nil if there is no such share.
  func link(leftAs text: String) -> String? {
    entries.withLock { entries in
      entries.last { entry in
        guard Self.mayReturn(entry) else { return false }
        return entry.event?.path?.bytes == Array(text.utf8) || beginsAsTyped(entry.zone, text)
      }?.link
    }
  }

  private static func mayReturn(_ entry: Entry) -> Bool {
    guard entry.link != nil, let time = entry.event?.time else { return false }
    return abs(Control.Time.now().nanoseconds - time.nanoseconds) < AccessRequests.grace
  }

  private func replace(_ zone: ZoneID, _ body: (inout Entry) -> Void) {
    change { entries in
      var entry =
        entries.last { $0.zone == zone.description } ?? Entry(zone: zone.description)
      body(&entry)
      entries.removeAll { $0.zone == zone.description }
      entries.append(entry)
      entries.removeFirst(max(0, entries.count - Self.limit))
    }
  }

  /// Notes that a command is about to end a share, with the answer that it will get.
  func begin<Reply: Encodable>(
    _ zone: ZoneID, _ operation: String, at path: Control.Path?, _ reply: Reply
  ) {
    // Without the note the command works as well; only its repetition would be refused.
    guard let answer = try? JSONEncoder().encode(reply) else { return }
    replace(zone) { $0.asked = Asked(operation: operation, path: path, answer: answer) }
  }

  /// Notes that the command got its answer: the next one hears that the share is over.
  func answer(_ zone: ZoneID) {
    change { entries in
      for number in entries.indices where entries[number].zone == zone.description {
        if entries[number].asked != nil { entries[number].isAnswered = true }
        entries[number].asked = nil
      }
      entries.removeAll { $0.event == nil && $0.asked == nil }
    }
  }

  /// Returns the answer of a command that ended a share and that nobody got, because the daemon
  /// ended in the middle; nil if there is none.
  /// - Returns: The zone, the answer, and whether the end was reported already.
  func unanswered<Reply: Decodable>(
    _ operation: String, _ reference: Control.ShareReference, _ type: Reply.Type
  ) -> (zone: ZoneID, reply: Reply, isTold: Bool)? {
    let found = entries.withLock { entries in
      entries.last { entry in
        guard let asked = entry.asked, asked.operation == operation else { return false }
        switch reference {
        case .path(let path): return asked.path == path
        case .id(let text): return beginsAsTyped(entry.zone, text)
        }
      }
    }
    guard let found, let asked = found.asked, let zone = ZoneID(hexadecimal: found.zone),
      // A note that another version wrote, and that can't be read, is none.
      let reply = try? JSONDecoder().decode(type, from: asked.answer)
    else { return nil }
    return (zone, reply, found.event != nil)
  }

  /// Removes a zone that has a folder, or a share, again.
  func drop(_ zone: ZoneID) {
    let text = zone.description
    guard entries.withLock({ $0.contains { $0.zone == text } }) else { return }
    change { $0.removeAll { $0.zone == text } }
  }

  /// The newest ends, the last one last. Those that a command of this device answered are left out:
  /// the person who ended a share themself isn't told of it again.
  var newest: [Control.Event] {
    let oldest = Control.Time.now().seconds - Self.month
    let untold = entries.withLock { $0.filter { $0.isAnswered != true } }
    return untold.compactMap(\.event).filter { $0.time.seconds >= oldest }.suffix(Self.toldOf)
  }

  /// Returns the error for a path that was in a share which ended; nil if it wasn't.
  func refusal(at path: Control.Path) -> ControlError? {
    let slash = UInt8(ascii: "/")
    let found = entries.withLock { entries in
      entries.last { entry in
        guard let folder = entry.event?.path?.bytes else { return false }
        return path.bytes == folder || path.bytes.starts(with: folder + [slash])
      }
    }
    return found.flatMap { Self.refusal("\(path) isn't mirrored any more", $0, path) }
  }

  /// Returns the error for a zone id, or its beginning, of a share that ended; nil if it isn't one.
  func refusal(ofZone text: String) -> ControlError? {
    let found = entries.withLock { $0.filter { beginsAsTyped($0.zone, text) } }
    guard found.count == 1, let entry = found.first else { return nil }
    return Self.refusal("The share \(text) is over for you", entry, nil)
  }

  private static func refusal(
    _ what: String, _ entry: Entry, _ path: Control.Path?
  ) -> ControlError? {
    guard let event = entry.event else { return nil }
    let back =
      mayReturn(entry)
      ? "If that was an accident, run `cairn share accept \(entry.zone.prefix(8))`."
      : "Who may invite can let you in again."
    return ControlError(
      .zoneNotFound, Failures.sentence("\(what): \(event.text)"),
      remedy: "Nothing is left to do: `cairn rescue list` shows what only your folder had. \(back)",
      path: path)
  }

  private func change(_ body: (inout [Entry]) -> Void) {
    entries.withLock { entries in
      body(&entries)
      // Requests to the running daemon still get it; disk problems are reported elsewhere.
      try? JSONEncoder().encode(entries).write(to: URL(filePath: path), options: .atomic)
      chmod(path, 0o600)
    }
  }
}
