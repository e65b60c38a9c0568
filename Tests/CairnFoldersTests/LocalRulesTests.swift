import CairnIdentity
import CairnReplica
import CairnStore
import CairnZone
import Foundation
import Testing

@testable import CairnFolders

/// `.cairnignore.local`: rules of one device. What they hide is in nobody's way, and is never taken
/// for deleted.
struct LocalRulesTests {
  private static let (docs, film) = (RecordID.random(), RecordID.random())
  private static let all = ["c", "docs", "docs/a", "film", "film/x"]

  /// A world in which Bob's folder shows `docs/a`, `film/x` and `c`.
  private static func world() throws -> HostileWorld {
    let world = try HostileWorld(
      shown: { zone in
        try zone.save([
          HostileWorld.directory("docs", id: docs), HostileWorld.directory("film", id: film),
          HostileWorld.file("a", zone, "a", in: docs),
          HostileWorld.file("x", zone, "a long film", in: film),
          HostileWorld.file("c", zone, "c", in: .root),
        ])
        return MountScope()
      })
    try world.lookAgain()
    #expect(try names(world) == all)
    return world
  }

  /// The paths in Bob's folder.
  private static func names(_ world: HostileWorld) throws -> [String] {
    try world.tree().keys.filter { $0 != ".cairnignore.local" }.sorted()
  }

  /// The paths in the zone.
  private static func zone(_ world: HostileWorld) throws -> [String] {
    try world.mallory.pull()
    return try world.mallory.read { view in
      var found: [String] = []
      func walk(_ directory: RecordID, _ path: String) throws {
        for (name, id) in try view.children(of: directory, after: [], limit: 1_000) {
          let name = path + String(decoding: name, as: UTF8.self)
          found.append(name)
          try walk(id, name + "/")
        }
      }
      try walk(.root, "")
      return found.sorted()
    }
  }

