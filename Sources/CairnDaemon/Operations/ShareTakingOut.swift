import CairnContainer
import CairnControl
import CairnFolders
import CairnReplica
import CairnZone

/// The operation that takes one part out of a share of several.
struct ShareTakingOut: Operations {
  let mirrors: Mirrors
  let shares: Shares
  let settling: Settling

  private var one: OpenContainer { mirrors.one }
  private var mounts: Mounts { mirrors.mounts }
  private var targets: TargetResolver { TargetResolver(one: one, mounts: mounts) }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ShareTakeOut.self, about: { .path($0.path) }) { request, stream in
      try mirrors.making { try takeOut(request, stream) }
    }
  }

  private func takeOut(
    _ request: Control.ShareTakeOut, _ stream: ResponseStream
  ) throws -> Control.ShareTakeOutReply {
    let mount = try targets.mounted(request.path, for: Control.ShareTakeOut.self).mount
    let zone = mount.zone
    try zone.pull()
    guard zone.header.share != nil else { throw shares.notShared(zone) }
    try zone.require(.own, to: "take something out of the share")
    let begun = try begun(mount)
    // An interrupted call has ended the mirror already.
    if begun == nil { try settling.settleBriefly([mount], stream) }
    let isMirrored: Bool
    if let nesting = try one.container.nestings.nesting(of: mount.part) {
      try NestedZones(mirrors: mirrors).takeOut(nesting, of: zone)
      isMirrored = true
    } else if mount.isFile {
      try takeFileOut(mount)
      isMirrored = false
    } else {
      try takeFolderOut(mount, to: begun)
      isMirrored = true
    }
    shares.changed(zone, "\(request.path) was taken out of the share")
    return Control.ShareTakeOutReply(
      share: try shares.describe(zone), path: request.path, mirrored: isMirrored)
  }

  /// The private zone in the folder's mark, from an interrupted call.
  private func begun(_ mount: Mount) throws -> Zone? {
    guard !mount.isFile, let mark = try MountMark.mark(on: mount.path), mark.isWhole,
      mark.zone != mount.zone.id
    else { return nil }
    return try one.container.privateDatabase.zone(mark.zone)
  }

  /// Ends the mirror first, because the files must stay here when the share loses them.
  private func takeFileOut(_ mount: Mount) throws {
    try mirrors.changing {
      mounts.end(mount, forget: true)
      do { try one.container.takingOut.delete(mount.part.base, of: mount.zone) } catch {
        mirrors.clean {
          try MountMark.claim(mount.folder, for: mount.part, isFile: true)
          try mirrors.start(mount.zone, mount.entry)
        }
        throw error
      }
      try one.container.removeMount(mount.part)
    }
  }

  /// Writes the mark on the folder, then moves the records, and changes the account last. The same
  /// command continues after an interruption at any point.
  private func takeFolderOut(_ mount: Mount, to begun: Zone?) throws {
    let path = Control.Path(mount.path)
    let target = try begun ?? one.container.privateDatabase.createZone(named: path.title)
    try mirrors.changing {
      try mounts.leavingOut([mount.part]) {
        mounts.end(mount, forget: true)
        do {
          try MountMark.claim(mount.path, for: ZonePart(target.id))
          try one.container.takingOut.move(mount.part.base, of: mount.zone, to: target)
        } catch {
          try takeBack(mount, target)
          throw error
        }
        try one.container.removeMount(mount.part)
        try one.container.addMount(target.id, path: mount.path)
        try mirrors.start(target, path: mount.path)
      }
    }
  }

  /// Mirrors the folder as before, unless its records are in the other zone already: then the same
  /// command continues.
  private func takeBack(_ mount: Mount, _ target: Zone) throws {
    guard try mount.zone.read({ try $0.record(mount.part.base) != nil }) else {
      try mirrors.start(mount.zone, mount.entry)
      return
    }
    mirrors.clean {
      try MountMark.unclaim(mount.path, for: ZonePart(target.id))
      try MountMark.claim(mount.path, for: mount.part)
      try mirrors.start(mount.zone, mount.entry)
      try one.container.forget(target.id)
    }
  }
}
