import CairnControl
import CairnZone
import FoundationEssentials
import Glibc
import Synchronization

/// The shares that ended for this person, and where their folders were, as it stands in the home:
/// whoever looks days later, or asks for the same a second time, is told what became of them. It
/// must not know how a share ends.
final class EndedShares: Sendable {
  private struct Entry: Codable {
    var zone: String
    var event: Control.Event
  }

  /// How many are remembered, and how many are told of by themselves, for how long.
  private static let (limit, toldOf, month) = (100, 10, Int64(30 * 24 * 3_600))
  private let path: String
  private let entries: Mutex<[Entry]>

  init(_ home: Home) {
    path = home.ended
    // It only says what was: where it can't be read nothing else is different.
    let entries = try? JSONDecoder().decode(
      [Entry].self, from: Data(contentsOf: URL(filePath: home.ended)))
    self.entries = Mutex(
      (entries ?? []).map { entry in
        var entry = entry
        // The number was of another run of the daemon.
        entry.event.number = 0
        return entry
      })
  }

  /// A share ended, as the event says.
  func add(_ zone: ZoneID, _ event: Control.Event) {
    change { entries in
      entries.removeAll { $0.zone == zone.description }
      entries.append(Entry(zone: zone.description, event: event))
      entries.removeFirst(max(0, entries.count - Self.limit))
    }
  }

  /// A zone has a folder, or a share, again.
  func drop(_ zone: ZoneID) {
    let text = zone.description
    guard entries.withLock({ $0.contains { $0.zone == text } }) else { return }
    change { $0.removeAll { $0.zone == text } }
  }

  /// The newest ends, the last one last.
  var newest: [Control.Event] {
    let oldest = Control.Time.now().seconds - Self.month
    return entries.withLock { $0.map(\.event) }.filter { $0.time.seconds >= oldest }
      .suffix(Self.toldOf)
  }

  /// That what is at a path was in a share that ended; nil if it wasn't.
  func refusal(at path: Control.Path) -> ControlError? {
    let slash = UInt8(ascii: "/")
    let found = entries.withLock { entries in
      entries.last { entry in
        guard let folder = entry.event.path?.bytes else { return false }
        return path.bytes == folder || path.bytes.starts(with: folder + [slash])
      }
    }
    return found.map { Self.refusal("\(path) isn't mirrored any more", $0, path) }
  }

  /// That the zone whose id begins so is that of a share that ended; nil if it isn't.
  func refusal(ofZone text: String) -> ControlError? {
    let found = entries.withLock { $0.filter { beginsAsTyped($0.zone, text) } }
    guard found.count == 1, let entry = found.first else { return nil }
    return Self.refusal("The share \(text) is over for you", entry, nil)
  }

  private static func refusal(
    _ what: String, _ entry: Entry, _ path: Control.Path?
  ) -> ControlError {
    ControlError(
      .zoneNotFound, Failures.sentence("\(what): \(entry.event.text)"),
      remedy: "Nothing is left to do: `cairn rescue list` shows what only your folder had. Who "
        + "may invite can let you in again.", path: path)
  }

  private func change(_ body: (inout [Entry]) -> Void) {
    entries.withLock { entries in
      body(&entries)
      // Whoever asks while the daemon runs is told all the same; the disk's trouble is told
      // elsewhere.
      try? JSONEncoder().encode(entries).write(to: URL(filePath: path), options: .atomic)
      chmod(path, 0o600)
    }
  }
}
