import Glibc

/// The two renames that never destroy anything. Against an editor that renames a new version over
/// the same name, a check followed by rename(2) lost 23 of 20,000 edits; these lost none.
enum Rename {
  /// Renames an entry, unless the new name is taken. `via` is a temporary directory of Cairn on the
  /// file system of `from`; nil if only Cairn changes names in `from`.
  static func toFreeName(
    _ from: Descriptor, _ old: FileNameBytes, _ to: Descriptor, _ new: FileNameBytes,
    via: Descriptor?
  ) throws(FolderError) {
    let result = from.disk.rename(old, in: from.number, to: new, in: to.number, .toFreeName)
    if result == -EINVAL { return try byLink(from, old, to, new, via) }
    guard result < 0 else { return }
    let error = FolderError(-result, new, "rename")
    guard error.mayBeDone, stands(old, in: from) == false, stands(new, in: to) == true else {
      throw error
    }
  }

  /// Renames a directory of Cairn's own, unless the new name is taken. `ours` is how it looks
  /// before.
  /// - Returns: False if the file system can't do that in one step. Then nothing is changed.
  static func directoryToFreeName(
    _ from: Descriptor, _ old: FileNameBytes, _ to: Descriptor, _ new: FileNameBytes,
    _ ours: FileStat
  ) throws(FolderError) -> Bool {
    let result = from.disk.rename(old, in: from.number, to: new, in: to.number, .toFreeName)
    guard result < 0 else { return true }
    let error = FolderError(-result, new, "rename")
    if error.code == .unsupported || error.code == .otherDevice { return false }
    guard error.mayBeDone, stands(ours, as: new, in: to) else { throw error }
    return true
  }

  /// Returns whether anything has the name; nil if unknown. After a failure this does not show
  /// whether the rename was done, for example over a network: a caller that must know compares the
  /// inodes.
  private static func stands(_ name: FileNameBytes, in directory: Descriptor) -> Bool? {
    do throws(FolderError) { return try FileStat.at(directory, name) != nil } catch { return nil }
  }

  /// Returns whether that inode has the name now.
  private static func stands(
    _ stat: FileStat, as name: FileNameBytes, in directory: Descriptor
  ) -> Bool {
    do throws(FolderError) {
      return try FileStat.at(directory, name)?.isSameInode(as: stat) ?? false
    } catch {
      return false
    }
  }

  /// Swaps two entries in one step; false if the file system has no such call. `ours` is the one
  /// with the first name, which then has the second.
  static func swap(
    _ first: Descriptor, _ firstName: FileNameBytes, _ second: Descriptor,
    _ secondName: FileNameBytes, ours: FileStat? = nil
  ) throws(FolderError) -> Bool {
    let result = first.disk.rename(
      firstName, in: first.number, to: secondName, in: second.number, .swapping)
    if result == -EINVAL { return false }
    guard result < 0 else { return true }
    let error = FolderError(-result, secondName, "put the new version in its place")
    guard error.mayBeDone, let ours, stands(ours, as: secondName, in: second) else { throw error }
    return true
  }

  /// Without the flag: a link fails if the name is taken, and the old name is removed afterwards.
  private static func byLink(
    _ from: Descriptor, _ old: FileNameBytes, _ to: Descriptor, _ new: FileNameBytes,
    _ via: Descriptor?
  ) throws(FolderError) {
    let before = try FileStat.at(from, old)
    let linked = from.disk.link(old, in: from.number, as: new, in: to.number)
    if linked < 0 {
      // Directories cannot be linked; a check before the rename is the best available.
      guard linked == -EPERM, try FileStat.at(to, new) == nil else {
        throw FolderError(-linked, new, "rename")
      }
      let moved = from.disk.rename(old, in: from.number, to: new, in: to.number, .replacing)
      guard moved >= 0 else { throw FolderError(-moved, new, "rename") }
      return
    }
    guard let via, let before else { return try from.remove(old) }
    let outcome = try takeAway(old, from, before, via) { () throws(FolderError) in
      try FileStat.at(to, new)
    }
    switch outcome {
    case .takenAway: break
    case .isReplaced:
      // As if it had been taken before: an inode with only the old name gets it back.
      throw FolderError(EEXIST, new, "rename")
    case .isGone:
      // Its person deleted or renamed it: then our name came too late, and is one too many.
      guard let now = try FileStat.at(to, new), now.isSameInode(as: before),
        now.links > before.links
      else { return }
      try takeBack(new, to, before, via)
      throw FolderError(ENOENT, old, "rename")
    }
  }

