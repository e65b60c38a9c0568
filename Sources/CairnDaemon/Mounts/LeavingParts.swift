import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone

/// Parts with mounts of their own on their way out of a share. Their end is noted in the home
/// before the first step, and each step can be repeated, so that the next start continues after an
/// interruption.
struct LeavingParts {
  let mirrors: Mirrors

  private var container: Container { mirrors.one.container }
  private var mounts: Mounts { mirrors.mounts }

  /// Takes the folder or file of a mount out of its share.
  /// - Parameter mount: The mount; it has no zone around it.
  /// - Throws: The reason; then the folder is mirrored as before, unless its records have left.
  func takeOut(_ mount: Mount) throws {
    let exit = try container.exits()[mount.part] ?? newExit(of: mount)
    try mirrors.changing {
      try container.noteExit(mount.part, exit)
      do { try leave(mount.entry, exit, mount.zone) } catch {
        try takeBack(mount, exit)
        throw error
      }
    }
  }

  /// Completes what was interrupted. Parts with a failure are tried again by the next call.
  /// - Throws: The error of the first part that can't leave now.
  func finish() throws {
    guard try !container.exits().isEmpty else { return }
    try mirrors.changing {
      let exits = try container.exits()
      for entry in try container.mounts() {
        guard let exit = exits[entry.part], let zone = try container.zone(of: entry) else {
          continue
        }
        try leave(entry, exit, zone)
      }
    }
  }

  private func newExit(of mount: Mount) throws -> Exit {
    guard !mount.isFile else { return .unmirrored }
    let title = Control.Path(mount.path).title
    return .to(try container.newZone(named: title))
  }

  /// The mount ends first, because its files stay here. The account is last.
  private func leave(_ entry: MountEntry, _ exit: Exit, _ zone: Zone) throws {
    try mounts.leavingOut([entry.part]) {
      if let mount = mounts[entry.part] { mounts.end(mount, forget: true) }
      try abandon(entry)
      guard let new = exit.target else {
        try container.takingOut.delete(entry.part.base, of: zone)
        return try container.removeMount(entry.part)
      }
      let target = try container.create(new)
      try ifThere { try MountMark.claim(entry.path, for: ZonePart(new.id)) }
      try container.takingOut.move(entry.part.base, of: zone, to: target)
      try container.addMount(new.id, path: entry.path)
      try container.removeMount(entry.part)
      if mounts[ZonePart(new.id)] == nil { try mirrors.start(target, path: entry.path) }
    }
  }

  /// Removes the mark of a mount that has ended, if the folder isn't marked for its new zone yet.
  private func abandon(_ entry: MountEntry) throws {
    try ifThere {
      if !entry.isFile, let mark = try MountMark.mark(on: entry.path), mark != entry.part {
        return
      }
      let folder = entry.isFile ? WatchRoots.parent(of: entry.path) : entry.path
      try MountMark.abandon(folder, entry.part, entry.isFile, mirrors.one.index)
    }
  }

  /// Does nothing to a folder that its person removed or moved: its mount reports that.
  private func ifThere(_ body: () throws -> Void) throws {
    do { try body() } catch let error as FolderError {
      guard error.code == .notFound else { throw error }
    }
  }

  /// Mirrors a part as before. If its records have left its zone already, the next call completes
  /// that.
  private func takeBack(_ mount: Mount, _ exit: Exit) throws {
    guard try mount.zone.read({ try $0.record(mount.part.base) != nil }) else {
      return mirrors.checkAccount()
    }
    mirrors.clean {
      if let target = exit.target { try unclaim(mount, target.id) }
      try MountMark.claim(mount.folder, for: mount.part, isFile: mount.isFile)
      try mirrors.start(mount.zone, mount.entry)
      if let target = exit.target { try container.drop(target) }
      try container.noteExit(mount.part, nil)
    }
  }

  private func unclaim(_ mount: Mount, _ target: ZoneID) throws {
    guard try MountMark.mark(on: mount.path) == ZonePart(target) else { return }
    try MountMark.unclaim(mount.path, for: ZonePart(target))
  }
}
