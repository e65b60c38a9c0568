import CairnContainer
import CairnControl
import CairnFolders
import CairnZone
import FoundationEssentials
import Glibc

/// The operations for the console's page, which has neither a file system nor a terminal. The page
/// reads mirrored folders and rescue folders, through no symlink, and nothing else of this machine.
struct ContentOperations: Operations {
  let one: OpenContainer
  let targets: TargetResolver

  private var home: Home { one.home }

  /// The number of bytes that are sent together.
  private static let pieceSize = 96 << 10

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ReadContent.self) { try read($0, $1) }
    routes.answer(Control.DrawCode.self) { request, _ in try draw(request) }
  }

  private func read(
    _ request: Control.ReadContent, _ stream: ResponseStream
  ) throws -> Control.ContentReply {
    let file =
      try request.version.map {
        try opened(
          request.path, Control.VersionName($0, in: request.zone, of: request.record))
      }
      ?? opened(request.path)
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw ControlError(
        .invalidArguments, "\(request.path) is no regular file.",
        remedy: "Only files have bytes to show.", path: request.path)
    }
    var left = request.limit ?? .max
    var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
    while left > 0 {
      let count = Glibc.read(file, &buffer, min(buffer.count, Int(clamping: left)))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.unreadable(request.path, errno) }
      if count == 0 { break }
      left -= Int64(count)
      try stream.items([Data(buffer[..<count]).base64EncodedString()])
    }
    return Control.ContentReply(pieces: [], size: Int64(status.st_size))
  }

  private func draw(_ request: Control.DrawCode) throws -> Control.CodeReply {
    guard let code = QRCode(request.text) else {
      throw ControlError(
        .limitExceeded, "The text is empty, or too long for a QR code.", remedy: "Send it as text.")
    }
    let rows = (0..<code.width).map { row in
      (0..<code.width).map { code.isDark(row, $0) ? "1" : "0" }.joined()
    }
    return Control.CodeReply(rows: rows)
  }

  // MARK: Current content

  private func opened(_ path: Control.Path) throws -> CInt {
    let (folder, relative) = try place(of: path)
    let disk = SystemDisk()
    let root = disk.openRoot(folder)
    guard root >= 0 else { throw Self.unreadable(path, -root) }
    defer { close(root) }
    let file = disk.open(relative, beneath: root, flags: O_RDONLY | O_NONBLOCK, mode: 0)
    guard file >= 0 else { throw Self.unreadable(path, -file) }
    return file
  }

  /// The folder that may be read, and the path within it. Cairn's own folder in a mount may not be
  /// read, except for the rescue folder in it.
  private func place(of path: Control.Path) throws -> (folder: [UInt8], relative: [UInt8]) {
    let rescue = Array(home.rescue.utf8)
    if path.bytes.count > rescue.count, WatchRoots.isInside(path.bytes, rescue) {
      return (rescue, WatchRoots.relative(path.bytes, to: rescue))
    }
    let mount = try targets.mounted(path, for: Control.ReadContent.self).mount
    let relative = WatchRoots.relative(path.bytes, to: mount.folder)
    let names = relative.split(separator: UInt8(ascii: "/")).map { Array($0) }
    let isOwn = names.first == FileName.reserved && names.dropFirst().first != Array("rescue".utf8)
    let leadsElsewhere = names.contains { $0 == Array(".".utf8) || $0 == Array("..".utf8) }
    guard !names.isEmpty, !isOwn, !leadsElsewhere else {
      throw ControlError(
        .invalidArguments, "\(path) is no file of a mirrored folder.",
        remedy: "Name one of its files.", path: path)
    }
    return (mount.folder, relative)
  }

  private static func unreadable(_ path: Control.Path, _ number: CInt) -> ControlError {
    let isGone = number == ENOENT || number == ENOTDIR
    return ControlError(
      isGone ? .assetFileNotFound : .permissionFailure,
      isGone
        ? "There is no file at \(path)."
        : "\(path) can't be read: \(String(cString: strerror(number))).",
      remedy: isGone
        ? "`cairn history \(path.typed)` shows what was there." : "Look at it with ls(1).",
      path: path)
  }

  // MARK: Earlier versions

  /// Writes a version to a file without a name, so that no lock of the zone is held while a page
  /// reads.
  private func opened(_ path: Control.Path, _ version: Control.VersionName) throws -> CInt {
    let subject = try PastPath(path, in: targets, for: Control.ReadContent.self)
    try HistoryOperations.refresh(subject.mount.zone)
    let past = try subject.past(in: one.container)
    let chosen = try past.read { view in
      try PastChoice(subject: subject, at: nil, version: version).chosen(in: view)
    }
    let scratch = Control.Path("\(home.runtime)/content-\(UUID().uuidString)")
    defer { _ = scratch.bytes.withPath { unlink($0) } }
    var written = PastTree.Written()
    try PastTree(past: past, place: chosen.place)
      .write(chosen.found.version.record, to: scratch, &written)
    let file = scratch.bytes.withPath { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
    guard file >= 0 else { throw Self.unreadable(path, errno) }
    return file
  }
}
