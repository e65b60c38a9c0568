import CairnControl
import CairnFolders
import CairnZone
import Synchronization

extension Daemon {
  /// The operations about what was held back, or set aside.
  func addGuards(to routes: inout ControlRoutes) {
    routes.answer(Control.HeldList.self) { [self] request, _ in try held(request) }
    routes.answer(Control.HeldConfirm.self) { [self] request, _ in
      try held(at: request.path) { try $0.confirmHeld() }
    }
    routes.answer(Control.HeldUndo.self) { [self] request, _ in
      try held(at: request.path) { try $0.undoHeld() }
    }
    routes.answer(Control.ConflictList.self) { [self] request, _ in try conflicts(request) }
    routes.answer(Control.ConflictKeep.self) { [self] request, _ in try keep(request) }
    routes.answer(Control.RescueList.self) { [self] request, _ in try rescued(request) }
    routes.answer(Control.RescueRestore.self) { [self] request, _ in try restore(request) }
    routes.answer(Control.RescueClear.self) { [self] request, _ in try clear(request) }
  }

  private func held(_ request: Control.HeldList) throws -> Control.HeldReply {
    let wanted = try request.path.map { [try requiredMount(at: $0).mount] } ?? allMounts
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
    at path: Control.Path,
    _ decide: @escaping @Sendable (MountEngine) throws -> MountReport.Held?
  ) throws -> Control.HeldReply {
    let mount = try requiredMount(at: path).mount
    let answer = try mount.ask { engine in
      let paths = try engine.heldPaths(limit: 1_000)
      return (held: try decide(engine), paths: paths)
    }
    guard let held = answer.held else {
      throw ControlError(
        .unknownItem, "Nothing that was deleted in \(Control.Path(mount.path)) waits.",
        remedy: "See `cairn held` for the folders where something does.", path: path)
    }
    return Control.HeldReply(mounts: [describe(held, answer.paths, mount)])
  }

  private func describe(
    _ held: MountReport.Held, _ paths: [[UInt8]], _ mount: Mount
  ) -> Control.HeldMount {
    Control.HeldMount(
      mount: mount.id, path: Control.Path(mount.path), held: HeldText.control(held),
      paths: paths.map { absolute(mount, $0) })
  }
}

/// How deletions that wait are told.
enum HeldText {
  static func control(_ held: MountReport.Held) -> Control.Held {
    Control.Held(
      files: held.files, directories: held.directories, of: held.of,
      since: Control.Time(nanoseconds: held.since))
  }

  /// What happened.
  static func sentence(_ held: MountReport.Held) -> String {
    "\(held.files) of \(held.of) files were deleted here at once; that waits for your word, and "
      + "nobody else misses them yet"
  }

  static func problem(_ held: MountReport.Held, of mount: Mount) -> Control.Problem {
    let path = Control.Path(mount.path)
    return Control.Problem(
      path: path, code: .partialFailure, message: Failures.sentence(sentence(held)),
      remedy:
        "If it was meant, run `cairn held confirm \(path)`; if not, `cairn held undo \(path)` "
        + "brings them back.")
  }
}
