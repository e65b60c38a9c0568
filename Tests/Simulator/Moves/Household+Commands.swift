import CairnContainer
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone

/// The person's commands, in the steps of the daemon's operations.
extension Household {
  // MARK: Folders

  /// `cairn add`.
  func add(_ path: String) throws {
    let zone = try container.privateDatabase.createZone(named: Self.name(of: path))
    try MountMark.claim(Array(path.utf8), for: ZonePart(zone.id), on: disk)
    try container.addMount(zone.id, path: Array(path.utf8))
    start(zone, ZonePart(zone.id), at: path, isFile: false)
  }

  /// `cairn share accept`, with an empty folder.
  func accept(_ id: ZoneID, at path: String) throws {
    let zone = try container.participation.accept(id)
    try MountMark.claim(Array(path.utf8), for: ZonePart(id), on: disk)
    try container.addMount(id, path: Array(path.utf8))
    start(zone, ZonePart(id), at: path, isFile: false)
  }

  /// `cairn move`. Mirrored folders inside of it move with it.
  /// - Parameters:
  ///   - path: The folder.
  ///   - place: Its new path.
  ///   - rename: Moves the folder on the disk, if that wasn't done before; false if it fails.
  /// - Throws: The error of the account or of an index.
  func move(_ path: String, to place: String, _ rename: () -> Bool) throws {
    let all = mounts.filter { $0.value.path == path || $0.value.path.hasPrefix(path + "/") }
      .sorted { $0.value.path < $1.value.path }
    for (part, _) in all { try end(part, forget: false) }
    let isMoved = rename()
    for (part, mount) in all {
      let new = isMoved ? place + mount.path.dropFirst(path.count) : mount.path
      try container.addMount(part, path: Array(new.utf8), isFile: mount.isFile)
      start(mount.engine.zone, part, at: new, isFile: mount.isFile)
    }
  }

  // MARK: Sharing

  /// `cairn share create` for entries inside of one mirrored folder.
  func shareInside(_ paths: [String], of outer: String) throws -> ZoneID? {
    guard let (_, mount) = mount(at: outer) else { return nil }
    let isAlone = paths.count == 1
    let nestings = try mount.engine.nest(
      paths.map { Array($0.dropFirst(outer.count + 1).utf8) },
      into: .new(title: "share", isShared: isAlone))
    guard let id = nestings.first?.part.zone, let zone = try container.zone(id) else { return nil }
    if !isAlone { _ = try container.sharing.share(zone, title: "share") }
    return id
  }

  /// `cairn share create` for folders that are mirrored by themselves.
  func shareTogether(_ paths: [String]) throws -> ZoneID {
    let zone = try container.privateDatabase.createZone(named: "share")
    for path in paths { try put(path, into: zone) }
    _ = try container.sharing.share(zone, title: "share")
    return zone.id
  }

  /// `cairn share add` for a folder that is mirrored by itself.
  func put(_ path: String, into zone: Zone) throws {
    guard let (old, mount) = mount(at: path) else { return }
    try zone.pull()
    let source = mount.engine.zone
    let (part, bytes) = (ZonePart(zone.id, base: .random()), Array(path.utf8))
    try leavingOut([part]) {
      try end(old, forget: true)
      try MountMark.claim(bytes, for: part, on: disk)
      guard let name = FileName(Self.name(of: path)) else { return }
      try zone.save([
        RecordChange(
          id: part.base, act: .create(.directory), place: .init(parent: .root, name: name))
      ])
      try container.merging.copy(source, into: part.base, of: zone)
      if losesFormers {
        try container.removeMount(source.id)
        try container.addMount(part, path: bytes)
      } else {
        try container.formers.replace(
          source, by: container.mountEntry(part, path: bytes), of: zone)
      }
      start(zone, part, at: path, isFile: false)
    }
  }

  /// `cairn share add` for an entry inside of a mirrored folder.
  func putInside(_ path: String, of outer: String, into zone: Zone) throws {
    guard let (_, mount) = mount(at: outer) else { return }
    let relative = Array(path.dropFirst(outer.count + 1).utf8)
    let records = try [mount.engine.record(at: relative)].compactMap { $0 }
    try leavingOut(records.map { ZonePart(zone.id, base: $0) }) {
      _ = try mount.engine.nest([relative], into: .zone(zone))
    }
  }

  /// `cairn share stop`.
  func stopSharing(_ zone: Zone) throws {
    try zone.pull()
    let hadReaders = zone.hadReaders
    try container.access.stopSharing(zone)
    let nestings = try container.nestings.all(of: zone.id)
    if !nestings.isEmpty { try bringBack(nestings, hadReaders: hadReaders) }
  }

  /// `cairn share take-out` for a folder.
  func takeOut(_ part: ZonePart) throws {
    guard let mount = mounts[part] else { return }
    let zone = mount.engine.zone
    try zone.pull()
    if let nesting = try container.nestings.nesting(of: part) {
      return try bringBack([nesting], hadReaders: zone.hadReaders, keepsZone: true)
    }
    let target = try container.privateDatabase.createZone(named: Self.name(of: mount.path))
    let path = Array(mount.path.utf8)
    try leavingOut([part]) {
      try end(part, forget: true)
      try MountMark.claim(path, for: ZonePart(target.id), on: disk)
      try container.takingOut.move(part.base, of: zone, to: target)
      try container.removeMount(part)
      try container.addMount(target.id, path: path)
      start(target, ZonePart(target.id), at: mount.path, isFile: false)
    }
  }

  func bringBack(_ nestings: [Nesting], hadReaders: Bool, keepsZone: Bool = false) throws {
    try leavingOut(nestings.map(\.part)) {
      for nesting in nestings { try end(nesting.part, forget: false) }
      try container.returning.bringBack(nestings, keepsZone: keepsZone)
      for outer in Set(nestings.map(\.outer)) {
        try mounts[ZonePart(outer)]?.engine.takeBackReferences()
      }
      try container.returning.drop(nestings, hadReaders: hadReaders, keepsZone: keepsZone)
    }
  }
}
