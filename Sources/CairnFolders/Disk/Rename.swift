import CairnSystem
import Glibc

/// The two renames that never destroy anything (LESSONS.md §2(b)).
enum Rename {
  /// Gives an entry another place, unless that name is taken.
  static func toFreeName(
    _ from: Descriptor, _ old: FileNameBytes, _ to: Descriptor, _ new: FileNameBytes
  ) throws(FolderError) {
    let result = old.withCString { old in
      new.withCString { new in cairn_rename_noreplace(from.number, old, to.number, new) }
    }
    if result == -EINVAL { return try byLink(from, old, to, new) }
    guard result >= 0 else { throw FolderError(-result, new, "rename") }
  }

  /// Swaps two entries in one step; false where the file system has no such call.
  static func swap(
    _ first: Descriptor, _ firstName: FileNameBytes, _ second: Descriptor,
    _ secondName: FileNameBytes
  ) throws(FolderError) -> Bool {
    let result = firstName.withCString { one in
      secondName.withCString { two in
        cairn_rename_exchange(first.number, one, second.number, two)
      }
    }
    if result == -EINVAL { return false }
    guard result >= 0 else { throw FolderError(-result, secondName, "swap") }
    return true
  }

  /// Where the flag isn't offered: a link fails if the name is taken, and the old name goes after.
  private static func byLink(
    _ from: Descriptor, _ old: FileNameBytes, _ to: Descriptor, _ new: FileNameBytes
  ) throws(FolderError) {
    let linked = old.withCString { old in
      new.withCString { new in linkat(from.number, old, to.number, new, 0) }
    }
    if linked != 0 {
      let number = errno
      // Directories can't be linked; there a check before the rename is the best there is.
      guard number == EPERM, try FileStat.at(to, new) == nil else {
        throw FolderError(number, new, "rename")
      }
      let moved = old.withCString { old in
        new.withCString { new in cairn_rename(from.number, old, to.number, new) }
      }
      guard moved >= 0 else { throw FolderError(-moved, new, "rename") }
      return
    }
    guard old.withCString({ unlinkat(from.number, $0, 0) }) == 0 else {
      throw FolderError(errno, old, "remove the old name")
    }
  }
}
