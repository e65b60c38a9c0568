import CairnCloud
import CairnControl
import CairnFolders
import CairnZone

extension Daemon {
  func conflicts(_ request: Control.ConflictList) throws -> Control.ConflictsReply {
    let wanted = try request.path.map { [try requiredMount(at: $0).mount] } ?? allMounts
    var found: [Control.Conflict] = []
    for mount in wanted {
      found += try mount.ask { try $0.conflicts() }.map { describe($0, mount) }
    }
    if let path = request.path?.bytes {
      found = found.filter { WatchRoots.isInside($0.copy.path.bytes, path) }
    }
    return Control.ConflictsReply(conflicts: found)
  }

  func keep(_ request: Control.ConflictKeep) throws -> Control.ConflictKeepReply {
    let (mount, relative) = try requiredMount(at: request.path)
    guard
      let conflict = try mount.ask({ engine in
        try engine.conflicts().first { $0.copy.path == relative }
      })
    else {
      throw ControlError(
        .unknownItem, "\(request.path) is no conflict copy.",
        remedy: "`cairn conflicts list` shows which there are.", path: request.path)
    }
    let choice: MountEngine.ConflictChoice
    switch (request.choice, isMine(conflict)) {
    case (.both, _): choice = .both
    case (.mine, true), (.theirs, false): choice = .copy
    case (.mine, false), (.theirs, true): choice = .original
    }
    let done = try mount.ask { try $0.settleConflict(relative, keeping: choice) }
    return Control.ConflictKeepReply(
      path: absolute(mount, done.path), aside: done.aside.map { describe($0, mount) })
  }

  private func isMine(_ conflict: MountEngine.Conflict) -> Bool { conflict.who == me.handle }

  private func describe(_ conflict: MountEngine.Conflict, _ mount: Mount) -> Control.Conflict {
    func version(_ version: MountEngine.Conflict.Version) -> Control.ConflictVersion {
      Control.ConflictVersion(
        path: absolute(mount, version.path), size: Int64(clamping: version.size),
        modified: Control.Time(nanoseconds: version.modified), isFile: version.isFile)
    }
    return Control.Conflict(
      copy: version(conflict.copy), original: conflict.original.map(version),
      of: absolute(mount, conflict.of), who: conflict.who, host: conflict.host,
      when: conflict.when, isMine: isMine(conflict))
  }

  /// Something in a mount's rescue folder.
  func describe(_ entry: MountReport.Rescued, _ mount: Mount) -> Control.Rescued {
    Control.Rescued(
      path: absolute(mount, entry.path), of: absolute(mount, entry.of), reason: entry.reason,
      time: Control.Time(nanoseconds: entry.time))
  }
}
