import CairnCloud
import CairnStore
import CairnZone

/// The owner throws away what nobody needs.
extension Story {
  func collectGarbage(_ days: Int, _ versions: Int?) throws {
    guard !devices[0].isWorking else { return }
    count("garbage thrown away")
    devices[0].stop()
    collected = max(collected, SimulatedClock.start / SimulatedClock.second)
    collected += Int64(days) * 86_400
    do {
      let open = try Container(
        store: store, id: scene.container, account: devices[0].account,
        indexes: devices[0].zones)
      guard let zone = try open.zone(scene.zone) else { return }
      try zone.pull()
      if let versions {
        try open.setHistory(HistoryPolicy(versions: UInt32(versions)), of: zone)
      }
      let report = try open.collectGarbage(at: collected, floorAfter: 4)
      trace.note(
        "    \(report.deleted.packs) of \(report.all.packs) packs go, "
          + "\(report.deletedEntries.entries) entries, \(report.floors) floors come")
      if report.deleted.packs > 0 { count("packs gone") }
      if report.floors > 0 { count("floors raised") }
      if report.deletedEntries.entries > 0 { count("entries gone") }
      if script.sabotage == .hollowFloor, report.deletedEntries.entries > 0 { try dropSnapshots() }
      if script.sabotage == .hastyGarbage, let pack = try packs().first { try store.delete(pack) }
    } catch let error as CloudError {
      trace.note("    \(error)")
    }
    for device in devices { device.hintZone() }
  }

  private func dropSnapshots() throws {
    for key in try store.list("users/", after: nil, limit: .max)
    where key.description.contains("/parts/") { try store.delete(key) }
  }

  private func packs() throws -> [ObjectKey] {
    try store.list("users/", after: nil, limit: .max).filter {
      $0.description.contains("/packs/")
    }
  }

  /// Whatever the zone has can be read from the container.
  func checkNothingNeededGone() throws {
    guard script.collectsGarbage, let zone = devices[0].zone else { return }
    if let damage = try zone.verify().first {
      throw Violation(rule: "nothing needed goes", message: "\(damage.key) \(damage.reason)")
    }
  }
}

extension Script {
  /// Whether the owner throws anything away.
  var collectsGarbage: Bool {
    steps.contains { if case .collectGarbage = $0 { true } else { false } }
  }
}
