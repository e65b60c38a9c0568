import CairnIdentity
import CairnReplica
import CairnZone
import Foundation
import Testing

@testable import CairnFolders

/// Selective sync: a folder that doesn't have all of its zone. Nothing is deleted in the zone for
/// that, and nothing is lost.
struct SelectionTests {
  private static let (docs, film, old) = (RecordID.random(), RecordID.random(), RecordID.random())

  /// A world in which Bob's folder shows `docs/a`, `docs/old/b`, `film/x` and `c`.
  private static func world(_ permission: Permission = .readWrite) throws -> HostileWorld {
    let world = try HostileWorld(
      permission: permission,
      shown: { zone in
        let docs = Self.docs
        try zone.save([
          HostileWorld.directory("docs", id: docs), HostileWorld.directory("film", id: film),
          HostileWorld.directory("old", in: docs, id: old),
          HostileWorld.file("a", zone, "a", in: docs),
          HostileWorld.file("b", zone, "b", in: Self.old),
          HostileWorld.file("x", zone, "a long film", in: film),
          HostileWorld.file("c", zone, "c", in: .root),
        ])
        return MountScope()
      })
    try world.lookAgain()
    #expect(try names(world) == all)
    return world
  }

  private static let all = ["c", "docs", "docs/a", "docs/old", "docs/old/b", "film", "film/x"]

  private static func names(_ world: HostileWorld) throws -> [String] {
    try world.tree().keys.sorted()
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

  private static func id(_ path: String, _ world: HostileWorld) throws -> RecordID {
    try world.mallory.pull()
    return try world.mallory.read { view in
      try path.split(separator: "/").reduce(RecordID.root) { id, name in
        let name = try #require(FileName(String(name)))
        return try #require(try view.child(of: id, named: name))
      }
    }
  }

  private static func selection(_ marks: [RecordID: SyncSelection.Mark]) -> SyncSelection {
    marks.reduce(into: SyncSelection()) { $0[$1.key] = $1.value }
  }

  private static func write(_ text: String, to name: String, in world: HostileWorld) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(world.folder)/\(name)"))
  }

  private static func text(_ name: String, in world: HostileWorld) throws -> String {
    try String(contentsOfFile: "\(world.folder)/\(name)", encoding: .utf8)
  }

  private static func expectSettled(_ world: HostileWorld) throws {
    try world.lookAgain()
    #expect(world.pending == 0)
    #expect(try world.rescued().map(\.of) == [])
  }

  @Test func `a directory that isn't selected leaves the folder and stays in the zone`() throws {
    let world = try Self.world()
    try world.select(Self.selection([Self.film: .none]))
    try Self.expectSettled(world)
    #expect(try Self.names(world) == Self.all.filter { !$0.hasPrefix("film") })
    #expect(try Self.zone(world) == Self.all)
    #expect(world.leftOut == [1, 1, 11])
    try world.select(SyncSelection())
    try Self.expectSettled(world)
    #expect(try Self.names(world) == Self.all)
    #expect(try Self.text("film/x", in: world) == "a long film")
    #expect(world.leftOut == nil)
  }

  @Test func `only a directory is selected, and those above it are there`() throws {
    let world = try Self.world()
    try world.select(Self.selection([.root: .none, Self.old: .all]))
    try Self.expectSettled(world)
    #expect(try Self.names(world) == ["docs", "docs/old", "docs/old/b"])
    #expect(try Self.zone(world) == Self.all)
    // What is new follows the directory that it is in.
    try world.play([
      HostileWorld.file("new", world.mallory, "n", in: Self.old),
      HostileWorld.file("other", world.mallory, "o", in: Self.docs),
    ])
    #expect(try Self.names(world) == ["docs", "docs/old", "docs/old/b", "docs/old/new"])
    #expect(world.pending == 0)
  }

  @Test func `one file is left out`() throws {
    let world = try Self.world()
    try world.select(Self.selection([try Self.id("docs/a", world): .none]))
    try Self.expectSettled(world)
    #expect(try Self.names(world) == Self.all.filter { $0 != "docs/a" })
    #expect(try Self.zone(world) == Self.all)
  }

  @Test func `unsent edits and new files reach the zone before they leave the folder`() throws {
    let world = try Self.world()
    try Self.write("edited", to: "film/x", in: world)
    try Self.write("new", to: "film/y", in: world)
    try world.select(Self.selection([Self.film: .none]))
    try Self.expectSettled(world)
    #expect(try Self.names(world).contains("film") == false)
    #expect(try Self.zone(world) == Self.all + ["film/y"])
    try world.select(SyncSelection())
    try Self.expectSettled(world)
    #expect(try Self.text("film/x", in: world) == "edited")
    #expect(try Self.text("film/y", in: world) == "new")
  }

