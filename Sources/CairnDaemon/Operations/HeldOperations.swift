import CairnControl
import CairnFolders
import CairnZone
import Synchronization

/// The operations on deletions that await confirmation.
struct HeldOperations: Operations {
  let targets: TargetResolver

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.HeldList.self) { [self] request, _ in try held(request) }
    routes.answer(Control.HeldConfirm.self) { [self] request, _ in
      try held(targets.mounted(request.path, for: Control.HeldConfirm.self).mount) {
        try $0.confirmHeld()
      }
    }
    routes.answer(Control.HeldUndo.self) { [self] request, _ in
      try held(targets.mounted(request.path, for: Control.HeldUndo.self).mount) {
        try $0.undoHeld()
      }
    }
  }

  private func held(_ request: Control.HeldList) throws -> Control.HeldReply {
    let wanted = try targets.mounts(at: request.path, for: Control.HeldList.self)
    let limit = max(0, min(request.limit ?? 1_000, 100_000))
    var found: [Control.HeldMount] = []
    for mount in wanted where mount.snapshot.withLock({ $0.held }) != nil {
      let (held, paths) = try mount.ask { ($0.report.held, try $0.heldPaths(limit: limit)) }
      guard let held else { continue }
      found.append(describe(held, paths, mount))
    }
    return Control.HeldReply(mounts: found)
  }

  private func held(
    _ mount: Mount,
    _ decide: @escaping @Sendable (MountEngine) throws -> MountReport.Held?
  ) throws -> Control.HeldReply {
    let answer = try mount.ask { engine in
      let paths = try engine.heldPaths(limit: 1_000)
      return (held: try decide(engine), paths: paths)
    }
    guard let held = answer.held else {
      throw ControlError(
        .unknownItem, "Nothing that was deleted in \(Control.Path(mount.path)) waits.",
        remedy: "See `cairn held` for the folders where something does.",
        path: Control.Path(mount.path))
    }
    return Control.HeldReply(mounts: [describe(held, answer.paths, mount)])
  }

  private func describe(
    _ held: MountReport.Held, _ paths: [[UInt8]], _ mount: Mount
  ) -> Control.HeldMount {
    Control.HeldMount(
      mount: mount.id, path: Control.Path(mount.path), held: HeldText.control(held),
      paths: paths.map { mount.absolute($0) })
  }
}
