import CairnContainer
import CairnControl
import CairnFolders
import CairnReplica
import CairnStore
import CairnZone
import Glibc

/// The rules for a folder that becomes a mirror.
extension Places {
  /// Refuses a path that cannot become a mirror: no folder, or one inside, around or equal to a
  /// path that Cairn uses already, or where this person may not write.
  func checkFree(_ path: Control.Path) throws {
    try requireFolder(path)
    try checkPlace(path)
    try checkWritable(path)
  }

  /// Refuses a folder with the mark of a zone that this home doesn't know: another home of this
  /// machine mirrors it, or one whose keys are lost.
  func checkMark(_ path: Control.Path) throws {
    guard !path.isFile, let mark = try MountMark.mark(on: path.bytes),
      try one.container.zone(mark.zone) == nil
    else { return }
    throw ControlError(
      .alreadyMirrored,
      "\(path) is the mirror of a zone that this home doesn't know (\(mark.zone.digits)).",
      remedy: "Use the home that mirrors it. If that is gone for good, as when its keys are lost, "
        + "run `cairn add \(path.typed) --anew`: all files stay.",
      path: path)
  }

  /// Refuses a path without a folder, and names the kind of the entry.
  private func requireFolder(_ path: Control.Path) throws {
    guard !path.isFolder else { return }
    // A mirror has one path; a link may lead to another folder tomorrow.
    if let real = Whereabouts.real(path.bytes).map({ Control.Path($0) }), real.isFolder {
      throw ControlError(
        .invalidArguments, "\(path) is a symbolic link to the folder \(real).",
        remedy: "Name that folder.", path: path)
    }
    throw path.noFolder()
  }

  /// Refuses a path inside of, around or equal to one that Cairn uses already.
  /// - Parameters:
  ///   - path: The path.
  ///   - isOuter: The mounts whose folders may be around the path.
  /// - Throws: `ControlError` if the path is in use.
  func checkPlace(
    _ path: Control.Path, below isOuter: (Mount) -> Bool = { _ in false }
  ) throws {
    let views = MountViews.now()
    let place = Whereabouts(path.bytes, views)
    // A file system that is mounted below it is in it, whatever is above that elsewhere.
    let mounted = views.points(below: Whereabouts.real(path.bytes) ?? path.bytes)
      .map { Whereabouts($0, views) }
    func relation(_ other: Whereabouts) -> String? {
      Self.relation(place, other)
        ?? (mounted.contains { Self.relation($0, other) != nil } ? "around a mount of" : nil)
    }
    for mount in home.mounts {
      if let how = relation(Whereabouts(mount.path, views)), how != Self.inside || !isOuter(mount) {
        throw Self.taken(path, how, "a folder that is mirrored already", mount.path)
      }
    }
    let taken =
      OwnPlaces(one, home).folders.map { (Array($0.utf8), OwnPlaces.ownFiles) }
      + home.containers.map { ($0, OwnPlaces.ownContainer) }
    for (other, what) in taken {
      guard let how = relation(Whereabouts(other, views)) else { continue }
      throw Self.taken(path, how, what, other)
    }
  }

  /// Returns whether a folder inside of a mirrored one may be a mirror of its own: its mark keeps
  /// the scans of the other one out of it. A folder of another container doesn't know such marks,
  /// and Cairn's own folders are no place for it.
  func isOpen(_ outer: Mount, at path: [UInt8]) -> Bool {
    outer.container == one.container.id && !outer.isFile
      && !WatchRoots.relative(path, to: outer.path).split(separator: UInt8(ascii: "/"))
        .contains { Array($0) == FileName.reserved }
  }

  static func alreadyShared(_ path: Control.Path, _ mount: Mount) -> ControlError {
    let (place, other) = (Whereabouts(path.bytes), Whereabouts(mount.path))
    // A path that is in the share by its names alone is inside of it, too.
    let how = relation(place, other) ?? inside
    let what =
      place.isSame(as: other)
      ? "in a share already" : "\(how) the share \(Control.Path(mount.path))"
    return ControlError(
      .alreadyShared, "\(path) is \(what).",
      remedy: "Invite people to that share, or stop it first.", path: path)
  }

  /// Refuses a path in a share, or around one.
  func checkUnshared(_ path: Control.Path) throws {
    let views = MountViews.now()
    let place = Whereabouts(path.bytes, views)
    for mount in mounts.all where mount.zone.header.share != nil {
      if Self.relation(place, Whereabouts(mount.path, views)) != nil {
        throw Self.alreadyShared(path, mount)
      }
    }
  }

  /// Returns the relation of the first to the second in words; nil if neither is in the other.
  static func relation(_ place: Whereabouts, _ other: Whereabouts) -> String? {
    place.isInside(other) ? inside : other.isInside(place) ? "around" : nil
  }

  private static let inside = "inside of"

  private static func taken(
    _ path: Control.Path, _ how: String, _ what: String, _ other: [UInt8]
  ) -> ControlError {
    let isOwn = what == OwnPlaces.ownFiles || what == OwnPlaces.ownContainer
    let isMirrored = !isOwn && how == inside && path.isFolder
    return ControlError(
      isOwn ? .invalidArguments : .alreadyMirrored,
      "\(path) is \(how) \(what) (\(Control.Path(other))).",
      remedy: isMirrored
        ? "It is mirrored with that folder. To share it alone, run `cairn share create "
          + "\(path.typed)`."
        : "Name another folder.", path: path)
  }

  /// Returns a path named by the share's title or the zone's name, numbered if others have that
  /// name.
  func freeFolder(for zone: Zone, in folder: String) throws -> Control.Path {
    let header = zone.header
    return try freeFolder(
      for: zone.id, header.share?.title ?? header.genesis?.name ?? "", in: folder)
  }

  /// The same for a zone whose title alone is known.
  func freeFolder(
    for zone: ZoneID, _ title: String, in folder: String
  ) throws -> Control.Path {
    let name = ReceivingFolder.folderName(title)
    let parent = folder == "/" ? "" : folder
    for number in 1..<1_000 {
      let path = Control.Path("\(parent)/\(name)" + (number == 1 ? "" : " \(number)"))
      if try isFree(path, for: zone) { return path }
    }
    throw ControlError(
      .constraintViolation, "A thousand folders in \(Control.Path(folder)) are called \(name).",
      remedy: "Move some of them away, or say where with --at DIR.", path: Control.Path(folder))
  }

  /// Returns whether there is no entry, or an empty folder, or one that was prepared for this very
  /// zone.
  private func isFree(_ path: Control.Path, for zone: ZoneID) throws -> Bool {
    var status = stat()
    guard path.bytes.withPath({ lstat($0, &status) }) == 0 else { return errno == ENOENT }
    guard status.st_mode & S_IFMT == S_IFDIR, mounts.find(path.bytes) == nil else { return false }
    if let mark = try MountMark.mark(on: path.bytes) { return mark == ZonePart(zone) }
    return try FolderCount.isEmpty(path.bytes)
  }
}
