import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnZone

/// Returns the entries of a zone's log for answers.
struct LogPresenter {
  let one: OpenContainer
  let persons: Persons

  private static let logLimit = 1_000
  /// The number of entries that are read at a time: one may have thousands of changes.
  private static let portion = 8

  /// The wanted subject of an entry.
  private struct Subject {
    var record: RecordID?
    var path: [UInt8]
  }

  /// Reads the requested entries in their order, a few at a time.
  /// - Parameters:
  ///   - zone: The zone of the log.
  ///   - request: The place to begin after, and the number of entries.
  ///   - name: A path; only changes of it and everything below are returned.
  ///   - base: The directory in which the path begins.
  ///   - body: A function that receives each portion.
  /// - Throws: `CloudError` if the log is unreadable after its known part; an unavailable container
  ///   is no reason, because `status` reports it.
  func forEachPortion(
    of zone: Zone, _ request: Control.Log, below name: [UInt8]? = nil, in base: RecordID = .root,
    _ body: ([Control.LogEntry]) throws -> Void
  ) throws {
    // The known part is returned even while the container is unavailable, or the log is stopped.
    let pulled = Result {
      do { try zone.pull() } catch let error as CloudError {
        guard error.isAway else { throw error }
      }
    }
    let limit = UInt64(max(1, request.limit ?? Self.logLimit))
    let head = zone.header.sequence
    var place = request.since ?? (head > limit ? head - limit : 0)
    var left = min(limit, head > place ? head - place : 0)
    var history: ZoneHistory?
    while left > 0 {
      let portion = min(Self.portion, Int(left))
      let commits = try zone.log(after: place, limit: portion)
      place += UInt64(portion)
      left -= UInt64(portion)
      let entries = try zone.read { view in
        var known = history ?? ZoneHistory(view: view, person: called)
        known.view = view
        defer { history = known }
        return try tell(commits, of: zone, name.map { try subject($0, in: base, known) }, &known)
      }
      if !entries.isEmpty { try body(entries) }
    }
    try pulled.get()
  }

  private func called(_ user: UserID) -> String {
    let person = persons.told(user)
    return person.handle ?? person.user
  }

  private func subject(
    _ name: [UInt8], in base: RecordID, _ history: ZoneHistory
  ) throws -> Subject {
    let record = try Self.record(at: name, in: base, history.view)
    return Subject(record: record, path: try record.flatMap { try history.path(of: $0) } ?? name)
  }

  private func tell(
    _ commits: [LoggedCommit], of zone: Zone, _ subject: Subject?, _ history: inout ZoneHistory
  ) throws -> [Control.LogEntry] {
    let title = zone.header.share?.title ?? zone.header.genesis?.name ?? ""
    return try commits.compactMap { commit in
      var changes = try history.changes(commit)
      if let subject {
        let inside = subject.path + [UInt8(ascii: "/")]
        changes.removeAll { change in
          let bytes = change.path?.bytes ?? []
          // By any name that it had then.
          let isIt = change.record != nil && change.record == subject.record?.description
          return !isIt && bytes != subject.path && !bytes.starts(with: inside)
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

  /// Returns the name of the device that signed, if its person is readable.
  private func device(_ author: Author) -> String? {
    do { return try one.container.people.person(author.user)?.devices[author.device]?.name } catch {
      return nil
    }
  }
}
