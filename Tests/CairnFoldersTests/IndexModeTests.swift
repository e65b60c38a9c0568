import CairnFolders
import CairnReplica
import Foundation
import Testing

/// Index files contain keys of zones. Only their owner can read them, whatever the mode of their
/// folder is.
struct IndexModeTests {
  /// Returns the modes of all files in the folder.
  private func modes(in folder: String) throws -> [String: UInt32] {
    try FileManager.default.contentsOfDirectory(atPath: folder).reduce(into: [:]) { modes, name in
      var status = stat()
      try #require(lstat("\(folder)/\(name)", &status) == 0)
      modes[name] = status.st_mode & 0o7777
    }
  }

  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "cairn-modes-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  @Test func `index files are readable for their owner alone`() throws {
    try inFolder { folder in
      let files = try IndexFiles(folder: folder)
      let folders = try FolderIndex(path: folder + "/folders.sqlite")
      let modes = try modes(in: folder)
      for name in ["private", "shared", "public", "people", "folders"] {
        for end in ["", "-wal", "-shm"] { #expect(modes["\(name).sqlite\(end)"] == 0o600) }
      }
      withExtendedLifetime((files, folders)) {}
    }
  }

  @Test func `index files that others can read are closed to them at the next start`() throws {
    try inFolder { folder in
      let path = folder + "/folders.sqlite"
      do { _ = try FolderIndex(path: path) }
      // As a copy, or an earlier version, left them. Another process uses the file.
      try #require(chmod(path, 0o644) == 0)
      let other = try FolderIndex(path: path)
      for end in ["", "-wal", "-shm"] { try #require(chmod(path + end, 0o644) == 0) }
      let index = try FolderIndex(path: path)
      #expect(try Set(modes(in: folder).values) == [0o600])
      withExtendedLifetime((index, other)) {}
    }
  }
}
