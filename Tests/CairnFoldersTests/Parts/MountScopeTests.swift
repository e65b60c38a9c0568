import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone
import Testing

@testable import CairnFolders

/// The records of a zone that a mount shows, and their names.
struct MountScopeTests {
  private let world: HostileWorld
  /// `d` contains `e`, which contains the file `f`. The file `g` is beside `d`.
  private let d = RecordID.random()
  private let e = RecordID.random()
  private let f: RecordID
  private let g: RecordID

  init() throws {
    world = try HostileWorld()
    let file = try HostileWorld.file("f", world.mallory, "text", in: e)
    let other = try HostileWorld.file("g", world.mallory, "other")
    (f, g) = (file.id, other.id)
    try world.play([
      try HostileWorld.directory("d", id: d), try HostileWorld.directory("e", in: d, id: e), file,
      other,
    ])
  }

  private func looking<Result>(
    _ scope: MountScope, _ body: (ScopedRecords) throws -> Result
  ) throws -> Result {
    try world.bob.read { try body(ScopedRecords($0, scope)) }
  }

  private func path(_ names: String...) -> [FileNameBytes] { names.map { Array($0.utf8) } }

  @Test func `a whole zone is shown as it is`() throws {
    #expect(MountScope().isWhole)
    try looking(MountScope()) { records throws in
      #expect(try Set(records.children(of: .root)) == [d, g])
      #expect(try records.record(at: path("d", "e", "f")) == f)
      #expect(try records.record(at: path("d", "f")) == nil)
      #expect(try records.node(e)?.place.parent == d)
      #expect(try Set(records.descendants(of: .root)) == [d, e, f, g])
    }
  }

  @Test func `below a base, the base is the root and nothing beside it exists`() throws {
    let scope = MountScope(base: d)
    #expect(!scope.isWhole)
    try looking(scope) { records throws in
      #expect(try records.children(of: .root) == [e])
      #expect(try records.node(e)?.place.parent == .root)
      #expect(try records.node(f)?.place.parent == e)
      #expect(try records.node(g) == nil)
      #expect(try records.record(at: path("e", "f")) == f)
      #expect(records.zoneID(.root) == d && records.zoneID(e) == e)
    }
  }

  @Test func `deselected records don't exist, and neither does anything below them`() throws {
    try looking(MountScope(excluded: [e])) { records throws in
      #expect(try records.children(of: d).isEmpty)
      #expect(try records.node(e) == nil && records.node(f) == nil)
      #expect(try records.child(at: Place(parent: d, name: #require(FileName("e")))) == nil)
      #expect(try records.record(at: path("d", "e", "f")) == nil)
      #expect(try records.node(d) != nil && records.node(g) != nil)
      #expect(try records.descendants(of: .root).contains(f), "how it stands in the zone")
    }
  }

  @Test func `one file is shown under its name on the disk`() throws {
    let name = try #require(FileName("other name"))
    try looking(MountScope(base: f, only: name)) { records throws in
      #expect(try records.children(of: .root) == [f] && records.children(of: d).isEmpty)
      #expect(try records.node(f)?.place == Place(parent: .root, name: name))
      #expect(try records.node(g) == nil)
      #expect(try records.record(at: path("other name")) == f)
      #expect(try records.record(at: path("f")) == nil)
    }
    try looking(MountScope(base: d, only: name)) { records throws in
      #expect(try records.node(d) == nil, "a directory is no file")
    }
  }

  @Test func `children are read page by page, and a page before the last may be empty`() throws {
    try looking(MountScope(excluded: [d])) { records throws in
      let first = try records.children(of: .root, after: [], limit: 1)
      #expect(first.children.isEmpty && first.last == Array("d".utf8))
      let second = try records.children(of: .root, after: Array("d".utf8), limit: 5)
      #expect(second.children.map(\.id) == [g] && second.last == nil)
    }
    let name = try #require(FileName("n"))
    try looking(MountScope(base: f, only: name)) { records throws in
      let first = try records.children(of: .root, after: [], limit: 1)
      #expect(first.children.map(\.id) == [f] && first.last == nil)
      #expect(try records.children(of: .root, after: name.bytes, limit: 1).children.isEmpty)
    }
  }
}
