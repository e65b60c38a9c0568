import CairnFolders
import Foundation
import Testing

/// The folder of a former participant is removed. Entries that only the folder has are moved away.
struct GiveUpTests {
  private let world: HostileWorld

  init() throws {
    world = try HostileWorld()
    try world.play([try HostileWorld.file("a", world.mallory, "her a")])
    try Data("his own".utf8).write(to: URL(filePath: "\(world.folder)/own"))
  }

  @Test(arguments: [true, false])
  func `entries of the zone are removed, and the rest is moved away`(isNew: Bool) throws {
    let moved = try world.giveUp(isNew: isNew)
    #expect(moved.map(\.of) == [Array("own".utf8)])
    #expect(!FileManager.default.fileExists(atPath: world.folder))
  }

  /// An earlier run removed the folder, and was interrupted before that was noted.
  @Test func `a folder that is missing at the start is given up`() throws {
    _ = try world.giveUp()
    #expect(try world.giveUp(isNew: true).isEmpty)
  }

  @Test func `a folder that was renamed is given up at its new place`() throws {
    let other = "\(world.folder)-elsewhere"
    try FileManager.default.moveItem(atPath: world.folder, toPath: other)
    let moved = try world.giveUp()
    #expect(moved.map(\.of) == [Array("own".utf8)])
    #expect(try FileManager.default.contentsOfDirectory(atPath: other).isEmpty)
    #expect(try world.giveUp(isNew: true).isEmpty)
  }
}
