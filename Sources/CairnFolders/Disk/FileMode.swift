import CairnZone

/// The write bits of files: how a folder shows that its person may not write.
struct FileMode {
  /// The write bits that a new file of this person gets, after umask and default access lists.
  let writeBits: UInt32

  static let anyWrite: UInt32 = 0o222

  /// Asks the file system, by a new file in the staging folder: the umask of a process can't be
  /// read without changing it.
  init(_ staging: Staging) throws(FolderError) {
    let name = staging.freshName(for: .root)
    let file = try staging.incoming.makeFile(name, mode: 0o666)
    // The next start sweeps it if this fails.
    _ = file.disk.remove(name, in: staging.incoming.number)
    writeBits = try FileStat.of(file).mode & Self.anyWrite
  }

  /// The mode of a file that has `mode` now and shall be writable or not: who may read it may
  /// write it, if new files are made like that.
  func mode(_ mode: UInt32, isReadOnly: Bool) -> UInt32 {
    isReadOnly ? mode & ~Self.anyWrite : mode | ((mode & 0o444) >> 1 & writeBits)
  }

  /// Changes the mode of a regular file, following no symlink, also where it can't be read.
  /// - Returns: what the file is like before and after; nil if no file is there.
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
