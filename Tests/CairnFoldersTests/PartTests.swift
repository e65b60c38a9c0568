import CairnIdentity
import CairnReplica
import CairnZone
import Foundation
import Testing

@testable import CairnFolders

/// A folder that shows a part of a zone. Records in other parts of the zone are not deleted: a
/// file, symbolic link or directory that looks like one of them stays, and reaches the zone.
struct PartTests {
  /// The directory that Bob's folder shows.
  private static let base = RecordID.random()
  /// A directory beside it.
  private static let other = RecordID.random()

  /// A world in which Bob's folder shows `B`, and `A` beside it holds the files `1` and `2`.
  private static func world(_ permission: Permission = .readWrite) throws -> HostileWorld {
    try HostileWorld(
      permission: permission,
      shown: { zone in
        try zone.save([
          HostileWorld.directory("A", id: other), HostileWorld.directory("B", id: base),
          HostileWorld.file("1", zone, "one", in: other),
          HostileWorld.file("2", zone, "two", in: other),
        ])
        return MountScope(base: base)
      })
  }

  /// Writes a file with the time of the zone's files, as `cp -p` does.
  private static func copy(_ text: String, to name: String, in world: HostileWorld) throws {
    let path = "\(world.folder)/\(name)"
    try Data(text.utf8).write(to: URL(filePath: path))
    let time = timespec(tv_sec: 0, tv_nsec: 1)
    try #require(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
  }

  /// Returns the zone's names in a directory.
  private static func names(_ world: HostileWorld, in parent: RecordID = base) throws -> [String] {
    try world.mallory.pull()
    return try world.mallory.read { view in
      try view.children(of: parent, after: [], limit: 1_000).map {
        String(decoding: $0.name, as: UTF8.self)
      }
    }
  }

  private static func id(_ name: String, in parent: RecordID, _ world: HostileWorld) throws
    -> RecordID
  {
    try world.mallory.pull()
    let name = try #require(FileName(name))
    return try #require(try world.mallory.read { try $0.child(of: parent, named: name) })
  }

  /// Expects that everything in Bob's folder stays there, and that the zone has it.
  private static func expectSent(_ world: HostileWorld, _ names: [String]) throws {
    try world.lookAgain()
    #expect(try world.rescued().map(\.of) == [])
    #expect(try world.tree().keys.sorted() == names)
    #expect(try Self.names(world) == names)
    #expect(world.pending == 0)
  }

  @Test func `copies of files elsewhere in the zone stay`() throws {
    let world = try Self.world()
    for (name, text) in [("1", "one"), ("2", "two"), ("another name", "one")] {
      try Self.copy(text, to: name, in: world)
    }
    try Self.expectSent(world, ["1", "2", "another name"])
    #expect(try Self.names(world, in: Self.other) == ["1", "2"])
  }

  @Test func `a copy of a file elsewhere stays when the index was lost`() throws {
    let world = try Self.world()
    try Self.copy("three", to: "3", in: world)
    try world.lookAgain()
    try Self.copy("one", to: "1", in: world)
    try world.restart(withNewIndex: true)
    try Self.expectSent(world, ["1", "3"])
  }

  @Test func `an older backup of an entry that was deleted elsewhere stays`() throws {
    let world = try Self.world()
    for name in ["1", "2"] {
      try world.mallory.save([
        RecordChange(id: try Self.id(name, in: Self.other, world), act: .delete)
      ])
    }
    try world.mallory.save([RecordChange(id: Self.other, act: .delete)])
    for (name, text) in [("1", "one"), ("2", "two")] {
      try Self.copy(text, to: name, in: world)
    }
    try Self.expectSent(world, ["1", "2"])
  }

  @Test func `only the index distinguishes a moved-out entry from its copy`()
    throws
  {
    let world = try Self.world()
    try Self.copy("three", to: "3", in: world)
    try Self.copy("four", to: "4", in: world)
    try world.lookAgain()
    let id = try Self.id("3", in: Self.base, world)
    try world.play([
      RecordChange(id: id, act: .update, place: try HostileWorld.place(Self.other, "3"))
    ])
    #expect(try world.tree().keys.sorted() == ["4"])
    // A lost index can't distinguish the two, and the file stays.
    let next = try Self.id("4", in: Self.base, world)
    try world.mallory.save([
      RecordChange(id: next, act: .update, place: try HostileWorld.place(Self.other, "4"))
    ])
    try world.restart(withNewIndex: true)
    try Self.expectSent(world, ["4"])
    #expect(try Self.names(world, in: Self.other) == ["1", "2", "3", "4"])
  }

  @Test(arguments: [false, true])
  func `a lost index doesn't restore entries that others deleted in the folder`(isMovedBefore: Bool)
    throws
  {
    let world = try Self.world()
    try Self.copy("three", to: "3", in: world)
    try world.lookAgain()
    let id = try Self.id("3", in: Self.base, world)
    if isMovedBefore {
      try world.mallory.save([
        RecordChange(id: id, act: .update, place: try HostileWorld.place(Self.other, "3"))
      ])
    }
    try world.mallory.save([RecordChange(id: id, act: .delete)])
    try world.restart(withNewIndex: true)
    try world.lookAgain()
    #expect(try world.rescued().map { String(decoding: $0.of, as: UTF8.self) } == ["3"])
    #expect(try Self.names(world) == [])
  }

