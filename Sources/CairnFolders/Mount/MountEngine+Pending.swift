import CairnCloud
import CairnPlan
import CairnZone

/// What waits in a mount, in which direction, and why.
extension MountEngine {
  /// How many records wait in either direction, also those that wait for a time.
  public func pendingCount() throws -> Int {
    try index.read(mount) { try $0.dirtyCount }
  }

  /// Brings the report up to date; which side changed is counted now and then while there is work.
  func countPending(exactly: Bool) throws {
    let now = clock.now
    guard exactly || notices.isCountDue(now) || report.progress.pending == 0 else { return }
    try index.read(mount) { tree in
      report.progress.pending = try tree.dirtyCount
      report.progress.waiting = held.since == nil ? 0 : try tree.waitingCount
      (report.progress.pendingLocal, report.progress.pendingRemote) = try tree.dirtyCounts
      notices.count(at: now)
    }
  }

  /// Up to `limit` paths that wait, each with the reason if one is known.
  public func pending(limit: Int) throws -> [(path: [UInt8], reason: String)] {
    try zone.read { view in
      try index.read(mount) { tree in
        try tree.dirty(limit: limit).map { id in
          let names = try tree.path(of: id) ?? Self.path(of: id, in: view)
          return (joined(names), agenda[id].wait?.explanation ?? "in work")
        }
      }
    }
  }

  /// Where the zone has a record that isn't in the folder yet.
  private static func path(of id: RecordID, in view: ZoneView) throws -> [FileNameBytes] {
    var names: [FileNameBytes] = []
    var current = id
    while let place = try view.record(current)?.place {
      names.append(place.name.bytes)
      current = place.parent
    }
    return names.reversed()
  }
}
