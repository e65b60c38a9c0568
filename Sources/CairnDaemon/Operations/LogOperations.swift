import CairnCloud
import CairnControl
import CairnFolders
import CairnZone

/// The operation that tells what happened in a zone, or to a path.
struct LogOperations: Operations {
  let mounts: Mounts
  let teller: LogTeller

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Log.self) { request, _ in try log(request) }
  }

  func log(_ request: Control.Log) throws -> Control.LogReply {
    guard let path = request.path else {
      var seen: Set<ZoneID> = []
      let zones = mounts.all.map(\.zone).filter { seen.insert($0.id).inserted }
      return Control.LogReply(entries: try zones.flatMap { try teller.entries(of: $0, request) })
    }
    let (mount, relative) = try mounts.required(at: path)
    guard !relative.isEmpty else {
      return Control.LogReply(entries: try teller.entries(of: mount.zone, request))
    }
    return Control.LogReply(
      entries: try teller.entries(of: mount.zone, request, below: relative, in: mount.scope.base))
  }
}
