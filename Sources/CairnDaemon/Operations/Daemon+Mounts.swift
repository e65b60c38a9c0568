import CairnCloud
import CairnControl
import CairnFolders
import CairnPlan
import CairnZone
import Glibc
import Synchronization

extension Daemon {
  func add(_ request: Control.Add, _ stream: ResponseStream) throws -> Control.AddReply {
    let path = request.path
    if let known = mount(at: path.bytes), known.relative.isEmpty {
      return Control.AddReply(
        created: false, dryRun: request.dryRun, mount: try describe(known.mount), path: path,
        files: nil, directories: nil, bytes: nil, ignored: nil, skipped: [])
    }
    try checkUnshared(path)
    try checkFree(path)
    if request.dryRun {
      let count = try FolderCount.of(path.bytes)
      return Control.AddReply(
        created: false, dryRun: true, mount: nil, path: path, files: count.files,
        directories: count.directories, bytes: Int64(count.bytes), ignored: count.ignored,
        skipped: count.skipped.map { problem in
          Control.Problem(
            path: Control.Path(path.bytes + [UInt8(ascii: "/")] + problem.path),
            code: .invalidArguments, message: Failures.sentence(problem.message),
            remedy: Failures.sentence(problem.remedy))
        })
    }
    let mount = try mirror(path)
    return Control.AddReply(
      created: true, dryRun: false, mount: try describe(mount), path: path, files: nil,
      directories: nil, bytes: nil, ignored: nil, skipped: [])
  }

  /// Makes a folder of this person's the mirror of a new private zone. What a crash interrupted
  /// before is taken up again: the mark on the folder says which zone it was to be.
  func mirror(_ path: Control.Path) throws -> Mount {
    let zone: Zone
    if let mark = try MountEngine.mark(on: path.bytes), mark.isWhole,
      let known = try container.privateDatabase.zone(mark.zone)
    {
      zone = known
    } else {
      zone = try container.privateDatabase.createZone(named: Self.lastName(of: path))
      do { try MountEngine.claim(path.bytes, for: ZonePart(zone.id)) } catch {
        // Nothing is half done: a zone that nobody mirrors says nothing to anybody.
        clean { try container.forget(zone.id) }
        throw error
      }
    }
    let mount = try mounting.withLock { _ in
      try container.addMount(zone.id, path: path.bytes)
      return try startMount(zone, path: path.bytes)
    }
    events.add(.mountAdded, mount: mount, path: path.bytes, text: "mirrored from now on")
    return mount
  }

  func remove(_ request: Control.Remove) throws -> Control.RemoveReply {
    let (mount, relative) = try requiredMount(at: request.path)
    guard relative.isEmpty else {
      throw ControlError(
        .invalidArguments, "\(request.path) is inside of a mirrored folder.",
        remedy: "Remove the whole folder \(Control.Path(mount.path)).", path: request.path)
    }
    guard try !index.holdsReference(to: mount.part) else {
      throw ControlError(
        .serverRejectedRequest,
        "\(request.path) is shared by itself inside of a mirrored folder.",
        remedy: "Stop the share with `cairn share stop`, or remove the folder around it.",
        path: request.path)
    }
    let pending = mount.snapshot.withLock { $0.progress.pendingLocal }
    try mounting.withLock { _ in
      // It must not come back by itself because another device mirrors it.
      if configuration.folder != nil { try container.declineMount(mount.zone.id) }
      try container.removeMount(mount.part)
      endMount(mount)
    }
    events.add(.mountRemoved, mount: nil, path: mount.path, text: "not mirrored any more")
    return Control.RemoveReply(
      path: request.path, zone: mount.zone.id.description, pendingLocal: pending)
  }

  /// Refuses what can't become a mirror: no folder, or one inside, around or equal to what Cairn
  /// uses already, or where this person may not write.
  func checkFree(_ path: Control.Path) throws {
    try requireFolder(path)
    try checkPlace(path)
    try checkWritable(path)
  }

  /// Refuses what isn't a folder, and says what it is.
  private func requireFolder(_ path: Control.Path) throws {
    guard !isFolder(path) else { return }
    // A mirror stands at one place; a link may lead to another one tomorrow.
    if let real = Whereabouts.real(path.bytes).map({ Control.Path($0) }), isFolder(real) {
      throw ControlError(
        .invalidArguments, "\(path) is a symbolic link to the folder \(real).",
        remedy: "Name that folder.", path: path)
    }
    throw ControlError(
      .invalidArguments, "\(path) is not a folder.", remedy: "Name a folder that exists.",
      path: path)
  }

  static func lastName(of path: Control.Path) -> String {
    let name = path.bytes.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? []
    return String(decoding: name, as: UTF8.self)
  }

  func list(_ request: Control.List) throws -> Control.ListReply {
    if let scope = request.scope {
      let mounts = allMounts.filter { Self.scope($0.zone.scope) == scope }
      return Control.ListReply(
        mount: "", path: request.path,
        entries: try mounts.flatMap { try entries($0, [], recursive: request.recursive) })
    }
    let (mount, relative) = try requiredMount(at: request.path)
    return Control.ListReply(
      mount: mount.id, path: request.path,
      entries: try entries(mount, relative, recursive: request.recursive))
  }

  private func entries(
    _ mount: Mount, _ path: [UInt8], recursive: Bool
  ) throws -> [Control.Entry] {
    let reader = FolderReader(index: index, zone: mount.zone, scope: mount.scope)
    return try reader.entries(at: path, recursive: recursive).map { describe($0, mount) }
  }

  /// A name as it stands between folder and zone.
  func describe(_ entry: FolderReader.Entry, _ mount: Mount) -> Control.Entry {
    let isTroubled = mount.snapshot.withLock { $0.troubled.contains(entry.path) }
    let kind: Control.EntryKind
    switch entry.kind {
    case .file: kind = .file
    case .directory: kind = .directory
    case .symlink: kind = .symlink
    }
    var state = Control.EntryState.synced
    if isTroubled {
      state = .problem
    } else if !entry.isSynced {
      state = entry.isLocal ? .sending : .receiving
    }
    return Control.Entry(
      path: absolute(mount, entry.path), kind: kind, size: Int64(entry.size),
      modified: Control.Time(nanoseconds: entry.attributes.modified),
      executable: entry.attributes.isExecutable, state: state,
      changedBy: entry.changed.map { person($0.user) }, sequence: entry.changed?.sequence,
      record: entry.id.description)
  }
}

extension [UInt8] {
  /// Calls `body` with the path as a C string; paths are bytes, and need not be UTF-8.
  func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    (self + [0]).withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { text in
        guard let start = text.baseAddress else { preconditionFailure("an empty C string") }
        return body(start)
      }
    }
  }
}
