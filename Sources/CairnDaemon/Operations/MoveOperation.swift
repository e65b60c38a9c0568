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
    if !isThere { try checkTarget(place, of: mount) }
    try SensitiveFolder.check([place], isMeant: request.sensitive ?? false)
    try mirrors.changing { try move(mount, to: place, isThere: isThere) }
    return reply
  }

  private func move(_ mount: Mount, to place: Control.Path, isThere: Bool) throws {
    // Mirrored folders and files inside of it move with it. The outermost is the first.
    let all = [mount] + mounts.all.filter { isInside($0, mount) }
    for mount in all { mounts.end(mount, forget: false) }
    do {
      if !isThere { try rename(mount.path, place) }
      do { try note(all, from: mount, at: place) } catch {
        // Without the account the folder would be missed at the next start.
        if !isThere { try rename(place.bytes, Control.Path(mount.path)) }
        throw error
      }
    } catch {
      for mount in all { try mirrors.start(mount.zone, mount.entry) }
      throw error
    }
    for each in all {
      let path = path(of: each, after: mount, isAt: place)
      let moved = try mirrors.start(
        each.zone, one.container.mountEntry(each.part, path: path, isFile: each.isFile))
      mirrors.events.add(
        .mountAdded, mount: moved.id, path: path,
        text: "mirrored here from now on; it was at \(Control.Path(each.path))")
    }
  }

  /// Tells the account the new paths. After an error it has the former ones.
  private func note(_ all: [Mount], from outer: Mount, at place: Control.Path) throws {
    var noted: [Mount] = []
    do {
      for mount in all {
        try one.container.addMount(
          mount.part, path: path(of: mount, after: outer, isAt: place), isFile: mount.isFile)
        noted.append(mount)
      }
    } catch {
      for mount in noted {
        try one.container.addMount(mount.part, path: mount.path, isFile: mount.isFile)
      }
      throw error
    }
  }

  private func path(of mount: Mount, after outer: Mount, isAt place: Control.Path) -> [UInt8] {
    place.bytes + mount.path.dropFirst(outer.path.count)
  }

  private func isInside(_ inner: Mount, _ outer: Mount) -> Bool {
    inner !== outer && WatchRoots.isInside(inner.path, outer.path)
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
      let ending = mount.zone.scope == .private ? "stop" : "leave"
      throw ControlError(
        .invalidArguments, "\(path) belongs to the mirrored folder around it.",
        remedy: "Move it with mv inside that folder: your other devices follow. To take it out of "
          + "that folder, end the share first: `cairn share \(ending) \(path.typed)`.",
        path: path)
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

  /// Refuses a place that isn't free. Inside another mirrored folder it stays a mirror of its own:
  /// the mark on the folder keeps the scans of the outer one out of it.
  private func checkTarget(_ place: Control.Path, of mount: Mount) throws {
    guard !place.exists else {
      throw ControlError(
        .invalidArguments, "\(place) exists already.", remedy: "Name a path that is free.",
        path: place)
    }
    try places.checkPlace(place) { outer in
      outer !== mount && !isInside(outer, mount) && places.isOpen(outer, at: place.bytes)
    }
    try places.checkWritable(Control.Path(WatchRoots.parent(of: place.bytes)))
  }
}
