import CairnIndex
import CairnReplica
public import CairnZone

/// The tree at earlier points in time, and the events in it.
extension PastView {
  /// Returns the present contents of a directory.
  public func children(of directory: RecordID) throws -> [RecordID] {
    try present.children(of: directory)
  }

  /// Returns the record that has a name in a directory now.
  public func child(of parent: RecordID, named name: FileName) throws -> RecordID? {
    try present.child(of: parent, named: name)
  }

  /// Returns the record that had a name in a directory at a point in time.
  public func child(
    of parent: RecordID, named name: FileName, at moment: UInt64
  ) throws -> RecordID? {
    guard isJoined else { return try present.child(of: parent, named: name, at: moment) }
    var found: RecordID?
    try forEachLayer { view, lowered, layer in
      guard found == nil,
        let id = try view.child(
          of: lowered(parent), named: name, at: placeOfLayer(moment, layer)
        ).flatMap({ raisedID($0, layer) })
      else { return }
      if try stood(id, Place(parent: parent, name: name), at: moment) { found = id }
    }
    return found
  }

  private func stood(_ id: RecordID, _ place: Place, at moment: UInt64) throws -> Bool {
    try version(of: id, at: moment)?.record.place == place
  }

  /// Returns some of the contents of a directory at a point in time, like `ZoneView.children`.
  public func children(
    of parent: RecordID, at moment: UInt64, after name: [UInt8], limit: Int
  ) throws -> [(name: [UInt8], id: RecordID)] {
    guard isJoined else {
      return try present.children(of: parent, at: moment, after: name, limit: limit)
    }
    var (found, after) = ([(name: [UInt8], id: RecordID)](), name)
    while found.count < limit {
      // The page ends at the first name after which one of the zones may have more.
      var (page, end): ([(name: [UInt8], id: RecordID)], [UInt8]?) = ([], nil)
      try forEachLayer { view, lowered, layer in
        let children = try view.children(
          of: lowered(parent), at: placeOfLayer(moment, layer), after: after, limit: limit)
        page += children.compactMap { child in
          raisedID(child.id, layer).map { (child.name, $0) }
        }
        guard children.count == limit, let last = children.last?.name else { return }
        end = end.map { $0.lexicographicallyPrecedes(last) ? $0 : last } ?? last
      }
      var seen: Set<RecordID> = []
      for child in page.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
        if let end, end.lexicographicallyPrecedes(child.name) { break }
        guard let name = FileName(child.name), seen.insert(child.id).inserted,
          try stood(child.id, Place(parent: parent, name: name), at: moment)
        else { continue }
        found.append(child)
      }
      guard let end else { break }
      after = end
    }
    return Array(found.prefix(limit))
  }

  /// Returns the last version that was at a position in the tree and moved away or was deleted, up
  /// to a moment.
  public func lastVersion(
    thatLeft place: Place, by moment: UInt64 = .max
  ) throws -> RecordVersion? {
    guard isJoined else { return try present.lastVersion(thatLeft: place, by: moment) }
    var last: RecordVersion?
    try forEachLayer { view, lowered, layer in
      var through = placeOfLayer(moment, layer)
      // Records that moved to another zone don't count as gone.
      for _ in 0..<20 {
        let version = try view.state.versions.last(
          thatLeft: Place(parent: lowered(place.parent), name: place.name), by: through)
        guard let version, let end = version.end?.stamp.sequence else { return }
        through = end - 1
        guard let id = raisedID(version.record.id, layer) else { continue }
        let found = try versions(of: id, limit: .max).first {
          $0.record.place == place
            && $0.end.map { $0.ending != .changed && $0.stamp.sequence <= moment } ?? false
        }
        guard let found, let ended = found.end?.stamp.sequence else { continue }
        if (last?.end?.stamp.sequence ?? 0) < ended { last = found }
        return
      }
    }
    return last
  }

  /// Returns the events of records, the newest first, like `ZoneView.events`.
  public func events(
    before place: EventPlace, deletionsOnly: Bool, limit: Int
  ) throws -> [(record: RecordID, sequence: UInt64, isGone: Bool)] {
    guard isJoined else {
      return try present.events(before: place, deletionsOnly: deletionsOnly, limit: limit)
    }
    var all: [(record: RecordID, sequence: UInt64, isGone: Bool)] = []
    try forEachLayer { view, lowered, layer in
      let sequence = placeOfLayer(place.sequence, layer)
      let isExact = momentOfLayer(sequence, layer) == place.sequence
      let before = EventPlace(sequence, isExact ? place.record.map(lowered) : nil)
      let found = try view.events(before: before, deletionsOnly: deletionsOnly, limit: limit)
      all += found.compactMap { event in
        raisedID(event.record, layer).map {
          ($0, momentOfLayer(event.sequence, layer), event.isGone)
        }
      }
    }
    all.sort { ($1.sequence, $1.record) < ($0.sequence, $0.record) }
    return Array(all.prefix(limit))
  }

  /// Returns the effect of an entry on a record; nil if there is none, or if the entry only moved
  /// the record to another zone. References that replaced the record for some time aren't reported.
  public func event(of id: RecordID, at moment: UInt64) throws -> RecordEvent? {
    guard isJoined else { return try present.event(of: id, at: moment) }
    let all = try versions(of: id, limit: .max)
    let after = all.first { $0.began == moment }
    let before = all.first { $0.end?.stamp.sequence == moment }
    guard let stamp = after?.record.changed ?? before?.end?.stamp,
      (after ?? before)?.record.type != .reference
    else { return nil }
    return RecordEvent(record: id, before: before, after: after, stamp: stamp)
  }

  /// Calls `body` once for each record that was changed or deleted after a point in time.
  public func forEachChange(after moment: UInt64, _ body: (RecordID) throws -> Void) throws {
    var seen: Set<RecordID> = []
    try forEachLayer { view, _, layer in
      var place = placeOfLayer(moment, layer)
      let end = min(view.header.sequence, placeOfLayer(.max, layer))
      while place < end {
        let (ids, through) = try view.changes(after: place, limit: 512)
        for id in ids where id != .root {
          guard let id = raisedID(id, layer), id != .root, seen.insert(id).inserted else {
            continue
          }
          try body(id)
        }
        place = through
      }
    }
  }

  /// Returns the entries of the zone's own log, since a point in time, that replaced records by a
  /// reference to another zone, or the reverse.
  public func nestings(after moment: UInt64) throws -> Set<UInt64> {
    let places = try present.nestings(after: placeOfLayer(moment, 0))
    return isJoined ? Set(places.map { momentOfLayer($0, 0) }) : places
  }
}
