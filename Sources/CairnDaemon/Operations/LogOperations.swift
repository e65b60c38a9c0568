import CairnContainer
import CairnControl
import CairnFolders
import CairnReplica
import CairnZone

/// The operation that lists the log entries of a zone, or of a path.
struct LogOperations: Operations {
  let targets: TargetResolver
  let teller: LogPresenter

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Log.self) { try log($0, $1) }
  }

  private func log(
    _ request: Control.Log, _ stream: ResponseStream
  ) throws -> Control.LogReply {
    if let path = request.path {
      let (mount, relative, _) = try targets.mounted(path, for: Control.Log.self)
      var isEmpty = true
      try teller.forEachPortion(
        of: mount.zone, request, below: relative.isEmpty ? nil : relative, in: mount.scope.base
      ) {
        isEmpty = false
        try stream.items($0)
      }
      if isEmpty, request.since == nil { try requireHistory(of: path) }
    } else {
      var seen: Set<ZoneID> = []
      for zone in targets.mounts.all.map(\.zone) where seen.insert(zone.id).inserted {
        try teller.forEachPortion(of: zone, request) { try stream.items($0) }
      }
    }
    return Control.LogReply(entries: [])
  }

  /// Refuses a path that the folder never had, as `history` does.
  private func requireHistory(of path: Control.Path) throws {
    let subject = try PastPath(path, in: targets, for: Control.Log.self)
    let past = try subject.past(in: teller.persons.container)
    guard try past.read({ try subject.last(in: $0) }) != nil else { throw subject.unknown }
  }
}
