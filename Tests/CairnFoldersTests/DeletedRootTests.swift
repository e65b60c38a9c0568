import CairnFolders
import Foundation
import Testing

/// A person who deletes the folder of a share leaves the share. An unreadable folder isn't deleted.
struct DeletedRootTests {
  private let disk = FailingDisk()
  private let world: HostileWorld

  init() throws {
    world = try HostileWorld(disk: disk)
    try world.play([try HostileWorld.file("a", world.mallory, "her a")])
  }

  @Test(arguments: [EIO, ESTALE, ENOTCONN, EACCES, ENOENT])
  func `a folder that the file system fails to open isn't deleted`(reason: Int32) throws {
    disk.loseRoot(world.folder, errno: reason)
    for _ in 0..<3 {
      let error = #expect(throws: FolderError.self) { try world.turn() }
      #expect(error?.code == .detached)
    }
    disk.heal()
    try world.play([try HostileWorld.file("b", world.mallory, "her b")])
    #expect(try world.tree() == ["a": "her a", "b": "her b"])
  }

  @Test func `a folder that was deleted counts as deleted`() throws {
    try FileManager.default.removeItem(atPath: world.folder)
    #expect(try world.turn() == .ended(.rootDeleted))
  }

  @Test func `a folder that was deleted while its place is unreadable is checked again`()
    throws
  {
    try FileManager.default.removeItem(atPath: world.folder)
    disk.loseRoot(world.folder, errno: EIO, times: 2)
    #expect(throws: FolderError.self) { try world.turn() }
    #expect(try world.turn() == .ended(.rootDeleted))
  }

  @Test func `a folder that was deleted and restored from a copy isn't deleted`() throws {
    let copy = world.folder + "-copy"
    try FileManager.default.copyItem(atPath: world.folder, toPath: copy)
    try FileManager.default.removeItem(atPath: world.folder)
    try FileManager.default.moveItem(atPath: copy, toPath: world.folder)
    let error = #expect(throws: FolderError.self) { try world.turn() }
    #expect(error?.code == .detached)
    try world.settle()
    #expect(try world.tree() == ["a": "her a"])
  }

  @Test(arguments: [EIO, EACCES])
  func `a folder that can't be opened for a moment is still given up`(reason: Int32) throws {
    disk.loseRoot(world.folder, errno: reason, times: 1)
    #expect(throws: FolderError.self) { try world.giveUp(isNew: true) }
    #expect(FileManager.default.fileExists(atPath: world.folder + "/a"))
    _ = try world.giveUp(isNew: true)
    #expect(!FileManager.default.fileExists(atPath: world.folder))
  }
}
