import Foundation
import Glibc
import Testing

@testable import CairnIndex

struct IndexFolderLockTests {
  /// The lock of another process, as far as this process's lock can tell.
  private func lock(_ folder: String, as process: Int32) throws -> CInt {
    let file = open(folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(file >= 0)
    let text = Array("\(process)\n".utf8)
    try #require(pwrite(file, text, text.count, 0) == text.count)
    try #require(flock(file, LOCK_EX) == 0)
    return file
  }

  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/lock-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }  // The folder is temporary.
    try body(folder)
  }

  @Test func `the lock of a process that is ending is waited for`() throws {
    try withFolder { folder in
      let other = try lock(folder, as: 4_711)
      var asked: [Int32] = []
      let own = try IndexFolderLock(folder) { process in
        asked.append(process)
        if asked.count == 3 { close(other) }
        return true
      }
      withExtendedLifetime(own) { #expect(asked == [4_711, 4_711, 4_711]) }
    }
  }

  @Test func `a process that goes on keeps its lock`() throws {
    try withFolder { folder in
      let other = try lock(folder, as: getpid())
      defer { close(other) }
      #expect(throws: IndexFolderInUse(folder: folder, process: getpid())) {
        try IndexFolderLock(folder)
      }
    }
  }

  @Test func `a process that goes on is told from one that has ended`() throws {
    #expect(!IndexFolderLock.isEnding(getpid()))
    let child = Process()
    child.executableURL = URL(filePath: "/bin/true")
    try child.run()
    child.waitUntilExit()
    #expect(IndexFolderLock.isEnding(child.processIdentifier))
  }
}
