import CairnPlan
import CairnReplica
import CairnZone
import Foundation
import Testing

@testable import CairnFolders

/// The removal of a mirrored folder, entry by entry as `rm -rf` does it, with a sync cycle after
/// each entry.
struct RootRemovalTests {
  enum Role: CaseIterable {
    case participant, reader, owner, alone

    /// A Boolean value that indicates whether the person leaves by deleting the folder.
    var leaves: Bool { self == .participant || self == .reader }
  }

  /// Returns a mirrored folder with that many files.
  private static func world(_ role: Role, files: Int) throws -> HostileWorld {
    let world =
      switch role {
      case .participant: try HostileWorld()
      case .reader: try HostileWorld(permission: .readOnly)
      case .owner: try HostileWorld(mirror: .shared)
      case .alone: try HostileWorld(mirror: .alone)
      }
    try world.play(
      try (0..<files).map { try HostileWorld.file("f\($0)", world.mallory, "text \($0)") })
    try world.lookAgain()
    return world
  }

  /// Lets the engine work until it has nothing to do.
  /// - Returns: the reason why the mount ended, if it did.
  private static func work(_ world: HostileWorld) throws -> Departure? {
    world.hintZone()
    do {
      for _ in 0..<100 {
        switch try world.turn() {
        case .more: continue
        case .idle: return nil
        case .ended(let why): return why
        }
      }
    } catch let error as FolderError where error.code == .detached { return nil }
    Issue.record("the engine goes on and on")
    return nil
  }

  private static func remove(_ name: String, _ world: HostileWorld) throws {
    try #require(unlink("\(world.folder)/\(name)") == 0, "\(name): \(errno)")
    world.hint(name)
  }

  /// Removes Cairn's own folder and the root at the end.
  private static func removeRest(_ world: HostileWorld) throws {
    try FileManager.default.removeItem(atPath: world.folder + "/.cairn")
    try #require(rmdir(world.folder) == 0, "something was put into the root: \(errno)")
  }

  @Test(arguments: Role.allCases, [5, 40, 300])
  func `the removal of a root deletes nothing for others, however slow it is`(
    role: Role, count: Int
  ) throws {
    for pause in [0, 50, 60_000 / Int64(count) / 4] as [Int64] {
      let world = try Self.world(role, files: count)
      var expected = try world.zoneNames()
      #expect(expected.count == count)
      for number in 0..<count {
        try Self.remove("f\(number)", world)
        if number % 4 == 0 {
          // Others go on: a new file, and another version of a deleted file.
          let name = "new\(number)"
          expected.insert(name)
          try world.mallory.save([try HostileWorld.file(name, world.mallory, "new")])
        }
        world.advance(milliseconds: min(pause, 1_500))
        #expect(try Self.work(world) == nil)
        try #require(try world.zoneNames() == expected, "after \(number) of \(count)")
      }
      try Self.removeRest(world)
      let end = try Self.work(world)
      #expect(end == (role.leaves ? .rootDeleted : nil))
      for _ in 0..<3 where !role.leaves {
        world.advance(milliseconds: 60_000)
        let error = #expect(throws: FolderError.self) { try world.turn() }
        #expect(error?.code == .detached)
      }
      #expect(try world.zoneNames() == expected)
    }
  }

  @Test(arguments: [Role.participant, .owner, .alone])
  func `deletions below a root that stays are sent once it is quiet`(role: Role) throws {
    let world = try Self.world(role, files: 5)
    for number in 0..<3 { try Self.remove("f\(number)", world) }
    #expect(try Self.work(world) == nil)
    world.advance(milliseconds: 1_500)
    #expect(try Self.work(world) == nil)
    #expect(try world.zoneNames().count == 5)
    world.advance(milliseconds: 1_500)
    #expect(try Self.work(world) == nil)
    #expect(try world.zoneNames() == ["f3", "f4"])
  }

  @Test func `an ordinary deletion in a larger folder takes half a second`() throws {
    let world = try Self.world(.owner, files: 150)
    try Self.remove("f7", world)
    #expect(try Self.work(world) == nil)
    #expect(try world.zoneNames().count == 150)
    world.advance(milliseconds: 500)
    #expect(try Self.work(world) == nil)
    #expect(try world.zoneNames().count == 149)
  }

  @Test func `a reader's deletions are undone once it is quiet, and not before`() throws {
    let world = try Self.world(.reader, files: 5)
    for number in 0..<3 { try Self.remove("f\(number)", world) }
    #expect(try Self.work(world) == nil)
    #expect(try world.tree().count == 2)
    world.advance(milliseconds: 3_000)
    #expect(try Self.work(world) == nil)
    #expect(try world.tree().count == 5)
    #expect(try world.zoneNames().count == 5)
  }

  @Test(arguments: [Role.participant, .owner])
  func `others' changes during the removal arrive once it is quiet`(role: Role) throws {
    let world = try Self.world(role, files: 5)
    try Self.remove("f0", world)
    try world.mallory.save([try HostileWorld.file("new", world.mallory, "new")])
    #expect(try Self.work(world) == nil)
    #expect(try world.tree()["new"] == nil)
    world.advance(milliseconds: 3_000)
    #expect(try Self.work(world) == nil)
    #expect(try world.tree()["new"] == "new")
    #expect(try world.zoneNames() == ["f1", "f2", "f3", "f4", "new"])
  }

  @Test func `others' changes don't wait where new files appear`() throws {
    let world = try Self.world(.owner, files: 5)
    try Self.remove("f0", world)
    try Data("made".utf8).write(to: URL(filePath: world.folder + "/made"))
    world.hint("made")
    try world.mallory.save([try HostileWorld.file("new", world.mallory, "new")])
    #expect(try Self.work(world) == nil)
    #expect(try world.tree()["new"] == "new")
    #expect(try world.zoneNames().contains("made"))
    #expect(try world.zoneNames().contains("f0"))
  }

  @Test(arguments: [Role.participant, .owner])
  func `the removal of unmirrored files holds deletions, too`(role: Role) throws {
    let world = try Self.world(role, files: 5)
    try Data("cache/\n".utf8).write(to: URL(filePath: world.folder + "/.cairnignore"))
    try world.lookAgain()
    let cache = world.folder + "/cache"
    try FileManager.default.createDirectory(
      atPath: cache + "/deep", withIntermediateDirectories: true)
    for number in 0..<20 {
      try Data().write(to: URL(filePath: "\(cache)/deep/\(number)"))
    }
    try world.lookAgain()
    let before = try world.zoneNames()
    try Self.remove("f0", world)
    for number in 0..<20 {
      #expect(try Self.work(world) == nil)
      world.advance(milliseconds: 1_000)
      try Self.remove("cache/deep/\(number)", world)
    }
    #expect(try Self.work(world) == nil)
    #expect(try world.zoneNames() == before)
  }

  @Test func `a folder that is filled and emptied all day doesn't hold deletions for ever`() throws
  {
    let world = try Self.world(.owner, files: 5)
    for number in 0..<70 {
      let path = "\(world.folder)/spool\(number)"
      try Data("\(number)".utf8).write(to: URL(filePath: path))
      world.hint("spool\(number)")
      #expect(try Self.work(world) == nil)
      world.advance(milliseconds: 1_000)
      try Self.remove("spool\(number)", world)
      #expect(try Self.work(world) == nil)
    }
    #expect(try !world.zoneNames().contains("spool0"))
  }
}