  @Test func `others rename, move, delete and edit what isn't selected`() throws {
    let world = try Self.world()
    try world.select(Self.selection([Self.film: .none]))
    try Self.expectSettled(world)
    let x = try Self.id("film/x", world)
    try world.play([
      RecordChange(id: Self.film, act: .update, place: try HostileWorld.place(Self.docs, "films"))
    ])
    #expect(try Self.names(world) == Self.all.filter { !$0.hasPrefix("film") })
    // Out of it: then it is like the directory that it is in.
    try world.play([
      RecordChange(id: x, act: .update, place: try HostileWorld.place(.root, "x"))
    ])
    #expect(try Self.names(world).contains("x"))
    try world.play([
      RecordChange(id: x, act: .update, place: try HostileWorld.place(Self.film, "x"))
    ])
    #expect(try Self.names(world).contains("x") == false)
    try world.play([RecordChange(id: x, act: .delete)])
    try world.play([RecordChange(id: Self.film, act: .delete)])
    #expect(world.pending == 0)
    #expect(try Self.names(world) == Self.all.filter { !$0.hasPrefix("film") })
  }

  @Test func `a directory that moves into an unselected one leaves with its contents`() throws {
    let world = try Self.world()
    try world.select(Self.selection([Self.film: .none]))
    try Self.expectSettled(world)
    try world.play([
      RecordChange(id: Self.old, act: .update, place: try HostileWorld.place(Self.film, "old"))
    ])
    #expect(try Self.names(world) == ["c", "docs", "docs/a"])
    try world.play([
      RecordChange(id: Self.old, act: .update, place: try HostileWorld.place(.root, "old"))
    ])
    #expect(try Self.names(world) == ["c", "docs", "docs/a", "old", "old/b"])
    #expect(world.pending == 0)
  }

