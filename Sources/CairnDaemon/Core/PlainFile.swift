import CairnControl
import CairnFolders
import Glibc

/// Plain files outside of mirrored folders, by absolute path: read for `public put`, written whole
/// or not at all for `public get` and `public export`. It knows no zone.
enum PlainFile {
  /// The state of a file when it was read.
  struct Read {
    var isExecutable: Bool
    /// Nanoseconds since 1970.
    var modified: Int64
  }

  /// Reads a regular file piece by piece.
  /// - Throws: `ControlError`; `.assetFileModified` if it changed meanwhile.
  static func read<Result>(
    _ path: Control.Path, _ body: ((UnsafeMutableRawBufferPointer) throws -> Int) throws -> Result
  ) throws -> (Result, Read) {
    let file = path.bytes.withPath { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard file >= 0 else {
      throw ControlError(
        errno == ENOENT || errno == ENOTDIR ? .assetFileNotFound : .permissionFailure,
        "\(path) can't be read: \(String(cString: strerror(errno))).",
        remedy: "Name a file that you may read.", path: path)
    }
    defer { close(file) }
    var before = stat()
    guard fstat(file, &before) == 0, before.st_mode & S_IFMT == S_IFREG else {
      throw ControlError(
        .invalidArguments, "\(path) is no regular file.", remedy: "Name a file.", path: path)
    }
    let result = try body { buffer in
      while true {
        let count = Glibc.read(file, buffer.baseAddress, buffer.count)
        if count >= 0 { return count }
        guard errno == EINTR else { throw failure("be read", path) }
      }
    }
    var after = stat()
    guard fstat(file, &after) == 0, after.st_size == before.st_size,
      after.st_mtim.tv_sec == before.st_mtim.tv_sec,
      after.st_mtim.tv_nsec == before.st_mtim.tv_nsec
    else {
      throw ControlError(
        .assetFileModified, "\(path) changed while it was read.",
        remedy: "Try again when nobody writes it.", path: path)
    }
    return (
      result,
      Read(
        isExecutable: before.st_mode & 0o100 != 0,
        modified: before.st_mtim.nanoseconds)
    )
  }

  /// The bytes of a file that isn't large.
  static func bytes(of path: Control.Path) throws -> [UInt8] {
    try read(path) { fill in
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = try buffer.withUnsafeMutableBytes { try fill($0) }
        if count == 0 { return bytes }
        bytes += buffer[..<count]
      }
    }.0
  }

  /// Writes a file beside its place, durably, and renames it there; what was there is replaced.
  /// Its time is `modified`, in nanoseconds since 1970; nil: now. `body` hands the bytes to what it
  /// is given.
  static func write(
    _ path: Control.Path, isExecutable: Bool, modified: Int64?,
    _ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
  ) throws {
    let unfinished = beside(path)
    // What was there keeps its mode, or the bytes would be for more people than before.
    var before = stat()
    let isThere = path.bytes.withPath { lstat($0, &before) } == 0
    let kept = isThere && before.st_mode & S_IFMT == S_IFREG ? before.st_mode & 0o777 : nil
    let mode: mode_t = kept.map { $0 | 0o200 } ?? (isExecutable ? 0o777 : 0o666)
    let file = unfinished.withPath { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode) }
    guard file >= 0 else { throw failure("be written", path) }
    defer { close(file) }
    do {
      var runs = ZeroRuns()
      try body { bytes in try runs.take(bytes) { try put($0, into: file, path) } }
      if let size = try runs.finish({ try put($0, into: file, path) }) {
        guard ftruncate(file, off_t(size)) == 0 else { throw failure("be written", path) }
      }
      if let modified {
        let time = timespec(nanoseconds: modified)
        let times = [time, time]
        guard futimens(file, times) == 0 else { throw failure("get its time", path) }
      }
      guard fsync(file) == 0 else { throw failure("be written", path) }
      let renamed = unfinished.withPath { old in path.bytes.withPath { rename(old, $0) } }
      guard renamed == 0 else { throw failure("be written", path) }
    } catch {
      _ = unfinished.withPath { unlink($0) }
      throw error
    }
  }

  private static func put(
    _ act: ZeroRuns.Act, into file: Int32, _ path: Control.Path
  ) throws {
    switch act {
    case .skip(let count):
      guard lseek(file, off_t(count), SEEK_CUR) >= 0 else { throw failure("be written", path) }
    case .write(let bytes):
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Glibc.write(
          file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw failure("be written", path) }
        rest = rest.dropFirst(count)
      }
    }
  }

  static func failure(_ what: String, _ path: Control.Path) -> ControlError {
    let code: Control.ErrorCode =
      switch errno {
      case ENOSPC, EDQUOT: .quotaExceeded
      case ENOENT: .unknownItem
      default: .permissionFailure
      }
    return ControlError(
      code, "\(path) can't \(what): \(String(cString: strerror(errno))).",
      remedy: "Check the folder, its mode, and the room on the disk.", path: path)
  }

  /// A name in the same folder that nobody else has.
  private static func beside(_ path: Control.Path) -> [UInt8] {
    let folder = path.bytes[..<(path.bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0)]
    let token = String(UInt64.random(in: .min ... .max), radix: 36)
    return Array(folder) + Array("/.cairn-\(token)".utf8)
  }
}
