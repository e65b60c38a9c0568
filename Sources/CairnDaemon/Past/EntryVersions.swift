import CairnContainer
import CairnControl
import CairnFolders
import CairnReplica
import CairnZone

/// The versions that the number of an entry can mean for a path. An entry may change several items,
/// and an item may have had other paths, so a number alone names no version.
struct EntryVersions {
  let subject: PastPath
  let view: PastView

  /// The number of events that are read at once.
  private static let portion = 256

  /// Returns the events of an entry that a person can mean.
  /// - Parameters:
  ///   - moment: The moment of the entry.
  ///   - record: Digits of the record's id, as in `VersionName`; nil: each record that had the
  ///     path after the entry, lost it in the entry, or had it at any other time.
  /// - Returns: The events, in no particular order.
  /// - Throws: `IndexFailure` if the index cannot be read.
  func found(at moment: UInt64, record: String?) throws -> [RecordEvent] {
    let places = try subject.places(in: view)
    var found: [RecordEvent] = []
    try forEachEvent(at: moment) { event in
      if let record {
        let id = event.record.description
        if Control.VersionName.isMeant(id, by: record) { found.append(event) }
      } else if try had(event, places) {
        found.append(event)
      }
      return true
    }
    return found
  }

  /// Returns whether an entry did something to more than one item.
  func areSeveral(at moment: UInt64) throws -> Bool {
    var count = 0
    try forEachEvent(at: moment) { _ in
      count += 1
      return count < 2
    }
    return count > 1
  }

  /// Calls `body` for each event of an entry, until it returns false. Changes of a directory's time
  /// are no events.
  private func forEachEvent(at moment: UInt64, _ body: (RecordEvent) throws -> Bool) throws {
    var next: EventPlace? = EventPlace(moment)
    while let place = next {
      let events = try view.events(before: place, deletionsOnly: false, limit: Self.portion)
      let own = events.prefix { $0.sequence == moment }
      next = own.count < Self.portion ? nil : own.last.map { EventPlace(moment, $0.record) }
      for event in own {
        guard let event = try view.event(of: event.record, at: moment), !event.isTouchOfDirectory
        else { continue }
        guard try body(event) else { return }
      }
    }
  }

  /// Returns whether the record of an event has or had the path.
  private func had(_ event: RecordEvent, _ places: [Place]) throws -> Bool {
    let moment = event.stamp.sequence
    if let record = event.after?.record ?? event.before?.record {
      let names = try PastPath.names(
        of: record, at: event.after == nil ? moment - 1 : moment,
        below: subject.mount.scope.base, in: view)
      if names == subject.names { return true }
    }
    return try view.versions(of: event.record, limit: .max).contains { version in
      version.record.place.map(places.contains) ?? places.isEmpty
    }
  }
}
