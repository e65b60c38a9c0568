import CairnControl
import CairnFolders
import CairnReplica
import CairnZone
import FoundationEssentials
import Glibc

/// The operation that puts a new file into a mirrored folder, sent in pieces. An incomplete file is
/// in the mount's folder for incoming files, which is emptied at each start.
struct UploadOperations: Operations {
  /// The most numbers that are tried for a taken name.
  private static let numbers = 1_000

  let targets: TargetResolver

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Upload.self) { request, _ in try take(request) }
  }

  private func take(_ request: Control.Upload) throws -> Control.UploadReply {
    let (mount, _, _) = try targets.mounted(request.path, for: Control.Upload.self)
    let relative = WatchRoots.relative(request.path.bytes, to: mount.folder)
    let names = relative.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard !mount.isFile, let name = names.last, relative.last != UInt8(ascii: "/"),
      names.first != FileName.reserved,
      FileName(name) != nil, !names.contains(Array("..".utf8)), !names.contains(Array(".".utf8))
    else {
      throw ControlError(
        .invalidArguments, "\(request.path) can't be the name of a file in a mirrored folder.",
        remedy: "Choose another name or folder.", path: request.path)
    }
    guard request.id.utf8.count == 32, request.id.utf8.allSatisfy({ $0.isHexadecimal }),
      let piece = Data(base64Encoded: request.piece), request.offset >= 0
    else {
      throw ControlError(
        .invalidArguments, "The piece of the upload can't be understood.", remedy: "Try again.")
    }
    guard try mount.zone.read({ $0.rights.contains(.write) }) else {
      throw ControlError(
        .permissionFailure, "You can only view this folder, so you can't add a file to it.",
        remedy: "Ask its owner for the permission to edit.", path: request.path)
    }
    let disk = SystemDisk()
    let root = disk.openRoot(mount.folder)
    guard root >= 0 else { throw Self.failure(request.path, -root) }
    defer { disk.close(root) }
    let staged = Array(".cairn/staging/upload-\(request.id)".utf8)
    let size = try append(piece, to: staged, at: request.offset, beneath: root, request.path)
    guard request.isLast else { return Control.UploadReply(size: size) }
    let placed = try place(staged, at: names, beneath: root, request.path)
    return Control.UploadReply(size: size, path: mount.absolute(placed))
  }

  /// Appends a piece, and returns the new size.
  private func append(
    _ piece: Data, to staged: [UInt8], at offset: Int64, beneath root: Int32, _ path: Control.Path
  ) throws -> Int64 {
    let disk = SystemDisk()
    let flags = O_WRONLY | O_APPEND | (offset == 0 ? O_CREAT | O_EXCL : 0)
    let file = disk.open(staged, beneath: root, flags: flags, mode: 0o666)
    guard file >= 0 else { throw Self.failure(path, -file) }
    defer { disk.close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, Int64(status.st_size) == offset else {
      throw ControlError(
        .invalidArguments, "A piece of \(path) is missing.", remedy: "Upload the file again.",
        path: path)
    }
    var left = ArraySlice(piece)
    while !left.isEmpty {
      let count = left.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let number = errno
        _ = disk.remove(staged, in: root)
        throw Self.failure(path, number)
      }
      left = left.dropFirst(count)
    }
    return offset + Int64(piece.count)
  }

  /// Moves a complete file to its name, or to a free one beside it.
  /// - Returns: its path in the folder.
  private func place(
    _ staged: [UInt8], at names: [[UInt8]], beneath root: Int32, _ path: Control.Path
  ) throws -> [UInt8] {
    let disk = SystemDisk()
    let slash = [UInt8(ascii: "/")]
    let parent = Array(names.dropLast().joined(separator: slash))
    let folder = disk.open(
      parent.isEmpty ? Array(".".utf8) : parent, beneath: root, flags: O_RDONLY | O_DIRECTORY,
      mode: 0)
    guard folder >= 0 else {
      _ = disk.remove(staged, in: root)
      throw Self.failure(path, -folder)
    }
    defer { disk.close(folder) }
    let wanted = names.last.flatMap { FileName($0) }
    for number in 1...Self.numbers {
      guard let name = wanted?.numbered(number)?.bytes else { break }
      var result = disk.rename(staged, in: root, to: name, in: folder, .toFreeName)
      if result == -EINVAL {
        // A file system without such renames.
        result = disk.link(staged, in: root, as: name, in: folder)
        if result >= 0 { _ = disk.remove(staged, in: root) }
      }
      if result == -EEXIST { continue }
      guard result >= 0 else {
        _ = disk.remove(staged, in: root)
        throw Self.failure(path, -result)
      }
      return parent.isEmpty ? name : parent + slash + name
    }
    _ = disk.remove(staged, in: root)
    throw Self.failure(path, EEXIST)
  }

  private static func failure(_ path: Control.Path, _ number: CInt) -> ControlError {
    switch number {
    case ENOENT, ENOTDIR:
      ControlError(
        .assetFileNotFound, "The folder of \(path) is gone.", remedy: "Choose another folder.",
        path: path)
    case ENOSPC, EDQUOT:
      ControlError(
        .limitExceeded, "There is no room for \(path) on its disk.",
        remedy: "Free some space, and upload the file again.", path: path)
    default:
      ControlError(
        .permissionFailure,
        "\(path) can't be written: \(String(cString: strerror(number))).",
        remedy: "Check the permissions of its folder, and upload the file again.", path: path)
    }
  }
}

extension UInt8 {
  fileprivate var isHexadecimal: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
  }
}
