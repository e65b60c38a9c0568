import CairnZone

/// The modes of files that this person creates: the limit for the modes of others, and the write
/// bits with which a folder shows that its person can only view.
struct FileMode {
  /// The permission bits of a new file by this person, after umask and default access lists.
  let ofNewFile: UInt32
  /// The write bits of a new file.
  var writeBits: UInt32 { ofNewFile & Self.anyWrite }
  /// The most that an executable file or a directory by this person can have.
  var most: UInt32 { ofNewFile | (ofNewFile & 0o444) >> 2 }

  static let anyWrite: UInt32 = 0o222

  /// Tests the file system with a new file in the staging folder: the umask of a process cannot be
  /// read without changing it.
  init(_ staging: Staging) throws(FolderError) {
    let name = staging.freshName(for: .root)
    let file = try staging.incoming.makeFile(name, mode: 0o666)
    // If this fails, the next start removes it.
    _ = file.disk.remove(name, in: staging.incoming.number)
    ofNewFile = try FileStat.of(file).mode & 0o777
  }

  /// The mode of a file with `mode` that becomes writable or not: readers may write it, if new
  /// files have such modes.
  func mode(_ mode: UInt32, isReadOnly: Bool) -> UInt32 {
    isReadOnly ? mode & ~Self.anyWrite : mode | ((mode & 0o444) >> 1 & writeBits)
  }

  /// Changes the mode of a regular file, even an unreadable one, without following a symlink.
  /// - Returns: the file before and after; nil if there is none.
  static func set(
    _ name: FileNameBytes, in directory: Descriptor, to mode: (UInt32) -> UInt32
  ) throws(FolderError) -> (before: FileStat, after: FileStat)? {
    guard let file = try directory.openNode(name) else { return nil }
    let before = try FileStat.of(file)
    guard before.kind == .file else { return nil }
    let wanted = mode(before.mode)
    guard wanted != before.mode else { return (before, before) }
    try file.setMode(wanted, name)
    return (before, try FileStat.of(file))
  }
}
