import CairnFolders

/// The remains of a daemon that ended in the middle, and the losses of a power cut.
extension Story {
  /// Handles a daemon that ended in the middle, possibly with the machine.
  func recover(_ device: Device) throws {
    if device.disk.hasPowerCut {
      count("power cut")
      let (before, unseen) = (contents(of: device), unseenContents(of: device))
      for unfinished in device.unfinished {
        unfinished.inode.writers -= 1
        unfinished.inode.openings -= 1
      }
      device.unfinished = []
      device.stop()
      try cutPower(device)
      let after = contents(of: device)
      for text in before.subtracting(after) where !isElsewhere(text, than: device) {
        versions.lost(text.bytes)
      }
      // A file that returns from an unmirrored name to a mirrored one is an old version.
      for text in unseen.subtracting(unseenContents(of: device)) { versions.lost(text.bytes) }
      for text in contents(of: device.disk.top) { versions.passed(text.bytes) }
      trace.note("    the machine of \(device.number) starts again")
    } else {
      count("crash")
      device.stop()
      device.disk.noteHardLinks()
    }
    watches[device.number].personActed()
  }

  /// Returns whether another device has the bytes that a power cut takes, and must keep them: the
  /// remainder of the file is no edit, and its absence no deletion. If its person continues, they
  /// may overwrite it. Moved files may have been seen in part.
  private func isElsewhere(_ text: Versions.Text, than device: Device) -> Bool {
    let isOver = !script.steps[(position + 1)...].contains { step in
      switch step {
      case .operation(device.number, _), .deed(device.number, _),
        .interruptDisk(device.number, _, .writer):
        true
      default: false
      }
    }
    guard isOver, versions.version(text.bytes)?.moved.contains(device.number) != true else {
      return false
    }
    return devices.contains { $0 !== device && contents(of: $0.disk.folder).contains(text) }
  }

  /// All contents on a device's disk, except files that its daemon was about to put somewhere.
  /// These are deleted at the next start, unless a person wrote into them in their earlier place.
  private func contents(of device: Device) -> Set<Versions.Text> {
    let own = device.disk.folder.entries[SimulatedDisk.ownFolder]
    let staged = own?.entries[Array("staging".utf8)]
    let edited = staged?.entries.values.filter { $0.kind == .file && !$0.isEngines } ?? []
    return contents(of: device.disk.top, leavingOut: staged)
      .union(edited.map { Versions.Text($0.bytes) })
  }

  /// The contents of the folder that only have unmirrored names.
  private func unseenContents(of device: Device) -> Set<Versions.Text> {
    func contents(withIgnored: Bool) -> Set<Versions.Text> {
      let tree = Tree(
        below: device.disk.folder, leavingOut: SimulatedDisk.ownFolder, withIgnored: withIgnored)
      return Set(tree.entries.values.map { Versions.Text($0.bytes) })
    }
    return contents(withIgnored: true).subtracting(contents(withIgnored: false))
  }

  func contents(
    of directory: Inode?, leavingOut other: Inode? = nil
  ) -> Set<Versions.Text> {
    var found: Set<Versions.Text> = []
    var stack = directory.map { [$0] } ?? []
    while let inode = stack.popLast() {
      if inode === other { continue }
      if inode.kind == .file { found.insert(Versions.Text(inode.bytes)) }
      stack += inode.entries.values
    }
    return found
  }
}
