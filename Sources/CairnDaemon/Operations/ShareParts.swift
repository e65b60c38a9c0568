import CairnCloud
import CairnControl
import CairnFolders
import CairnZone
import Glibc

/// Shares of several folders: each is a directory of its own in one zone, and a mount of its own on
/// this device.
struct ShareParts {
  let mirrors: Mirrors
  let shares: Shares
  let places: Places
  let teller: MountTeller
  let settling: Settling

  private var one: OpenContainer { mirrors.one }
  private var mounts: Mounts { mirrors.mounts }
  private var events: EventLog { mirrors.events }

  /// What becomes a part of a share: where it stands on the disk, and its record.
  private struct Addition {
    var path: Control.Path
    var part: ZonePart
    /// Whether it is a single file; its record comes with its content, when it is first read.
    var isFile: Bool
    /// Whether the mark on the folder is from an earlier try that was interrupted.
    var wasMarked: Bool
    /// What mirrors it until now, by itself.
    var mirror: Mount?
  }

  func create(
    _ request: Control.ShareCreate, _ stream: ResponseStream
  ) throws -> Control.ShareReply {
    for path in request.paths { try checkAddable(path) }
    let mirrors = request.paths.map { mirror(at: $0) }
    try settling.settleBriefly(mirrors.compactMap { $0 }, stream)
    let marks = try request.paths.map { try interrupted($0) }
    let first = request.paths[0]
    let title = request.title ?? first.title
    let old = try marks.compactMap { $0 }.first.flatMap { try one.container.zone($0.zone) }
    let zone = try old ?? one.container.privateDatabase.createZone(named: title)
    do {
      try zone.pull()
      let additions = zip(zip(request.paths, marks), mirrors).map { place, mirror in
        let known = place.1.flatMap { $0.zone == zone.id ? $0 : nil }
        return Addition(
          path: place.0, part: known ?? ZonePart(zone.id, base: .random()),
          isFile: place.0.isFile, wasMarked: known != nil, mirror: mirror)
      }
      try put(additions, into: zone)
      return try shares.save(zone, title: title, of: first)
    } catch {
      // Nothing is half done: what was made for this share alone goes again.
      if old == nil, mounts.of(zone.id).isEmpty {
        self.mirrors.clean { try one.container.forget(zone.id) }
      }
      throw error
    }
  }

  func add(
    _ request: Control.ShareAdd, _ stream: ResponseStream
  ) throws -> Control.ShareAddReply {
    let zone = try shares.zone(of: request.share)
    _ = try shares.describe(zone)
    try checkAddable(request.path)
    try zone.pull()
    guard zone.header.mayWrite(one.container.account.user) else {
      throw ControlError(
        .permissionFailure, "This share lets you read, not add.",
        remedy: "Ask its owner for the permission.")
    }
    let mirror = mirror(at: request.path)
    try settling.settleBriefly(mirror.map { [$0] } ?? [], stream)
    let mark = try interrupted(request.path).flatMap { $0.zone == zone.id ? $0 : nil }
    let addition = Addition(
      path: request.path, part: mark ?? ZonePart(zone.id, base: .random()),
      isFile: request.path.isFile, wasMarked: mark != nil, mirror: mirror)
    try put([addition], into: zone)
    guard let mount = mounts[addition.part] else {
      throw ControlError(
        .interrupted, "The daemon is ending.", remedy: "Start it and say the same again.")
    }
    let place = try zone.read { try $0.record(addition.part.base)?.place }
    events.add(
      .shareSaved, mount: mount, path: request.path.bytes,
      text: "added to “\(zone.header.share?.title ?? "")”")
    return Control.ShareAddReply(
      share: try shares.describe(zone), mount: try teller.describe(mount),
      name: place.map { Control.Path($0.name.bytes) }
        ?? Control.Path(request.path.lastName))
  }

  func checkAddable(_ path: Control.Path) throws {
    try places.checkUnshared(path)
    guard mirror(at: path) == nil else { return }
    if let (mount, relative) = mounts.find(path.bytes), !relative.isEmpty {
      throw ControlError(
        .alreadyMirrored,
        "\(path) is inside of the mirrored folder \(Control.Path(mount.path)): it can be shared by "
          + "itself, not together with others.",
        remedy: "Run `cairn share create \(path)` for it alone, or share the whole folder.",
        path: path)
    }
    if path.isFile { try places.checkPlace(path) } else { try places.checkFree(path) }
    try places.checkMark(path)
  }

