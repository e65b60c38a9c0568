import CairnContainer
import CairnControl
import CairnFolders
import CairnPlan
import CairnReplica
import CairnZone
import Synchronization

/// The operations on mirrored folders and their entries.
struct MountOperations: Operations {
  let mirrors: Mirrors
  let persons: Persons
  let presence: PresenceWatch

  private var one: OpenContainer { mirrors.one }
  private var mounts: Mounts { mirrors.mounts }
  private var events: EventLog { mirrors.events }
  private var targets: TargetResolver { TargetResolver(one: one, mounts: mounts) }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.List.self) { try list($0, $1) }
    routes.answer(Control.Remove.self) { request, _ in try remove(request) }
  }

  func remove(_ request: Control.Remove) throws -> Control.RemoveReply {
    try remove(targets.mounted(request.path, for: Control.Remove.self).mount, request.path)
  }

  /// Ends a mirror of this device, which was named by that path.
  func remove(_ mount: Mount, _ path: Control.Path) throws -> Control.RemoveReply {
    guard try !one.index.holdsReference(to: mount.part) else {
      throw ControlError(
        .serverRejectedRequest,
        "\(path) is a share inside a mirrored folder.",
        remedy: "\(mount.zone.scope == .private ? "Stop" : "Leave") the share with `cairn share "
          + "\(mount.zone.scope == .private ? "stop" : "leave")`, or remove the folder around it.",
        path: path)
    }
    let pending = mount.snapshot.withLock { $0.progress.pendingLocal }
    try mirrors.changing {
      // It must not come back by itself because another device mirrors it.
      if one.configuration.folder != nil { try one.container.declineMount(mount.zone.id) }
      try one.container.removeMount(mount.part)
      mounts.end(mount, forget: true)
    }
    events.add(.mountRemoved, mount: nil, path: mount.path, text: "not mirrored any more")
    return Control.RemoveReply(
      path: path, zone: mount.zone.id.description, pendingLocal: pending)
  }

  private func list(
    _ request: Control.List, _ stream: ResponseStream
  ) throws -> Control.ListReply {
    if let scope = request.scope {
      for mount in mounts.all where Control.Scope(mount.zone.scope) == scope {
        try write(mount, [], recursive: request.recursive, stream)
      }
      return Control.ListReply(mount: "", path: request.path, entries: [])
    }
    let (mount, relative, _) = try targets.mounted(request.path, for: Control.List.self)
    do { try write(mount, relative, recursive: request.recursive, stream) } catch let error
      as FolderError where error.code == .notFound
    {
      throw ControlError(
        .unknownItem, "There is no \(request.path) in the folder \(Control.Path(mount.path)).",
        remedy: request.path.suggestion
          + "`cairn ls -r \(Control.Path(mount.path).typed)` lists what is in it; for deleted "
          + "files run `cairn history --deleted \(Control.Path(mount.path).typed)`.",
        path: request.path)
    }
    return Control.ListReply(mount: mount.id, path: request.path, entries: [])
  }

  private func write(
    _ mount: Mount, _ path: [UInt8], recursive: Bool, _ stream: ResponseStream
  ) throws {
    let reader = FolderReader(index: one.index, zone: mount.zone, scope: mount.scope)
    let standing = MountStanding(mount)
    try reader.forEachPortion(at: path, recursive: recursive) { entries in
      try stream.items(entries.map { describe($0, mount, standing.state(of: $0)) })
    }
  }

  /// The state of a name, from a comparison of folder and zone.
  private func describe(
    _ entry: FolderReader.Entry, _ mount: Mount, _ state: Control.EntryState
  ) -> Control.Entry {
    let kind: Control.EntryKind
    switch entry.kind {
    case .file: kind = .file
    case .directory: kind = .directory
    case .symlink: kind = .symlink
    }
    return Control.Entry(
      path: mount.absolute(entry.path), kind: kind, size: Int64(entry.size),
      modified: Control.Time(nanoseconds: entry.attributes.modified),
      executable: entry.attributes.isExecutable, state: state,
      changedBy: entry.changed.map { persons.told($0.user) }, sequence: entry.changed?.sequence,
      record: entry.id.description, openBy: presence.openers(of: entry.id, in: mount.zone.id))
  }
}