  @Test func `what a person creates where nothing is selected stays here`() throws {
    let world = try Self.world()
    try world.select(Self.selection([.root: .none, Self.old: .all]))
    try Self.expectSettled(world)
    try Self.write("mine", to: "mine", in: world)
    try Self.write("deep", to: "docs/deep", in: world)
    try FileManager.default.createDirectory(
      atPath: "\(world.folder)/dir/sub", withIntermediateDirectories: true)
    try Self.write("in", to: "dir/sub/in", in: world)
    try FileManager.default.moveItem(
      atPath: "\(world.folder)/docs/old/b", toPath: "\(world.folder)/moved")
    try Self.expectSettled(world)
    let here = [
      "dir", "dir/sub", "dir/sub/in", "docs", "docs/deep", "docs/old", "mine", "moved",
    ]
    #expect(try Self.names(world) == here)
    #expect(
      try Self.zone(world)
        == (here + ["c", "docs/a", "film", "film/x"]).sorted())
    // The selection is in the folder, and survives a lost index.
    try world.restart(withNewIndex: true)
    try Self.expectSettled(world)
    #expect(try Self.names(world) == here)
  }

  @Test func `a directory made in the place of an unselected one gets its own files only`() throws {
    let world = try Self.world()
    try world.select(Self.selection([Self.film: .none]))
    try Self.expectSettled(world)
    try FileManager.default.createDirectory(
      atPath: "\(world.folder)/film", withIntermediateDirectories: false)
    try Self.expectSettled(world)
    #expect(try Self.names(world).contains("film"))
    try Self.write("y", to: "film/y", in: world)
    try Self.write("another", to: "film/x", in: world)
    try Self.expectSettled(world)
    // The name belongs to the file that isn't here.
    let here = try Self.names(world).filter { $0.hasPrefix("film/") }
    #expect(here.count == 2 && here.contains("film/y") && !here.contains("film/x"))
    #expect(try Self.zone(world) == (Self.all + here).sorted())
    #expect(Set(try here.map { try Self.text($0, in: world) }) == ["y", "another"])
  }

  @Test func `a directory with unselected files in it comes back when it is deleted`() throws {
    let world = try Self.world()
    try world.select(Self.selection([Self.old: .none]))
    try Self.expectSettled(world)
    try FileManager.default.removeItem(atPath: "\(world.folder)/docs")
    try world.lookAgain()
    try world.lookAgain()
    #expect(world.pending == 0)
    #expect(try Self.zone(world) == Self.all.filter { $0 != "docs/a" })
    #expect(try Self.names(world) == ["c", "docs", "film", "film/x"])
  }

  @Test func `a lost index restores nothing that isn't selected`() throws {
    let world = try Self.world()
    try world.select(Self.selection([Self.film: .none]))
    try Self.expectSettled(world)
    try world.restart(withNewIndex: true)
    try Self.expectSettled(world)
    #expect(try Self.names(world) == Self.all.filter { !$0.hasPrefix("film") })
    #expect(try Self.zone(world) == Self.all)
  }

  @Test func `a selection that the index doesn't follow yet is followed after a restart`() throws {
    let world = try Self.world()
    // The daemon ended after the file was written.
    let root = try Descriptor.openRoot(Array(world.folder.utf8), on: SystemDisk())
    try SelectionKeeper.write(Self.selection([Self.film: .none]), root, Staging.folder)
    try world.restart()
    try Self.expectSettled(world)
    #expect(try Self.names(world) == Self.all.filter { !$0.hasPrefix("film") })
    #expect(try Self.zone(world) == Self.all)
  }

  @Test func `a damaged selection selects everything`() throws {
    let world = try Self.world()
    try world.select(Self.selection([Self.film: .none]))
    try Self.expectSettled(world)
    for damage in ["", "cairn selection 2\n", "cairn selection 1\nnone 12\n", "\u{0}\n"] {
      try Self.write(damage, to: ".cairn/selection", in: world)
      try world.restart()
      try Self.expectSettled(world)
      #expect(try Self.names(world) == Self.all)
    }
  }

  @Test func `a person who can't edit selects, too`() throws {
    let world = try Self.world(.readOnly)
    try world.select(Self.selection([Self.docs: .none]))
    try Self.expectSettled(world)
    #expect(try Self.names(world) == ["c", "film", "film/x"])
    try world.select(SyncSelection())
    try Self.expectSettled(world)
    #expect(try Self.names(world) == Self.all)
  }

  @Test func `the text of a selection is read as it is written`() {
    var selection = SyncSelection()
    #expect(SyncSelection(text: selection.text) == selection)
    for mark in [SyncSelection.Mark.all, .none, .itself] { selection[.random()] = mark }
    selection[.root] = SyncSelection.Mark.none
    #expect(SyncSelection(text: selection.text) == selection)
  }

  // MARK: Requests

  private static func paths(_ names: String...) -> [[UInt8]] { names.map { Array($0.utf8) } }

  @Test func `only and without are made of few marks`() throws {
    let world = try Self.world()
    let only = Self.paths("docs/old")
    #expect(try world.select(.only(only, addsNew: false)) == [" none", "docs/old all"])
    try Self.expectSettled(world)
    #expect(try Self.names(world) == ["docs", "docs/old", "docs/old/b"])
    #expect(
      try world.select(.only(only, addsNew: true)) == ["c none", "docs/a none", "film none"])
    try Self.expectSettled(world)
    #expect(try Self.names(world) == ["docs", "docs/old", "docs/old/b"])
    try world.play([HostileWorld.file("new", world.mallory, "n", in: Self.docs)])
    #expect(try Self.names(world) == ["docs", "docs/new", "docs/old", "docs/old/b"])
    #expect(try world.select(.with(Self.paths("film"))) == ["c none", "docs/a none"])
    #expect(
      try world.select(.without(Self.paths("docs"), addsNew: true)) == ["c none", "docs none"])
    #expect(try world.select(.with(Self.paths("docs/old"))).contains("docs/old all"))
    #expect(try world.select(.all) == [])
    try Self.expectSettled(world)
    #expect(try Self.names(world) == (Self.all + ["docs/new"]).sorted())
    #expect(try Self.zone(world) == (Self.all + ["docs/new"]).sorted())
  }

  @Test func `without new entries, what others add beside it doesn't come`() throws {
    let world = try Self.world()
    try world.select(.without(Self.paths("docs/old"), addsNew: false))
    try Self.expectSettled(world)
    let here = Self.all.filter { !$0.hasPrefix("docs/old") }
    #expect(try Self.names(world) == here)
    try world.play([
      HostileWorld.file("new", world.mallory, "n", in: Self.docs),
      HostileWorld.file("root", world.mallory, "r", in: .root),
      HostileWorld.file("y", world.mallory, "y", in: Self.film),
    ])
    #expect(try Self.names(world) == here + ["film/y"])
    // One's own entries stay.
    try Self.write("mine", to: "docs/mine", in: world)
    try Self.expectSettled(world)
    #expect(try Self.names(world) == (here + ["docs/mine", "film/y"]).sorted())
  }

  @Test func `what isn't in the share can't be selected`() throws {
    let world = try Self.world()
    for request in [
      SelectionRequest.only(Self.paths("docs", "nosuch"), addsNew: false),
      .without(Self.paths("docs/nosuch"), addsNew: true), .with(Self.paths("c/below")),
    ] {
      #expect(throws: FolderError.self) { try world.select(request) }
    }
    #expect(throws: FolderError.self) { try world.describeSelection(listing: "nosuch") }
    try Self.expectSettled(world)
    #expect(try Self.names(world) == Self.all)
  }

  @Test func `the entries of a directory are listed with their sizes`() throws {
    let world = try Self.world()
    try world.select(.without(Self.paths("film", "docs/a"), addsNew: true))
    try Self.expectSettled(world)
    let choices = try world.describeSelection(listing: "").choices
    let told = choices.map { choice in
      "\(String(decoding: choice.path, as: UTF8.self)) \(choice.files) \(choice.bytes) "
        + "\(choice.isSelected) \(choice.isPartial)"
    }
    #expect(told == ["c 1 1 true false", "docs 2 2 true true", "film 1 11 false false"])
    let inner = try world.describeSelection(listing: "docs").choices
    #expect(inner.map(\.isSelected) == [false, true])
  }
}
