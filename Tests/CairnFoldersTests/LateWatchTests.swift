import CairnFolders
import CairnReplica
import CairnZone
import Foundation
import Testing

/// Entries that appear in a directory between its scan and the start of its watch.
struct LateWatchTests {
  @Test(arguments: ["d", ""])
  func `entries from before the watch are found at any depth`(top: String) throws {
    let world = try HostileWorld()
    let deep = world.folder + "/d/e/f"
    try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
    try world.lookAgain()
    try Data("late".utf8).write(to: URL(filePath: deep + "/leaf"))
    try world.beginWatching(top)
    try world.mallory.pull()
    let leaf = try world.mallory.read { view in
      var place = RecordID.root
      for name in ["d", "e", "f", "leaf"] {
        guard let next = try view.child(of: place, named: #require(FileName(name))) else {
          return false
        }
        place = next
      }
      return true
    }
    #expect(leaf)
  }

  /// The case of a rename that was done and answered by an error.
  @Test func `the watcher learns each directory that a scan sees`() throws {
    let world = try HostileWorld()
    func directories(_ names: String...) throws -> [FolderHint] {
      try names.map { name in
        let inode = try FileManager.default.attributesOfItem(atPath: "\(world.folder)/\(name)")[
          .systemFileNumber]
        return FolderHint(Array(name.utf8), directory: try #require(inode as? UInt64))
      }
    }
    try FileManager.default.createDirectory(
      atPath: world.folder + "/d/e", withIntermediateDirectories: true)
    try Data("x".utf8).write(to: URL(filePath: world.folder + "/d/e/file"))
    try world.lookAgain()
    #expect(Set(world.takeSeen()) == Set(try directories("", "d", "d/e")))
    // A changed file is no reason to report its directory.
    try Data("y".utf8).write(to: URL(filePath: world.folder + "/d/e/file"))
    world.hint("d/e/file")
    try world.settle()
    #expect(world.takeSeen().isEmpty)
    // A directory that others move here is scanned once it is in its place.
    try world.mallory.pull()
    let name = try #require(FileName("d"))
    let id = try #require(try world.mallory.read { try $0.child(of: .root, named: name) })
    try world.play([
      RecordChange(
        id: id, act: .update, place: Place(parent: .root, name: try #require(FileName("m"))))
    ])
    #expect(Set(world.takeSeen()).isSuperset(of: try directories("m", "m/e")))
    try world.lookAgain()
    #expect(Set(world.takeSeen()) == Set(try directories("", "m", "m/e")))
  }
}
