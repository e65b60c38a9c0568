import Glibc

/// The two renames that never destroy anything (LESSONS.md §2(b)).
enum Rename {
  /// Gives an entry another place, unless that name is taken.
  static func toFreeName(
    _ from: Descriptor, _ old: FileNameBytes, _ to: Descriptor, _ new: FileNameBytes
  ) throws(FolderError) {
    let result = from.disk.rename(old, in: from.number, to: new, in: to.number, .toFreeName)
    if result == -EINVAL { return try byLink(from, old, to, new) }
    guard result >= 0 else { throw FolderError(-result, new, "rename") }
  }

  /// Swaps two entries in one step; false where the file system has no such call.
  static func swap(
    _ first: Descriptor, _ firstName: FileNameBytes, _ second: Descriptor,
    _ secondName: FileNameBytes
  ) throws(FolderError) -> Bool {
    let result = first.disk.rename(
      firstName, in: first.number, to: secondName, in: second.number, .swapping)
    if result == -EINVAL { return false }
    guard result >= 0 else { throw FolderError(-result, secondName, "swap") }
    return true
  }

  /// Where the flag isn't offered: a link fails if the name is taken, and the old name goes after.
  private static func byLink(
    _ from: Descriptor, _ old: FileNameBytes, _ to: Descriptor, _ new: FileNameBytes
  ) throws(FolderError) {
    let linked = from.disk.link(old, in: from.number, as: new, in: to.number)
    if linked < 0 {
      // Directories can't be linked; there a check before the rename is the best there is.
      guard linked == -EPERM, try FileStat.at(to, new) == nil else {
        throw FolderError(-linked, new, "rename")
      }
      let moved = from.disk.rename(old, in: from.number, to: new, in: to.number, .replacing)
      guard moved >= 0 else { throw FolderError(-moved, new, "rename") }
      return
    }
    let removed = from.disk.remove(old, in: from.number)
    guard removed >= 0 else { throw FolderError(-removed, old, "remove the old name") }
  }
}