  /// The result for the old name of a linked file.
  private enum Outcome {
    case takenAway, isGone
    /// Another file replaced the new name.
    case isReplaced
  }

  /// Removes the new name of an inode that got another one from a person. It is checked where
  /// nobody else can change it, and goes back if it is another inode now, or has only this name.
  private static func takeBack(
    _ new: FileNameBytes, _ to: Descriptor, _ linked: FileStat, _ via: Descriptor
  ) throws(FolderError) {
    let name = try freeName(for: linked, in: via)
    let moved = to.disk.rename(new, in: to.number, to: name, in: via.number, .replacing)
    guard moved >= 0 else {
      guard moved != -ENOENT else { return }
      throw FolderError(-moved, new, "take back the new name")
    }
    if let found = try FileStat.at(via, name), found.isSameInode(as: linked), found.links > 1 {
      // If removing it fails, the next scan of the whole folder removes it.
      _ = via.disk.remove(name, in: via.number)
      return
    }
    try putBack(name, via, to, new)
  }

  /// Restores the earlier name of an entry, unless the name is taken by now.
  private static func putBack(
    _ name: FileNameBytes, _ via: Descriptor, _ to: Descriptor, _ old: FileNameBytes
  ) throws(FolderError) {
    do throws(FolderError) {
      try byLink(via, name, to, old, nil)
    } catch {
      // The name was taken again: the entry stays there, where the next start finds it.
      guard error.code == .exists else { throw error }
    }
  }

  /// A rename to another name of the same inode does nothing, so remains of an interruption must
  /// not have the name.
  private static func freeName(
    for stat: FileStat, in via: Descriptor
  ) throws(FolderError) -> FileNameBytes {
    var attempt = 1
    while true {
      let name = Array("via-\(stat.inode)-\(attempt)".utf8)
      if try FileStat.at(via, name) == nil { return name }
      attempt += 1
    }
  }

  /// Removes the old name of a linked file. Another file may have taken the name since, so it is
  /// checked where nobody else can change it. It goes back if it is another file, or if the new
  /// name was replaced and it would be the only remaining one.
  private static func takeAway(
    _ old: FileNameBytes, _ from: Descriptor, _ linked: FileStat, _ via: Descriptor,
    atNewName: () throws(FolderError) -> FileStat?
  ) throws(FolderError) -> Outcome {
    let name = try freeName(for: linked, in: via)
    let moved = from.disk.rename(old, in: from.number, to: name, in: via.number, .replacing)
    guard moved >= 0 else {
      // Its person removed it first.
      guard moved != -ENOENT else { return .isGone }
      throw FolderError(-moved, old, "take away the old name")
    }
    var isReplaced = false
    if let found = try FileStat.at(via, name), found.isSameInode(as: linked) {
      let new = try atNewName()
      if let new, new.isSameInode(as: linked) {
        // If removing it fails, the next scan of the whole folder removes it.
        _ = via.disk.remove(name, in: via.number)
        return .takenAway
      }
      isReplaced = new != nil && found.links == 1
      // Its person may already have moved or deleted it under the new name: then it stays, where
      // the next start finds it.
      guard isReplaced else { return .takenAway }
    }
    try putBack(name, via, from, old)
    return isReplaced ? .isReplaced : .takenAway
  }
}