  @Test func `symbolic links and directories stay, too`() throws {
    let world = try Self.world()
    let (deep, link) = (RecordID.random(), RecordID.random())
    var symlink = try HostileWorld.symlink("link", to: "target", id: link)
    symlink.place = try HostileWorld.place(deep, "link")
    try world.mallory.save([
      HostileWorld.directory("deep", in: Self.other, id: deep), symlink,
      HostileWorld.file("3", world.mallory, "three", in: deep),
    ])
    let manager = FileManager.default
    for name in ["deep", "empty"] {
      try manager.createDirectory(
        atPath: "\(world.folder)/\(name)", withIntermediateDirectories: true)
    }
    try manager.createSymbolicLink(
      atPath: "\(world.folder)/deep/link", withDestinationPath: "target")
    try Self.copy("three", to: "deep/3", in: world)
    try world.lookAgain()
    #expect(try world.rescued().isEmpty)
    #expect(
      try world.tree() == [
        "deep": "dir", "deep/3": "three", "deep/link": "-> target", "empty": "dir",
      ])
    #expect(try Self.names(world) == ["deep", "empty"])
  }

  @Test func `a directory that went elsewhere with a symbolic link in it stays, too`() throws {
    let world = try Self.world()
    let (deep, link) = (RecordID.random(), RecordID.random())
    var symlink = try HostileWorld.symlink("link", to: "target", id: link)
    symlink.place = try HostileWorld.place(deep, "link")
    try world.play([try HostileWorld.directory("deep", in: Self.base, id: deep), symlink])
    #expect(try world.tree().count == 2)
    try world.mallory.save([
      RecordChange(id: deep, act: .update, place: try HostileWorld.place(Self.other, "deep"))
    ])
    try world.restart(withNewIndex: true)
    try world.lookAgain()
    #expect(try world.rescued().isEmpty)
    #expect(try world.tree() == ["deep": "dir", "deep/link": "-> target"])
    #expect(try Self.names(world) == ["deep"])
    #expect(world.pending == 0)
  }

  @Test func `a single file that looks like another one of the zone stays`() throws {
    let file = RecordID.random()
    let world = try HostileWorld(shown: { zone in
      try zone.save([HostileWorld.file("1", zone, "one")])
      return MountScope(base: file, only: FileName("copy"))
    })
    try Self.copy("one", to: "copy", in: world)
    try world.lookAgain()
    #expect(try world.tree()["copy"] == "one")
    #expect(try Self.names(world, in: .root) == ["1", "copy"])
    #expect(world.pending == 0)
  }

  @Test func `entries that the folder leaves out are elsewhere`() throws {
    let world = try HostileWorld(shown: { zone in
      try zone.save([
        HostileWorld.directory("A", id: Self.other),
        HostileWorld.file("1", zone, "one", in: Self.other),
      ])
      return MountScope(excluded: [Self.other])
    })
    try Self.copy("one", to: "1", in: world)
    try world.lookAgain()
    #expect(try world.tree() == ["1": "one"])
    #expect(try Self.names(world, in: .root) == ["1", "A"])
  }

  @Test func `an entry that was sent and moved elsewhere meanwhile isn't sent twice`()
    throws
  {
    let world = try Self.world()
    try Self.copy("three", to: "3", in: world)
    world.store.fill(true)
    try world.lookAgain()
    try world.keepIndex()
    world.store.fill(false)
    try world.lookAgain()
    let id = try Self.id("3", in: Self.base, world)
    try world.mallory.save([
      RecordChange(id: id, act: .update, place: try HostileWorld.place(Self.other, "3"))
    ])
    try world.restart(withKeptIndex: true)
    try world.lookAgain()
    #expect(try world.tree().isEmpty)
    #expect(try Self.names(world, in: Self.other) == ["1", "2", "3"])
    #expect(world.pending == 0)
  }

  /// Lets the engine work until the mount ends.
  private static func end(_ world: HostileWorld) throws -> Departure? {
    world.hintZone()
    var rests = 0
    for _ in 0..<100 {
      switch try world.turn() {
      case .more: continue
      case .idle:
        rests += 1
        guard rests < 3 else { return nil }
        world.advance(milliseconds: 1_000)
      case .ended(let why): return why
      }
    }
    return nil
  }

  @Test(arguments: [false, true])
  func `the mount of a directory that somebody deleted ends, and its files are deleted`(
    isSlow: Bool
  ) throws {
    let world = try Self.world()
    for number in 0..<20 { try Self.copy("\(number)", to: "\(number)", in: world) }
    try world.lookAgain()
    world.store.fill(true)
    try Self.copy("unsent", to: "unsent", in: world)
    try world.lookAgain()
    world.store.fill(false)
    let deletions = try (0..<20).map {
      RecordChange(id: try Self.id("\($0)", in: Self.base, world), act: .delete)
    }
    if isSlow {
      for deletion in deletions {
        try world.mallory.save([deletion])
        #expect(try Self.end(world) == nil)
      }
      try world.mallory.pull()
      let sent = try Self.id("unsent", in: Self.base, world)
      try world.mallory.save([RecordChange(id: sent, act: .delete)])
      try Self.copy("late", to: "late", in: world)
      try world.mallory.save([RecordChange(id: Self.base, act: .delete)])
    } else {
      try world.mallory.save(deletions + [RecordChange(id: Self.base, act: .delete)])
    }
    #expect(try Self.end(world) == .partDeleted)
    #expect(try world.tree().keys.sorted() == [isSlow ? "late" : "unsent"])
    // It ends as often as it is asked.
    #expect(try Self.end(world) == .partDeleted)
  }

  @Test func `a directory that this person took out of the zone keeps its files`() throws {
    let world = try Self.world()
    try Self.copy("three", to: "3", in: world)
    try world.lookAgain()
    let file = try Self.id("3", in: Self.base, world)
    try world.bob.save([
      RecordChange(id: file, act: .delete), RecordChange(id: Self.base, act: .delete),
    ])
    #expect(try Self.end(world) == .partDeleted)
    #expect(try world.tree() == ["3": "three"])
  }
}
