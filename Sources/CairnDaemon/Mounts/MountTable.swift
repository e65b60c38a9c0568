import CairnReplica
import CairnZone

/// All mounts of the daemon, by their parts of zones and by path. A value behind the daemon's lock,
/// without knowledge of a mount's work.
struct MountTable {
  private(set) var byPart: [ZonePart: Mount] = [:]
  /// The mounts of each zone, that of the whole zone first, then by path: a list of a thousand
  /// shares looks up each.
  private var byZone: [ZoneID: [Mount]] = [:]
  private var folders: [[UInt8]: Mount] = [:]
  private var files: [[UInt8]: Mount] = [:]

  /// All mounts in the order of their paths.
  var all: [Mount] {
    byPart.values.sorted { $0.path.lexicographicallyPrecedes($1.path) }
  }

  var folderPaths: [[UInt8]] { Array(folders.keys) }
  var filePaths: [[UInt8]] { Array(files.keys) }

  mutating func insert(_ mount: Mount) {
    remove(mount.part)
    byPart[mount.part] = mount
    byZone[mount.zone.id, default: []].append(mount)
    byZone[mount.zone.id]?.sort { left, right in
      left.part.isWhole != right.part.isWhole
        ? left.part.isWhole : left.path.lexicographicallyPrecedes(right.path)
    }
    if mount.isFile { files[mount.path] = mount } else { folders[mount.path] = mount }
  }

  @discardableResult
  mutating func remove(_ part: ZonePart) -> Mount? {
    guard let mount = byPart.removeValue(forKey: part) else { return nil }
    byZone[mount.zone.id]?.removeAll { $0 === mount }
    if byZone[mount.zone.id]?.isEmpty == true { byZone[mount.zone.id] = nil }
    if files[mount.path] === mount { files[mount.path] = nil }
    if folders[mount.path] === mount { folders[mount.path] = nil }
    return mount
  }

  mutating func removeAll() -> [Mount] {
    defer { self = MountTable() }
    return Array(byPart.values)
  }

  /// Returns the mounts of a zone, that of the whole zone first.
  func mounts(of zone: ZoneID) -> [Mount] { byZone[zone] ?? [] }

  /// Returns the mount of a path, and the path within it: the innermost mirrored folder, or the
  /// file itself.
  func mount(at path: [UInt8]) -> (mount: Mount, relative: [UInt8])? {
    if let file = files[path] { return (file, []) }
    for prefix in WatchRoots.prefixes(of: path) {
      guard let mount = folders[prefix] else { continue }
      return (mount, WatchRoots.relative(path, to: prefix))
    }
    return nil
  }

  /// Returns the mounts that need a hint about a path, each with the path in its engine's form.
  func hinted(at path: [UInt8]) -> [(mount: Mount, relative: [UInt8])] {
    var found: [(Mount, [UInt8])] = []
    if let file = files[path] {
      found.append((file, WatchRoots.relative(path, to: file.folder)))
    }
    for prefix in WatchRoots.prefixes(of: path) {
      guard let mount = folders[prefix] else { continue }
      found.append((mount, WatchRoots.relative(path, to: prefix)))
      // The root of an inner mount is an entry of the outer one's directory.
      if prefix != path { break }
    }
    return found
  }

  /// Returns the mounts at the path or below it.
  func mounts(below path: [UInt8]) -> [Mount] {
    byPart.values.filter { WatchRoots.isInside($0.path, path) }
  }

  /// Returns the mounts in a watched directory that include a path or are inside of it. Each has
  /// the path of the part that is meant, which is empty for all of the mount.
  func parts(
    of path: [UInt8], in root: WatchRoots.Root
  ) -> [(mount: Mount, part: [UInt8])] {
    mounts(in: root).compactMap { mount in
      if WatchRoots.isInside(mount.path, path) { return (mount, []) }
      guard !mount.isFile, WatchRoots.isInside(path, mount.path) else { return nil }
      return (mount, WatchRoots.relative(path, to: mount.path))
    }
  }

  /// Returns the mounts that a watched directory includes.
  func mounts(in root: WatchRoots.Root) -> [Mount] {
    root.isFlat
      ? files.values.filter { $0.folder == root.path } : mounts(below: root.path)
  }
}
