import CairnControl
import CairnFolders
import CairnZone
import Glibc

/// A new file of a mirrored folder that arrives in pieces. While it is incomplete, it is in the
/// mount's folder for incoming files, which is emptied at each start. It never replaces a file.
struct IncomingFile {
  /// The most numbers that are tried for a taken name.
  private static let numbers = 1_000

  /// The mirrored folder.
  private let folder: [UInt8]
  /// The path of the incomplete file in the folder.
  private let staged: [UInt8]
  /// The wanted path, for messages.
  private let path: Control.Path

  /// Describes a file; nothing is created yet.
  /// - Parameters:
  ///   - folder: The mirrored folder.
  ///   - id: The name of the incomplete file.
  ///   - path: The wanted path, for messages.
  init(in folder: [UInt8], id: String, path: Control.Path) {
    self.folder = folder
    staged = Array(".cairn/staging/\(id)".utf8)
    self.path = path
  }

  /// Opens the folder for one step.
  private func withRoot<Result>(_ body: (SystemDisk, Int32) throws -> Result) throws -> Result {
    let disk = SystemDisk()
    let root = disk.openRoot(folder)
    guard root >= 0 else { throw failure(-root) }
    defer { disk.close(root) }
    return try body(disk, root)
  }

  /// Appends a piece.
  /// - Parameters:
  ///   - piece: The bytes.
  ///   - offset: The number of bytes before it; 0 begins the file.
  /// - Returns: The new size.
  /// - Throws: `ControlError`.
  func append(_ piece: some Collection<UInt8>, at offset: Int64) throws -> Int64 {
    try withRoot { disk, root in
      let flags = O_WRONLY | O_APPEND | (offset == 0 ? O_CREAT | O_EXCL : 0)
      let file = disk.open(staged, beneath: root, flags: flags, mode: 0o666)
      guard file >= 0 else { throw failure(-file) }
      defer { disk.close(file) }
      var status = stat()
      guard fstat(file, &status) == 0, Int64(status.st_size) == offset else {
        throw ControlError(
          .invalidArguments, "A piece of \(path) is missing.", remedy: "Upload the file again.",
          path: path)
      }
      var left = Array(piece)[...]
      while !left.isEmpty {
        let count = left.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          let number = errno
          _ = disk.remove(staged, in: root)
          throw failure(number)
        }
        left = left.dropFirst(count)
      }
      return offset + Int64(piece.count)
    }
  }

  /// Moves the complete file to its name, or to a free one beside it. A power failure after the
  /// return loses neither its bytes nor its name.
  /// - Parameters:
  ///   - names: The names of the wanted path in the folder.
  ///   - size: The number of bytes.
  /// - Returns: The path in the folder.
  /// - Throws: `ControlError`.
  func place(at names: [[UInt8]], size: Int64) throws -> [UInt8] {
    try withRoot { disk, root in
      try flush(size, disk, root)
      let slash = [UInt8(ascii: "/")]
      let parent = Array(names.dropLast().joined(separator: slash))
      let directory = disk.open(
        parent.isEmpty ? Array(".".utf8) : parent, beneath: root, flags: O_RDONLY | O_DIRECTORY,
        mode: 0)
      guard directory >= 0 else {
        _ = disk.remove(staged, in: root)
        throw failure(-directory)
      }
      defer { disk.close(directory) }
      func sync() throws {
        let result = disk.sync(directory)
        // The file stays: it is in the folder, if perhaps not after a power failure.
        guard result >= 0 else { throw failure(-result) }
      }
      let wanted = names.last.flatMap { FileName($0) }
      for number in 1...Self.numbers {
        guard let name = wanted?.numbered(number)?.bytes else { break }
        var result = disk.rename(staged, in: root, to: name, in: directory, .toFreeName)
        if result == -EINVAL {
          // A file system without such renames.
          result = disk.link(staged, in: root, as: name, in: directory)
          if result >= 0 { _ = disk.remove(staged, in: root) }
        }
        if result == -EEXIST { continue }
        guard result >= 0 else {
          _ = disk.remove(staged, in: root)
          throw failure(-result)
        }
        try sync()
        return parent.isEmpty ? name : parent + slash + name
      }
      _ = disk.remove(staged, in: root)
      throw failure(EEXIST)
    }
  }

  /// Waits until the disk has the bytes. It also reports what a write or a close couldn't.
  private func flush(_ size: Int64, _ disk: SystemDisk, _ root: Int32) throws {
    let file = disk.open(staged, beneath: root, flags: O_RDONLY, mode: 0)
    guard file >= 0 else { throw failure(-file) }
    defer { disk.close(file) }
    let result = disk.sync(file)
    var status = stat()
    guard result >= 0, fstat(file, &status) == 0, Int64(status.st_size) == size else {
      _ = disk.remove(staged, in: root)
      throw failure(result < 0 ? -result : EIO)
    }
  }

  /// Removes the incomplete file, if there is one.
  func remove() throws { try withRoot { disk, root in _ = disk.remove(staged, in: root) } }

  private func failure(_ number: CInt) -> ControlError {
    switch number {
    case ENOENT, ENOTDIR:
      ControlError(
        .assetFileNotFound, "The folder of \(path) is gone.", remedy: "Choose another folder.",
        path: path)
    case ENOSPC, EDQUOT:
      ControlError(
        .limitExceeded, "There is no room for \(path) on its disk.",
        remedy: "Free some space, and try again.", path: path)
    default:
      ControlError(
        .permissionFailure,
        "\(path) can't be written: \(String(cString: strerror(number))).",
        remedy: "Check the permissions of its folder, and try again.", path: path)
    }
  }
}
