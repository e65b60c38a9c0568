import CairnControl
import CairnIdentity
import CairnZone
import Glibc

/// The secret of a program, by which the daemon knows it. All processes of the program read it from
/// one file.
struct ProgramSecret {
  /// The number of digits.
  private static let length = 64
  /// The secret.
  let text: String

  /// Reads the secret of a program, and draws one if there is none.
  /// - Throws: `CloudError` if the file can't be read or written.
  init(_ program: Program) throws {
    let name = program.name
    guard !name.isEmpty, name.utf8.count <= 64, !name.hasPrefix("."), !name.contains("/"),
      name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else {
      throw CloudError(
        .invalidArguments, "“\(name)” can't be the name of a program: use at most 64 letters")
    }
    let folder = try program.secrets ?? Self.folder()
    try Home.makePrivateFolder(folder)
    let path = "\(folder)/\(name)"
    if let known = try Self.read(path) {
      text = known
      return
    }
    // The file has its name only when it is complete. Of two processes, the first one decides.
    let drawn = hexadecimal(Crypto.random(Self.length / 2))
    let unfinished = "\(path).\(hexadecimal(Crypto.random(8)))"
    defer { unlink(unfinished) }
    try Self.write(drawn, to: unfinished)
    guard link(unfinished, path) == 0 || errno == EEXIST else { throw Self.failure(path) }
    guard let known = try Self.read(path) else { throw Self.failure(path) }
    text = known
  }

  private static func folder() throws -> String {
    let environment = Home.environment()
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      return state + "/cairn-programs"
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else {
      throw CloudError(.invalidArguments, "HOME is not set, so there is no place for the secret")
    }
    return home + "/.local/state/cairn-programs"
  }

  /// Returns the secret in a file; nil if there is no file.
  private static func read(_ path: String) throws -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else {
      guard errno == ENOENT else { throw failure(path) }
      return nil
    }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: length + 1)
    let count = Glibc.read(file, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    guard text.utf8.count == length, readHexadecimal(Array(text.utf8)) != nil else {
      throw CloudError(
        .notAuthenticated, "\(path) has no valid secret: remove it, and the person is asked again")
    }
    return text
  }

  private static func write(_ text: String, to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(path) }
    defer { close(file) }
    let bytes = Array(text.utf8)
    guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
      throw failure(path)
    }
  }

  private static func failure(_ path: String) -> CloudError {
    CloudError(.permissionFailure, "\(path): \(String(cString: strerror(errno)))")
  }
}