  /// What mirrors just that folder into a private zone of its own: it becomes part of the share.
  private func mirror(at path: Control.Path) -> Mount? {
    guard let (mount, relative) = mounts.find(path.bytes), relative.isEmpty, mount.part.isWhole,
      mount.zone.scope == .private, mount.zone.header.share == nil
    else { return nil }
    return mount
  }

  /// What an interrupted try marked the folder for.
  private func interrupted(_ path: Control.Path) throws -> ZonePart? {
    guard !path.isFile, let mark = try MountMark.mark(on: path.bytes), !mark.isWhole,
      try one.container.zone(mark.zone) != nil
    else { return nil }
    return mark
  }

  /// Makes a directory in the zone for each folder, and mirrors it. The marks come first, so that
  /// saying the same again after a crash goes on where it ended.
  private func put(_ additions: [Addition], into zone: Zone) throws {
    try mirrors.changing { try putNow(additions, into: zone) }
  }

  private func putNow(_ additions: [Addition], into zone: Zone) throws {
    var claimed: [Addition] = []
    do {
      for mirror in additions.compactMap(\.mirror) { mounts.end(mirror, forget: true) }
      for addition in additions {
        try MountMark.claim(folder(addition), for: addition.part, isFile: addition.isFile)
        claimed.append(addition)
      }
      mounts.excludeParts(of: zone.id, and: additions.map(\.part.base))
      try makeDirectories(additions.filter { !$0.isFile }, in: zone)
      // Packs are their owner's: into somebody else's share the files go as new ones.
      if zone.header.owner == one.container.account.user {
        for addition in additions {
          guard let source = addition.mirror?.zone else { continue }
          try one.container.copy(source, into: addition.part.base, of: zone)
        }
      }
    } catch {
      for addition in claimed where !addition.wasMarked {
        mirrors.clean {
          try MountMark.unclaim(
            folder(addition), for: addition.part, isFile: addition.isFile)
        }
      }
      mounts.excludeParts(of: zone.id)
      for mirror in additions.compactMap(\.mirror) {
        mirrors.clean {
          try MountMark.claim(mirror.path, for: mirror.part)
          try mirrors.start(mirror.zone, mirror.entry)
        }
      }
      throw error
    }
    for addition in additions {
      if let mirror = addition.mirror { try one.container.removeMount(mirror.part) }
      let entry = one.container.mountEntry(
        addition.part, path: addition.path.bytes, isFile: addition.isFile)
      try one.container.addMount(entry.part, path: entry.path, isFile: entry.isFile)
      let mount = try mirrors.start(zone, entry)
      events.add(
        .mountAdded, mount: mount, path: addition.path.bytes, text: "mirrored from now on")
      if let mirror = addition.mirror {
        mirrors.clean { try one.container.dropMerged(mirror.zone) }
      }
    }
  }

  private func folder(_ addition: Addition) -> [UInt8] {
    let path = addition.path.bytes
    return addition.isFile ? WatchRoots.parent(of: path) : path
  }

  private func makeDirectories(_ additions: [Addition], in zone: Zone) throws {
    for attempt in 1... {
      let changes = try zone.read { view in
        var taken: Set<FileName> = []
        return try additions.compactMap { addition -> RecordChange? in
          guard try view.record(addition.part.base) == nil else { return nil }
          let name = try Self.freeName(for: addition.path) { name in
            try taken.contains(name) || view.child(of: .root, named: name) != nil
          }
          taken.insert(name)
          return RecordChange(
            id: addition.part.base, act: .create(.directory),
            place: Place(parent: .root, name: name))
        }
      }
      guard !changes.isEmpty else { return }
      do {
        try zone.save(changes)
        return
      } catch let error as CloudError {
        // Somebody took the name in the meantime.
        guard error.code == .constraintViolation, attempt < 100 else { throw error }
      }
    }
  }

  /// The last name of the path, numbered if it is taken.
  static func freeName(
    for path: Control.Path, isTaken: (FileName) throws -> Bool
  ) throws -> FileName {
    let last = path.lastName
    for number in 1...10_000 {
      let suffix = number == 1 ? [] : Array(" \(number)".utf8)
      let dot = last.lastIndex(of: UInt8(ascii: "."))
      let stem = dot.map { $0 > 0 ? Array(last[..<$0]) : last } ?? last
      let ending = Array(last.dropFirst(stem.count))
      let bytes = Array(stem.prefix(255 - suffix.count - ending.count)) + suffix + ending
      if let name = FileName(bytes), try !isTaken(name) { return name }
    }
    throw ControlError(
      .constraintViolation, "No name is free in the share for \(path).",
      remedy: "Rename the folder.", path: path)
  }
}
