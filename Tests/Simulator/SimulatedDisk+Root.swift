import CairnFolders

/// The mirrored folder leaves its path, as when a person moves it or its disk is not mounted, and
/// returns unchanged.
extension SimulatedDisk {
  private static let away = Array("away".utf8)

  /// A Boolean value that indicates whether something else, or nothing, is at the folder's path.
  var isRootHidden: Bool { folder.name == Self.away }

  /// A Boolean value that indicates whether the folder was removed with its share, so that nobody
  /// can put anything into it. The process may have ended before it gave up the rest.
  var isFolderGone: Bool { top.entries[folder.name] !== folder }

  /// Removes the folder from its path. No power cut undoes that.
  func hideRoot(_ fate: Step.RootFate) {
    guard !isRootHidden else { return }
    let name = folder.name
    top.entries[Self.away] = folder
    top.entries[name] = nil
    folder.name = Self.away
    guard fate != .nothing else { return }
    let device: UInt64 = fate == .otherDisk ? 2 : 1
    let isDisguised = sabotage == .disguisedRoot
    let other =
      isDisguised
      ? Inode(.directory, number: folder.number, birth: folder.birth, mode: 0o755, now: time)
      : inode(.directory, number: 1 << 40, device)
    if isDisguised { other.entries[Self.ownFolder] = folder.entries[Self.ownFolder] }
    (other.parent, other.name, other.links) = (top, name, 2)
    top.entries[name] = other
    guard fate != .empty else { return }
    let file = inode(.file, number: 1 << 40 | 1, device)
    file.bytes = Array("not mirrored".utf8)
    file.links = 1
    file.makeDurable()
    other.entries[PersonAtWork.names[0]] = file
  }

  /// Puts the folder back.
  /// - Returns: whether its replacement is unchanged.
  func showRoot() -> Bool {
    guard isRootHidden else { return true }
    let path = Array(Self.folderPath.dropFirst())
    let isUntouched = top.entries[path].map { other in
      let tree = Tree(below: other, leavingOut: nil)
      return tree.entries.values.allSatisfy { $0.bytes == Array("not mirrored".utf8) }
        && (tree.entries.isEmpty || tree.entries.keys.elementsEqual([PersonAtWork.names[0]]))
    }
    top.entries[Self.away] = nil
    top.entries[path] = folder
    folder.name = path
    return isUntouched ?? true
  }

  private func inode(_ kind: FileStat.Kind, number: UInt64, _ device: UInt64) -> Inode {
    let inode = Inode(kind, number: number, birth: time, mode: 0o755, now: time)
    inode.device = device
    return inode
  }
}
