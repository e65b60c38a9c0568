import CairnSystem
import CairnZone
import Glibc

/// The write bits of files: how a folder shows that its person may not write.
struct FileMode {
  /// The write bits that a new file of this person gets, after umask and default access lists.
  let writeBits: UInt32

  static let anyWrite: UInt32 = 0o222

  /// Asks the file system, by a new file in the staging folder: the umask of a process can't be
  /// read without changing it.
  init(_ staging: Staging) throws(FolderError) {
    let name = staging.freshName(for: .root)
    let number = name.withCString {
      openat(staging.incoming.number, $0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    }
    guard number >= 0 else { throw FolderError(errno, name, "make a file") }
    let file = Descriptor(owning: number)
    // The next start sweeps it if this fails.
    _ = name.withCString { unlinkat(staging.incoming.number, $0, 0) }
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
    let number = name.withCString { cairn_open_path(directory.number, $0) }
    guard number >= 0 else {
      if number == -ENOENT || number == -ENOTDIR { return nil }
      throw FolderError(-number, name, "open")
    }
    let file = Descriptor(owning: number)
    let before = try FileStat.of(file)
    guard before.kind == .file else { return nil }
    let wanted = mode(before.mode)
    guard wanted != before.mode else { return (before, before) }
    // A descriptor that only names the file can't be given to fchmod(2).
    guard chmod("/proc/self/fd/\(file.number)", mode_t(wanted)) == 0 else {
      throw FolderError(errno, name, "change the mode")
    }
    return (before, try FileStat.of(file))
  }
}
