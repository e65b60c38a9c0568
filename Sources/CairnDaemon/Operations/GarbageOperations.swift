import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnZone

/// The operation that deletes unused objects in the container.
struct GarbageOperations: Operations {
  let one: OpenContainer

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.CollectGarbage.self) { request, _ in
      try collect(isTrial: request.isTrial)
    }
  }

  func collect(isTrial: Bool) throws -> Control.GarbageReply {
    let report =
      try isTrial ? one.container.upkeep.surveyGarbage() : one.container.upkeep.collectGarbage()
    var history = Control.HistoryBytes()
    let now = WallClock.seconds
    for zone in try one.container.privateDatabase.zones() {
      let bytes = try zone.read { try $0.pastBytes().all }
      history.bytes += bytes
      if zone.header.history == nil { history.forever += bytes }
      let retention = try zone.retention(at: now)
      guard let end = AccessOperations.end(of: retention, at: now) else { continue }
      let gone = try zone.read { view in
        try view.pastBytes(retention.after(zone.header.history, in: retention.rest)).expired
      }
      guard gone > 0 else { continue }
      history.expiring += gone
      history.expiringFrom = max(history.expiringFrom ?? end, end)
    }
    return Control.GarbageReply(
      all: Control.PackCount(report.all), unnamed: Control.PackCount(report.unnamed),
      unneeded: Control.PackCount(report.unneeded), waiting: Control.PackCount(report.waiting),
      next: report.rest.map {
        Control.Time(nanoseconds: Control.Time.now().nanoseconds + $0 * 1_000_000_000)
      },
      deleted: Control.PackCount(report.deleted), refused: report.refused,
      repacked: Control.PackCount(report.repacked), closed: report.closed, floors: report.floors,
      entries: Control.EntryCount(report.entries),
      deletedEntries: Control.EntryCount(report.deletedEntries), history: history)
  }
}

extension Control.EntryCount {
  fileprivate init(_ count: CairnContainer.EntryCount) {
    self.init(entries: count.entries, bytes: count.bytes)
  }
}

extension Control.PackCount {
  fileprivate init(_ count: CairnContainer.PackCount) {
    self.init(packs: count.packs, bytes: count.bytes)
  }
}
