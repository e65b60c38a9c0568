import CairnContainer
import CairnIdentity
import CairnReplica
import CairnStore
import CairnZone

/// The owner's garbage collection.
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
      if script.keepsAll { try promise(zone) }
      if script.sabotage == .stingyOwner {
        try open.ownership.setHistory(HistoryPolicy(), of: zone)
      }
      if let versions {
        try open.ownership.setHistory(HistoryPolicy(versions: UInt32(versions)), of: zone)
      }
      let report = try open.upkeep.collectGarbage(at: collected, floorAfter: 4)
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

  /// Notes the versions that must be kept.
  private func promise(_ zone: Zone) throws {
    try zone.read { view in
      let events = try view.events(before: EventPlace(.max), deletionsOnly: false, limit: .max)
      for id in Set(events.map(\.record)) {
        for version in try view.versions(of: id, limit: .max) {
          guard let content = version.record.content, try view.hasChunks(of: content) else {
            continue
          }
          promised.insert(PromisedVersion(record: id, began: version.began, content: content))
        }
      }
    }
  }

  /// Checks that a newcomer can read each version that existed at the garbage collection, if all
  /// are kept.
  func checkPromises() throws {
    // Nobody promised versions that a rolled-back container lost, or that somebody removed.
    guard script.keepsAll, !script.hasLoss, !promised.isEmpty else { return }
    let open = try Container(
      store: store, id: scene.container, account: devices[0].account,
      indexes: IndexFiles(inMemory: {}))
    guard let zone = try open.zone(scene.zone) else { return }
    try zone.pull()
    for version in promised.sorted(by: { ($0.began, $0.record) < ($1.began, $1.record) }) {
      let there = try zone.read { try $0.versions(of: version.record, limit: .max) }
      let isThere = there.contains {
        $0.began == version.began && $0.record.content == version.content
      }
      guard isThere else {
        throw Violation(
          rule: "what is kept can be had",
          message: "version \(version.began) of \(version.record) is gone")
      }
      do { try zone.readContent(version.content) { _ in } } catch {
        throw Violation(
          rule: "what is kept can be had",
          message: "version \(version.began) of \(version.record) can't be read: \(error)")
      }
    }
  }

  /// Checks that everything in the zone can be read from the container.
  func checkNothingNeededGone() throws {
    guard script.collectsGarbage, let zone = devices[0].zone else { return }
    if let damage = try zone.verify().first {
      throw Violation(rule: "nothing needed goes", message: "\(damage.key) \(damage.reason)")
    }
  }
}

/// A version that the owner keeps.
struct PromisedVersion: Hashable {
  var record: RecordID
  var began: UInt64
  var content: Content
}

extension Script {
  /// A Boolean value that indicates whether the owner collects garbage, and always keeps all
  /// versions.
  var keepsAll: Bool {
    collectsGarbage
      && steps.allSatisfy { if case .collectGarbage(_, .some) = $0 { false } else { true } }
  }

  /// A Boolean value that indicates whether the owner collects garbage.
  var collectsGarbage: Bool {
    steps.contains { if case .collectGarbage = $0 { true } else { false } }
  }
}
