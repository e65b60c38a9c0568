import CairnCloud
import CairnControl
import CairnZone

/// Tells the entries of a zone's log.
struct LogTeller {
  let one: OpenContainer
  let persons: Persons

  private static let logLimit = 1_000

  func entries(
    of zone: Zone, _ request: Control.Log, below name: [UInt8]? = nil,
    in base: RecordID = .root
  ) throws -> [Control.LogEntry] {
    try zone.pull()
    let limit = max(1, request.limit ?? Self.logLimit)
    let head = zone.header.sequence
    let since = request.since ?? (head > UInt64(limit) ? head - UInt64(limit) : 0)
    let commits = try zone.log(after: since, limit: limit)
    let title = zone.header.share?.title ?? zone.header.genesis?.name ?? ""
    return try zone.read { view in
      var history = ZoneHistory(view: view) { user in
        let person = persons.told(user)
        return person.handle ?? person.user
      }
      let record = try name.flatMap { try Self.record(at: $0, in: base, view) }
      let path = try record.flatMap { try history.path(of: $0) } ?? name
      return try commits.compactMap { commit in
        var changes = try history.changes(commit)
        if let path {
          let inside = path + [UInt8(ascii: "/")]
          changes.removeAll { change in
            let bytes = change.path?.bytes ?? []
            // Under whatever name it stood then.
            let isIt = change.record != nil && change.record == record?.description
            return !isIt && bytes != path && !bytes.starts(with: inside)
          }
          guard !changes.isEmpty else { return nil }
        }
        return Control.LogEntry(
          zone: zone.id.description, title: title, sequence: commit.sequence,
          object: commit.object, time: Control.Time(nanoseconds: commit.time),
          author: commit.author.map { persons.told($0.user) },
          device: commit.author.flatMap(device),
          changes: changes, problem: commit.refusal)
      }
    }
  }

  private static func record(
    at path: [UInt8], in base: RecordID, _ view: ZoneView
  ) throws -> RecordID? {
    var record = base
    for part in path.split(separator: UInt8(ascii: "/")) {
      guard let name = FileName(part), let child = try view.child(of: record, named: name) else {
        return nil
      }
      record = child
    }
    return record
  }

  /// The name of the device that signed, if its person can be asked.
  private func device(_ author: Author) -> String? {
    do { return try one.container.people.person(author.user)?.devices[author.device]?.name } catch {
      return nil
    }
  }
}
