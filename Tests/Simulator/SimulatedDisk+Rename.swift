import CairnFolders
import Glibc

extension SimulatedDisk {
  /// Returns whether a directory was removed although a descriptor is open: it accepts no new
  /// names.
  func isGone(_ directory: Inode) -> Bool { directory.links <= 1 && directory !== top }

  /// rename(2) and renameat2(2), for the engine and for people.
  func rename(
    _ name: Name, in from: Inode, to other: Name, in to: Inode, _ kind: RenameKind
  ) -> Int32 {
    guard let inode = from.entries[name] else { return -ENOENT }
    guard !isGone(to) else { return -ENOENT }
    let there = to.entries[other]
    if inode.kind == .directory, to.isInside(inode) { return -EINVAL }
    switch kind {
    case .swapping:
      guard let there else { return -ENOENT }
      if there.kind == .directory, from.isInside(there) { return -EINVAL }
      begin()
      swap(name, in: from, inode, other, in: to, there)
    case .toFreeName:
      guard there == nil else { return -EEXIST }
      begin()
      move(name, in: from, inode, to: other, in: to)
    case .replacing:
      if let there {
        if there === inode { return 0 }
        if there.kind == .directory {
          guard inode.kind == .directory else { return -EISDIR }
          guard there.entries.isEmpty else { return -ENOTEMPTY }
        } else if inode.kind == .directory {
          return -ENOTDIR
        }
      }
      begin()
      move(name, in: from, inode, to: other, in: to)
    }
    tellRename(name, in: from, to: other, in: to, isSwap: there != nil && kind == .swapping)
    return 0
  }

  private func move(
    _ name: Name, in from: Inode, _ inode: Inode, to other: Name, in to: Inode
  ) {
    // The inode always has a name, so it does not count as deleted.
    inode.openings += 1
    set(name, in: from, to: nil)
    set(other, in: to, to: inode)
    inode.openings -= 1
  }

  private func swap(
    _ name: Name, in from: Inode, _ inode: Inode, _ other: Name, in to: Inode, _ there: Inode
  ) {
    inode.openings += 1
    there.openings += 1
    set(name, in: from, to: there)
    set(other, in: to, to: inode)
    inode.openings -= 1
    there.openings -= 1
  }

  private func tellRename(
    _ name: Name, in from: Inode, to other: Name, in to: Inode, isSwap: Bool
  ) {
    let wasInside = hintPath(from, name) != nil
    tell(from, name)
    // A directory from outside is watched and listed again.
    if to.entries[other]?.kind == .directory, !wasInside {
      tellTree(to, other)
    } else {
      tell(to, other)
    }
    if isSwap { tell(from, name) }
  }
}
