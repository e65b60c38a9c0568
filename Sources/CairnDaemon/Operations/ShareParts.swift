import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone
import Glibc

/// Shares of several folders and files. All are in one zone, and each is a mount of its own on this
/// device.
struct ShareParts {
  let mirrors: Mirrors
  let shares: Shares
  let places: Places
  let teller: MountPresenter
  let settling: Settling
  let nested: NestedShares

  private var one: OpenContainer { mirrors.one }
  private var mounts: Mounts { mirrors.mounts }
  private var events: EventLog { mirrors.events }

  /// A future part of a share: its path on the disk, and its record.
  private struct Addition {
    var path: Control.Path
    var part: ZonePart
    /// A Boolean value that indicates whether it is a single file; its record comes with its
    /// content, when it is first read.
    var isFile: Bool
    /// A Boolean value that indicates whether the mark on the folder is from an earlier,
    /// interrupted try.
    var wasMarked: Bool
    /// The mount that mirrors it until now, by itself.
    var mirror: Mount?
  }

  func create(
    _ request: Control.ShareCreate, _ stream: ResponseStream
  ) throws -> Control.ShareReply {
    for path in request.paths { try checkAddable(path) }
    try checkApart(request.paths)
    let outers = try request.paths.map { try nested.outer(of: $0) }
    if let outer = outers[0], outers.allSatisfy({ $0 === outer }) {
      return try nested.share(request.paths, title: request.title, stream)
    }
    let apart = zip(request.paths, outers).filter { $0.1 == nil }.map(\.0)
    let mirrors = apart.map { mirror(at: $0) }
    try settling.settleBriefly(mirrors.compactMap { $0 }, stream)
    let marks = try apart.map { try interrupted($0) }
    let first = request.paths[0]
    let title = request.title ?? first.title
    let old = try marks.compactMap { $0 }.first.flatMap { try one.container.zone($0.zone) }
    // Items inside mirrored folders come first: they can be moved back completely.
    var zone = old
    do {
      var done: Set<ZonePart> = []
      for outer in outers.compactMap({ $0?.part }) where done.insert(outer).inserted {
        let inside = zip(request.paths, outers).filter { $0.1?.part == outer }.map(\.0)
        let target = zone.map { NestingTarget.zone($0) } ?? .new(title: title, isShared: false)
        zone = try nested.zone(of: nested.nest(inside, into: target, stream))
      }
      let shared = try zone ?? one.container.privateDatabase.createZone(named: title)
      zone = shared
      try shared.pull()
      try put(additions(apart, marks, mirrors, in: shared), into: shared)
      return try shares.save(shared, title: title, of: first)
    } catch {
      // Everything that was created for this share is deleted again.
      if let zone { self.mirrors.clean { try takeBack(zone, isOld: old != nil) } }
      throw error
    }
  }

  private func additions(
    _ paths: [Control.Path], _ marks: [ZonePart?], _ mirrors: [Mount?], in zone: Zone
  ) -> [Addition] {
    paths.indices.map { number in
      let known = marks[number].flatMap { $0.zone == zone.id ? $0 : nil }
      return Addition(
        path: paths[number], part: known ?? ZonePart(zone.id, base: .random()),
        isFile: paths[number].isFile, wasMarked: known != nil, mirror: mirrors[number])
    }
  }

  private func takeBack(_ zone: Zone, isOld: Bool) throws {
    if zone.header.share == nil {
      try NestedZones(mirrors: mirrors).returnToOuterZones(zone, hadReaders: false)
    }
    if !isOld, mounts.of(zone.id).isEmpty { try one.container.forget(zone.id) }
  }

  func add(
    _ request: Control.ShareAdd, _ stream: ResponseStream
  ) throws -> Control.ShareAddReply {
    let zone = try shares.zone(of: request.share, for: Control.ShareAdd.self)
    try zone.pull()
    guard zone.header.share != nil else { throw shares.notShared(zone) }
    guard zone.header.mayWrite(one.container.account.user) else {
      throw ControlError(
        .permissionFailure, "This share lets you read, not add.",
        remedy: "Ask its owner for the permission.")
    }
    try checkAddable(request.path)
    try SensitiveFolder.check([request.path], isMeant: request.sensitive ?? false)
    let isInside = try nested.outer(of: request.path) != nil
    let part =
      isInside
      ? try addNested(request.path, to: zone, stream)
      : try addByItself(request.path, to: zone, stream)
    guard let mount = mounts[part] else {
      throw ControlError(
        .interrupted, "The daemon is ending.", remedy: "Start it and say the same again.")
    }
    let place = try zone.read { try $0.record(part.base)?.place }
    events.add(
      .shareSaved, mount: mount.id, path: request.path.bytes,
      text: "added to “\(zone.header.share?.title ?? "")”")
    return Control.ShareAddReply(
      share: try shares.describe(zone), mount: try teller.describe(mount),
      name: place.map { Control.Path($0.name.bytes) }
        ?? Control.Path(request.path.lastName))
  }

