import CairnContainer
import CairnControl
import CairnFolders
import CairnReplica
import CairnSystem
import CairnZone
import Glibc

/// The operation that moves a mirrored folder to another place on this device.
struct MoveOperation: Operations {
  let mirrors: Mirrors
  let places: Places

  private var one: OpenContainer { mirrors.one }
  private var mounts: Mounts { mirrors.mounts }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Move.self, about: { .path($0.path) }) { request, _ in
      try mirrors.making { try move(request) }
    }
  }

  private func move(_ request: Control.Move) throws -> Control.MoveReply {
    let targets = TargetResolver(one: one, mounts: mounts)
    let mount = try targets.mounted(request.path, for: Control.Move.self).mount
    try check(mount)
    let place = try place(request.place, for: mount)
    let reply = Control.MoveReply(
      path: Control.Path(mount.path), place: place, zone: mount.zone.id.description)
    guard place.bytes != mount.path else { return reply }
    // Somebody has moved the folder there, and only the account has to learn of it.
    let isThere = try isMarked(place, mount.part)
    if !isThere { try checkTarget(place) }
    try mirrors.changing { try move(mount, to: place, isThere: isThere) }
    return reply
  }

  private func move(_ mount: Mount, to place: Control.Path, isThere: Bool) throws {
    mounts.end(mount, forget: false)
    do {
      if !isThere { try rename(mount.path, place) }
      do {
        try one.container.addMount(mount.part, path: place.bytes)
      } catch {
        // Without the account the folder would be missed at the next start.
        if !isThere { try rename(place.bytes, Control.Path(mount.path)) }
        throw error
      }
    } catch {
      try mirrors.start(mount.zone, mount.entry)
      throw error
    }
    let moved = try mirrors.start(
      mount.zone, one.container.mountEntry(mount.part, path: place.bytes))
    mirrors.events.add(
      .mountAdded, mount: moved.id, path: place.bytes,
      text: "mirrored here from now on; it was at \(Control.Path(mount.path))")
  }

  private func rename(_ old: [UInt8], _ new: Control.Path) throws {
    let failure = old.withPath { old in
      new.bytes.withPath { cairn_rename_noreplace(AT_FDCWD, old, AT_FDCWD, $0) }
    }
    guard failure < 0 else { return }
    let path = Control.Path(old)
    let number = -failure
    guard number != EXDEV else {
      throw ControlError(
        .invalidArguments, "\(path) and \(new) are on different file systems.",
        remedy: "Run `cairn remove \(path.typed)`, move the folder with mv, then run `cairn add "
          + "\(new.typed) --zone ID`; `cairn zones` shows the id.", path: path)
    }
    throw ControlError(
      number == EACCES || number == EPERM ? .permissionFailure : .invalidArguments,
      "\(path) can't be moved to \(new): \(String(cString: strerror(number))).",
      remedy: "Nothing was changed. Name another place, or move what is there.", path: path)
  }

  // MARK: The rules

  private func check(_ mount: Mount) throws {
    let path = Control.Path(mount.path)
    guard !mount.isFile else {
      throw ControlError(
        .invalidArguments, "\(path) is a single file.",
        remedy: "Move it with mv inside the folder that it is in.", path: path)
    }
    guard try !one.index.holdsReference(to: mount.part) else {
      throw ControlError(
        .invalidArguments, "\(path) belongs to the mirrored folder around it.",
        remedy: "Move it with mv inside that folder: your other devices follow.", path: path)
    }
  }

  /// Returns the new path: an existing folder is the place to put it into, as for mv(1).
  private func place(_ given: Control.Path, for mount: Mount) throws -> Control.Path {
    guard given.isFolder, given.bytes != mount.path, try !isMarked(given, mount.part) else {
      return given
    }
    return Control.Path(given.bytes + [UInt8(ascii: "/")] + Control.Path(mount.path).lastName)
  }

  private func isMarked(_ path: Control.Path, _ part: ZonePart) throws -> Bool {
    guard path.isFolder, path.exists else { return false }
    return try MountMark.mark(on: path.bytes) == part
  }

  private func checkTarget(_ place: Control.Path) throws {
    guard !place.exists else {
      throw ControlError(
        .invalidArguments, "\(place) exists already.", remedy: "Name a path that is free.",
        path: place)
    }
    try places.checkPlace(place)
    try places.checkWritable(Control.Path(WatchRoots.parent(of: place.bytes)))
  }
}
