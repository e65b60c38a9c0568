import CairnControl
import FoundationEssentials
import Glibc

/// The incomplete assets of programs, in files beside the index. A repeated piece replaces itself,
/// also after a crash.
struct ProgramUploads {
  /// The time after which an incomplete asset is removed, in seconds.
  private static let day = 24 * 3_600
  private let folder: String

  init(_ home: Home) { folder = home.index + "/uploads" }

  /// Removes what programs have left.
  /// - Parameter now: The time in seconds since 1970.
  func clean(at now: Int) {
    guard let entries = opendir(folder) else { return }
    defer { closedir(entries) }
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      var status = stat()
      let path = "\(folder)/\(name)"
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        status.st_mtim.tv_sec < now - Self.day
      else { continue }
      unlink(path)
    }
  }

  /// Returns the answer to the last piece of an upload, if that was given already.
  func answer(_ request: Control.ProgramUpload) -> Control.ProgramUploadReply? {
    guard request.isLast, access(path(request) + ".done", F_OK) == 0 else { return nil }
    // Without the note, the last piece is taken once more.
    let data = (try? Data(contentsOf: URL(filePath: path(request) + ".done"))) ?? Data()
    // An unreadable note counts as none.
    return try? JSONDecoder().decode(Control.ProgramUploadReply.self, from: data)
  }

  /// Adds a piece.
  /// - Returns: The number of bytes so far.
  func add(_ request: Control.ProgramUpload) throws -> Int64 {
    guard request.id.utf8.count == 32, request.id.allSatisfy({ $0.isHexDigit && $0.isASCII }),
      let piece = Control.bytes(base64: request.piece), request.offset >= 0
    else {
      throw ControlError(.invalidArguments, "The piece of the upload can't be understood.")
    }
    try Home.makePrivateFolder(folder)
    let file = open(path(request), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure(errno) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, Int64(status.st_size) >= request.offset else {
      throw ControlError(.invalidArguments, "A piece of the upload is missing.")
    }
    guard ftruncate(file, off_t(request.offset)) == 0 else { throw failure(errno) }
    var (rest, place) = (piece[...], off_t(request.offset))
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, place) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure(errno) }
      rest = rest.dropFirst(count)
      place += off_t(count)
    }
    return Int64(place)
  }

  /// Reads a complete upload with `body`, which gets a function that fills a buffer.
  func read<Result>(
    _ request: Control.ProgramUpload,
    _ body: ((UnsafeMutableRawBufferPointer) throws -> Int) throws -> Result
  ) throws -> Result {
    let file = open(path(request), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { throw failure(errno) }
    defer { close(file) }
    return try body { buffer in
      while true {
        let count = Glibc.read(file, buffer.baseAddress, buffer.count)
        if count >= 0 { return count }
        guard errno == EINTR else { throw failure(errno) }
      }
    }
  }

  /// Notes the answer to the last piece, and removes the bytes.
  func finish(_ request: Control.ProgramUpload, _ reply: Control.ProgramUploadReply) throws {
    try JSONEncoder().encode(reply)
      .write(to: URL(filePath: path(request) + ".done"), options: .atomic)
    unlink(path(request))
  }

  private func path(_ request: Control.ProgramUpload) -> String { "\(folder)/\(request.id)" }

  private func failure(_ number: CInt) -> ControlError {
    ControlError(
      number == ENOSPC || number == EDQUOT ? .quotaExceeded : .internalError,
      "An asset can't be kept in \(folder): \(String(cString: strerror(number))).",
      remedy: "Make room on its disk.")
  }
}
