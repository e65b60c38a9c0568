import CairnContainer
import CairnReplica
import CairnZone

/// The events of a path, the newest first: those of each record that has or had it.
struct PathEvents {
  /// The events of one record that were read ahead, the newest first.
  private struct Line {
    var id: RecordID
    /// The position from which more is read; nil: there is no more.
    var next: EventPlace?
    var events: ArraySlice<RecordEvent> = []
    /// The last moment that counts.
    var through: UInt64
  }

  private var lines: [Line]

  /// Creates the events of a path's holders up to a moment.
  init(_ holders: PathHolders, through moment: UInt64) {
    lines = holders.all.map { holder in
      let through = min(holder.through, moment)
      return Line(id: holder.id, next: EventPlace(through), through: through)
    }
  }

  /// A Boolean value that indicates whether there may be more events.
  var isMore: Bool { lines.contains { $0.next != nil || !$0.events.isEmpty } }

  /// Returns the next events.
  mutating func next(_ count: Int, in view: PastView) throws -> [RecordEvent] {
    var found: [RecordEvent] = []
    while found.count < count {
      var newest: Int?
      for index in lines.indices {
        while lines[index].events.isEmpty, let place = lines[index].next {
          let most = lines.count == 1 ? count : 16
          let line = lines[index]
          lines[index].next = nil
          lines[index].events = try Self.events(
            of: line.id, before: place, most, view, &lines[index].next
          ).filter { $0.stamp.sequence <= line.through }[...]
        }
        guard let moment = lines[index].events.first?.stamp.sequence else { continue }
        let isNewer = newest.flatMap { lines[$0].events.first }.map { $0.stamp.sequence < moment }
        if isNewer ?? true { newest = index }
      }
      guard let newest else { break }
      found.append(lines[newest].events.removeFirst())
    }
    return found
  }

  /// Returns some events of a record: each version's beginning, and each deletion.
  private static func events(
    of id: RecordID, before place: EventPlace, _ count: Int, _ view: PastView,
    _ next: inout EventPlace?
  ) throws -> [RecordEvent] {
    let through = place.sequence == .max ? place.sequence : place.sequence + 1
    let versions = try view.versions(of: id, before: through, limit: count + 1)
    next = versions.count > count ? versions.last.map { EventPlace($0.began) } : nil
    var events: [RecordEvent] = []
    for (version, before) in zip(versions, versions.dropFirst().map { $0 } + [nil]).prefix(count) {
      if let end = version.end, end.ending == .deleted, end.stamp.sequence < through {
        events.append(RecordEvent(record: id, before: version, after: nil, stamp: end.stamp))
      }
      let isNext = before?.end?.stamp.sequence == version.began
      events.append(
        RecordEvent(
          record: id, before: isNext ? before : nil, after: version, stamp: version.record.changed))
    }
    return events
  }
}