  private func addByItself(
    _ path: Control.Path, to zone: Zone, _ stream: ResponseStream
  ) throws -> ZonePart {
    let mirror = mirror(at: path)
    try settling.settleBriefly(mirror.map { [$0] } ?? [], stream)
    let mark = try interrupted(path).flatMap { $0.zone == zone.id ? $0 : nil }
    let addition = Addition(
      path: path, part: mark ?? ZonePart(zone.id, base: .random()), isFile: path.isFile,
      wasMarked: mark != nil, mirror: mirror)
    try put([addition], into: zone)
    return addition.part
  }

  /// Adds the items that stay inside a mirrored folder.
  private func addNested(
    _ path: Control.Path, to zone: Zone, _ stream: ResponseStream
  ) throws -> ZonePart {
    guard zone.header.owner == one.container.account.user else {
      throw ControlError(
        .serverRejectedRequest,
        "The share belongs to another person, so nothing in it can stay in a folder of yours.",
        remedy: "Copy it into the share's folder.", path: path)
    }
    return try nested.nest([path], into: .zone(zone), stream)[0].part
  }

  func checkAddable(_ path: Control.Path) throws {
    try places.checkUnshared(path)
    guard mirror(at: path) == nil, try nested.outer(of: path) == nil else { return }
    if path.isFile { try places.checkPlace(path) } else { try places.checkFree(path) }
    try places.checkMark(path)
  }

  /// Refuses to share a directory together with one of its entries.
  private func checkApart(_ paths: [Control.Path]) throws {
    let all = paths.map { ($0, Whereabouts($0.bytes)) }
    for (path, place) in all {
      // One file may have two names, each of them shared.
      guard
        let other = all.first(where: { other, whereabouts in
          other != path && !(other.isFile && path.isFile) && place.isInside(whereabouts)
        })
      else { continue }
      throw ControlError(
        .invalidArguments, "\(path) is inside of \(other.0), and shared with it.",
        remedy: "Name the outer one alone.", path: path)
    }
  }

  /// Returns the mount that mirrors just that folder into a private zone of its own: it becomes
  /// part of the share.
  private func mirror(at path: Control.Path) -> Mount? {
    guard let (mount, relative) = mounts.find(path.bytes), relative.isEmpty, mount.part.isWhole,
      mount.zone.scope == .private, mount.zone.header.share == nil
    else { return nil }
    return mount
  }

  /// Returns the part of a zone for which an interrupted try marked the folder.
  private func interrupted(_ path: Control.Path) throws -> ZonePart? {
    guard !path.isFile, let mark = try MountMark.mark(on: path.bytes), !mark.isWhole,
      try one.container.zone(mark.zone) != nil
    else { return nil }
    return mark
  }

  /// Creates a directory in the zone for each folder, and mirrors it. The marks come first, so that
  /// the same command continues after a crash.
  private func put(_ additions: [Addition], into zone: Zone) throws {
    try mirrors.changing {
      try mounts.leavingOut(additions.map(\.part)) { try putNow(additions, into: zone) }
    }
  }

  private func putNow(_ additions: [Addition], into zone: Zone) throws {
    var claimed: [Addition] = []
    do {
      for mirror in additions.compactMap(\.mirror) { mounts.end(mirror, forget: true) }
      for addition in additions {
        try MountMark.claim(folder(addition), for: addition.part, isFile: addition.isFile)
        claimed.append(addition)
      }
      try makeDirectories(additions.filter { !$0.isFile }, in: zone)
      for addition in additions {
        guard let source = addition.mirror?.zone else { continue }
        try one.container.merging.copy(source, into: addition.part.base, of: zone)
      }
    } catch {
      for addition in claimed where !addition.wasMarked {
        mirrors.clean {
          try MountMark.unclaim(
            folder(addition), for: addition.part, isFile: addition.isFile)
        }
      }
      for mirror in additions.compactMap(\.mirror) {
        mirrors.clean {
          try MountMark.claim(mirror.path, for: mirror.part)
          try mirrors.start(mirror.zone, mirror.entry)
        }
      }
      throw error
    }
    for addition in additions {
      let entry = one.container.mountEntry(
        addition.part, path: addition.path.bytes, isFile: addition.isFile)
      if let mirror = addition.mirror {
        try one.container.formers.replace(mirror.zone, by: entry, of: zone)
      } else {
        try one.container.addMount(entry.part, path: entry.path, isFile: entry.isFile)
      }
      let mount = try mirrors.start(zone, entry)
      events.add(
        .mountAdded, mount: mount.id, path: addition.path.bytes, text: "mirrored from now on")
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
        // Another person took the name meanwhile.
        guard error.code == .constraintViolation, attempt < 100 else { throw error }
      }
    }
  }

  /// The last name of the path, numbered if it is taken.
  static func freeName(
    for path: Control.Path, isTaken: (FileName) throws -> Bool
  ) throws -> FileName {
    if let name = try FileName(path.lastName)?.free(isTaken) { return name }
    throw ControlError(
      .constraintViolation, "No name is free in the share for \(path).",
      remedy: "Rename the folder.", path: path)
  }
}