  private static func write(_ text: String, to name: String, in world: HostileWorld) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(world.folder)/\(name)"))
  }

  private static func remove(_ name: String, in world: HostileWorld) throws {
    try FileManager.default.removeItem(atPath: "\(world.folder)/\(name)")
  }

  private static func move(_ name: String, to other: String, in world: HostileWorld) throws {
    try FileManager.default.moveItem(
      atPath: "\(world.folder)/\(name)", toPath: "\(world.folder)/\(other)")
  }

  /// Bob writes the rules, and his engine gets a hint about that file alone.
  private static func hide(_ rules: String, in world: HostileWorld) throws {
    try write(rules, to: ".cairnignore.local", in: world)
    world.hint(".cairnignore.local")
    try world.settle()
    try world.wait()
  }

  private static func expectSettled(_ world: HostileWorld) throws {
    try world.lookAgain()
    try world.lookAgain()
    #expect(world.pending == 0)
    #expect(try world.rescued().map(\.of) == [])
  }

  @Test func `what is hidden later stays on the disk and in the zone, and isn't synced`() throws {
    let world = try Self.world()
    try Self.hide("film/\n", in: world)
    #expect(try Self.names(world) == Self.all)
    #expect(world.leftOut == [1, 1, 11])
    #expect(throws: FolderError.self) { try world.select(.with([Array("film/x".utf8)])) }
    // Neither an edit nor a deletion nor a new file is sent.
    try Self.write("edited", to: "film/x", in: world)
    try Self.write("new", to: "film/y", in: world)
    try Self.expectSettled(world)
    try Self.remove("film", in: world)
    try Self.expectSettled(world)
    #expect(try Self.zone(world) == Self.all)
    #expect(try Self.names(world) == ["c", "docs", "docs/a"])
    // What others add and rename there doesn't arrive.
    try world.play([
      HostileWorld.file("z", world.mallory, "z", in: Self.film),
      RecordChange(
        id: Self.docs, act: .update, place: try HostileWorld.place(.root, "documents")),
    ])
    try Self.expectSettled(world)
    #expect(try Self.names(world) == ["c", "documents", "documents/a"])
    // Without the rules everything comes.
    try Self.remove(".cairnignore.local", in: world)
    try Self.expectSettled(world)
    #expect(
      try Self.names(world) == ["c", "documents", "documents/a", "film", "film/x", "film/z"])
    #expect(try world.tree()["film/x"] == "a long film")
    #expect(world.leftOut == nil)
  }

  @Test func `new files that are hidden are never sent, and the rules themselves neither`() throws {
    let world = try Self.world()
    try Self.write("*.o\n!keep.o\n/build/\n", to: ".cairnignore.local", in: world)
    try FileManager.default.createDirectory(
      atPath: "\(world.folder)/build", withIntermediateDirectories: false)
    for name in ["a.o", "keep.o", "docs/b.o", "build/main", "docs/.cairnignore.local"] {
      try Self.write(name, to: name, in: world)
    }
    try Self.expectSettled(world)
    #expect(try Self.zone(world) == (Self.all + ["keep.o"]).sorted())
    // The same names of others don't arrive.
    try world.play([
      HostileWorld.file("b.o", world.mallory, "theirs", in: Self.docs),
      HostileWorld.file("other.o", world.mallory, "theirs", in: .root),
    ])
    try Self.expectSettled(world)
    #expect(try world.tree()["docs/b.o"] == "docs/b.o")
    #expect(try world.tree()["other.o"] == nil)
  }

  @Test func `renaming to a hidden name deletes nothing`() throws {
    let world = try Self.world()
    try Self.hide("*.o\nbuild/\n", in: world)
    try Self.move("c", to: "c.o", in: world)
    try Self.move("film", to: "build", in: world)
    try Self.expectSettled(world)
    #expect(try Self.zone(world) == Self.all)
    #expect(try Self.names(world) == (Self.all + ["build", "build/x", "c.o"]).sorted())
    // Into a directory that is hidden already, together with a deletion.
    try Self.move("docs/a", to: "build/a", in: world)
    try Self.remove("c", in: world)
    try Self.expectSettled(world)
    #expect(try Self.zone(world) == Self.all.filter { $0 != "c" })
    #expect(try world.tree()["docs/a"] == "a" && world.tree()["build/a"] == "a")
  }

  @Test func `what moved into a directory just before it is hidden is hidden with it`() throws {
    let world = try Self.world()
    try Self.move("c", to: "film/c", in: world)
    try Self.move("docs/a", to: "film/a", in: world)
    try Self.write("/film\n", to: ".cairnignore.local", in: world)
    for path in ["film/c", "film/a", "c", ".cairnignore.local", "docs/a", "film"] {
      world.hint(path)
    }
    try Self.expectSettled(world)
    #expect(try Self.zone(world) == Self.all)
    #expect(try Self.names(world) == (Self.all + ["film/a", "film/c"]).sorted())
  }

  @Test func `a file that another person renames to a hidden name leaves the folder`() throws {
    let world = try Self.world()
    try Self.hide("*.o\nbuild/\n", in: world)
    try world.play([
      RecordChange(id: Self.film, act: .update, place: try HostileWorld.place(.root, "build"))
    ])
    try Self.expectSettled(world)
    #expect(try Self.names(world) == ["c", "docs", "docs/a"])
    #expect(try Self.zone(world) == ["build", "build/x", "c", "docs", "docs/a"])
    try world.play([
      RecordChange(id: Self.film, act: .update, place: try HostileWorld.place(Self.docs, "f"))
    ])
    try Self.expectSettled(world)
    #expect(try Self.names(world) == ["c", "docs", "docs/a", "docs/f", "docs/f/x"])
  }

  @Test func `a directory whose new name hides things in it has them leave the folder`() throws {
    let world = try Self.world()
    try Self.hide("hidden/x\n", in: world)
    try Self.move("film", to: "hidden", in: world)
    try Self.expectSettled(world)
    #expect(try Self.zone(world) == ["c", "docs", "docs/a", "hidden", "hidden/x"])
    try Self.remove("hidden/x", in: world)
    try Self.expectSettled(world)
    #expect(try Self.zone(world) == ["c", "docs", "docs/a", "hidden", "hidden/x"])
  }

  @Test func `a directory whose new name hides nothing gets what was hidden in it`() throws {
    let world = try Self.world()
    try Self.hide("film/x\n", in: world)
    try Self.remove("film/x", in: world)
    try Self.expectSettled(world)
    #expect(try Self.names(world) == ["c", "docs", "docs/a", "film"])
    #expect(world.leftOut == [1, 0, 11])
    try Self.move("film", to: "films", in: world)
    try Self.expectSettled(world)
    #expect(try Self.names(world) == ["c", "docs", "docs/a", "films", "films/x"])
    #expect(world.leftOut == [0, 0, 0])
  }

  @Test func `the rules hold after a lost index, and beside a selection`() throws {
    let world = try Self.world()
    try Self.hide("film/\n", in: world)
    try world.select(.without([Array("docs".utf8)], addsNew: true))
    try Self.expectSettled(world)
    try Self.remove("film", in: world)
    try world.restart(withNewIndex: true)
    try Self.expectSettled(world)
    #expect(try Self.names(world) == ["c"])
    #expect(try Self.zone(world) == Self.all)
    #expect(world.leftOut == [2, 2, 12])
    try world.select(.all)
    try Self.expectSettled(world)
    #expect(try Self.names(world) == ["c", "docs", "docs/a"])
  }

  @Test func `rules that can't be read hide nothing less than before`() throws {
    let world = try Self.world()
    try Self.hide("film/\n", in: world)
    try Self.write(
      String(repeating: "x\n", count: 40_000), to: ".cairnignore.local", in: world)
    try Self.remove("film/x", in: world)
    #expect(throws: FolderError.self) { try world.lookAgain() }
    #expect(try Self.zone(world) == Self.all)
    #expect(throws: (any Error).self) { try world.restart() }
    #expect(try Self.zone(world) == Self.all)
  }

  @Test func `nobody writes another device's rules`() throws {
    let world = try Self.world()
    for parent in [RecordID.root, Self.docs] {
      #expect(throws: CloudError.self) {
        try world.mallory.save([
          HostileWorld.file(".cairnignore.local", world.mallory, "*", in: parent)
        ])
      }
    }
    try world.expectUnharmed()
  }
}
