import CairnControl
import CairnStore
import FoundationEssentials
import Glibc

/// The paused traffic, saved in the home: it survives the daemon. The effect of a pause is
/// elsewhere.
struct PauseFile {
  private let path: String

  init(_ home: Home) { path = home.paused }

  /// Returns the pauses; none if there is no file.
  /// - Throws: `ControlError` if the file is unreadable.
  func load() throws -> Traffic.Pauses {
    guard access(path, F_OK) == 0 else { return Traffic.Pauses() }
    do {
      let data = try Data(contentsOf: URL(filePath: path))
      return try JSONDecoder().decode(Traffic.Pauses.self, from: data)
    } catch {
      throw ControlError(
        .invalidArguments, "\(path), which says what is paused, can't be read: \(error)",
        remedy: "Remove that file: then nothing is paused.")
    }
  }

  /// Writes the pauses, completely or not at all.
  /// - Throws: `ControlError` if writing fails.
  func save(_ pauses: Traffic.Pauses) throws {
    do {
      guard !pauses.isEmpty else {
        guard unlink(path) == 0 || errno == ENOENT else { throw CocoaError(.fileWriteUnknown) }
        return
      }
      try JSONEncoder().encode(pauses).write(to: URL(filePath: path), options: .atomic)
      chmod(path, 0o600)
    } catch {
      throw ControlError(
        .internalError, "\(path), which says what is paused, can't be written: \(error)",
        remedy: "Make room on its disk, and check the owner of the folder.")
    }
  }
}
