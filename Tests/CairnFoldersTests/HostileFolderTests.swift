import CairnZone
import Foundation
import Testing

@testable import CairnFolders
@testable import CairnIdentity
@testable import CairnReplica

/// Valid commits that are made to harm the disk of a member. Nothing outside of the folder is
/// changed, and later entries arrive.
@Suite struct HostileFolderTests {
  private let world: HostileWorld

  init() throws { world = try HostileWorld() }

  @Test func `a link that leads out is only a link, and nothing is written through it`() throws {
    let link = RecordID.random()
    try world.play([try HostileWorld.symlink("x", to: HostileWorld.outside, id: link)])
    #expect(try world.tree() == ["x": "-> ../outside"])
    // The directory takes the link's name in one commit, with a child below that name.
    let directory = RecordID.random()
    try world.play([
      RecordChange(id: link, act: .delete),
      try HostileWorld.directory("x", id: directory),
      try HostileWorld.file("secret", world.mallory, "overwritten", in: directory),
    ])
    #expect(try world.tree() == ["x": "dir", "x/secret": "overwritten"])
    try world.expectUnharmed()
  }

  @Test func `a link replaces a directory that has children`() throws {
    let directory = RecordID.random()
    try world.play([
      try HostileWorld.directory("d", id: directory),
      try HostileWorld.file("old", world.mallory, "old", in: directory),
    ])
    // The name of the directory becomes a link in the commit that also adds a child to it.
    try world.play([
      RecordChange(
        id: directory, act: .update, place: try HostileWorld.place(.root, "moved")),
      try HostileWorld.symlink("d", to: HostileWorld.outside),
      try HostileWorld.file("secret", world.mallory, "overwritten", in: directory),
    ])
    #expect(
      try world.tree() == [
        "d": "-> ../outside", "moved": "dir", "moved/old": "old", "moved/secret": "overwritten",
      ])
    try world.expectUnharmed()
  }

  @Test func `a link that the person put in a directory's place is not followed`() throws {
    let directory = RecordID.random()
    try world.play([
      try HostileWorld.directory("d", id: directory),
      try HostileWorld.file("old", world.mallory, "old", in: directory),
    ])
    let path = world.folder + "/d"
    try FileManager.default.moveItem(atPath: path, toPath: world.folder + "/mine")
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: HostileWorld.outside)
    // The engine doesn't know it, and a child arrives for the directory.
    try world.play([try HostileWorld.file("secret", world.mallory, "new", in: directory)])
    try world.expectUnharmed()
  }

  @Test func `Cairn's own folder is never mirrored, not even by accident`() throws {
    let inner = RecordID.random()
    try world.play([try HostileWorld.directory("d", id: inner)])
    for folder in [".cairn", "d/.cairn"] {
      try FileManager.default.createDirectory(
        atPath: "\(world.folder)/\(folder)/deep", withIntermediateDirectories: true)
    }
    try world.lookAgain()
    try world.mallory.pull()
    let names = try world.mallory.read { view in
      try view.children(of: inner).compactMap { try view.record($0)?.place?.name.description }
    }
    #expect(names.isEmpty)
    #expect(throws: CloudError.self) {
      try world.mallory.save([try HostileWorld.directory(".cairn")])
    }
    try world.expectUnharmed()
  }

  @Test func `times at the limits of their number type`() throws {
    for (name, time) in [("early", Int64.min), ("late", Int64.max), ("zero", 0)] {
      try world.play([try HostileWorld.file(name, world.mallory, name, modified: time)])
    }
    #expect(try world.tree() == ["early": "early", "late": "late", "zero": "zero"])
    #expect(try world.settle().isEmpty)
    try world.expectUnharmed()
  }

  @Test func `a tree deeper than any path`() throws {
    var parent = RecordID.root
    var records: [RecordChange] = []
    for _ in 0..<600 {
      let id = RecordID.random()
      records.append(
        try HostileWorld.directory(String(repeating: "n", count: 100), in: parent, id: id))
      parent = id
    }
    records.append(try HostileWorld.file("bottom", world.mallory, "x", in: parent))
    try world.mallory.save(records)
    #expect(try world.settle().count == 1)
    try world.expectUnharmed()
    // It is removed again.
    let ids = records.reversed().map { RecordChange(id: $0.id, act: .delete) }
    try world.play(ids)
    #expect(try !world.tree().keys.contains { $0.hasPrefix("n") })
  }

  @Test func `names that are the same on some file systems`() throws {
    let names = ["caf\u{E9}", "cafe\u{301}", "Case", "case", "CASE"]
    try world.play(try names.map { try HostileWorld.file($0, world.mallory, "x") })
    let found = try FileManager.default.contentsOfDirectory(atPath: world.folder)
      .filter { $0 != ".cairn" }
    #expect(found.count == names.count)
    try world.expectUnharmed()
  }

  @Test func `a chunk with a false claim spoils only its own file`() throws {
    let chunk = try #require(ChunkName(bytes: [UInt8](repeating: 7, count: 32)))
    let bomb = ChunkPlace(
      position: .inline([0x28, 0xB5, 0x2F, 0xFD, 0, 0x58, 0, 0]), isCompressed: true, size: 1 << 20)
    let content = Content(size: 1 << 20, chunks: [chunk])
    let lie = RecordChange(
      id: .random(), act: .create(.file), place: try HostileWorld.place(.root, "bomb"),
      content: content, attributes: Attributes(isExecutable: false, modified: 1))
    let problems = try world.play(
      [lie], chunks: [ChunkEntry(name: chunk, size: 1 << 20, place: bomb.encoded())])
    #expect(problems.contains { $0.path == Array("bomb".utf8) }, "\(problems)")
    #expect(try world.tree().isEmpty)
    try world.expectUnharmed()
  }

  @Test func `bytes that somebody else forestalled don't count as stored`() throws {
    func write(_ text: String, to name: String) throws {
      try text.write(toFile: "\(world.folder)/\(name)", atomically: false, encoding: .utf8)
    }
    let plain = Array("known before".utf8)
    let name = plain.withUnsafeBytes { ChunkName.digest(of: $0) }
    let place = ChunkPlace(
      position: .inline(Array("known behind".utf8)), isCompressed: false, size: plain.count)
    try world.play(
      [], chunks: [ChunkEntry(name: name, size: UInt32(plain.count), place: place.encoded())])
    try write("known before", to: "forestalled")
    try write("something else", to: "other")
    let problems = try world.lookAgain()
    #expect(problems.map(\.path) == [Array("forestalled".utf8)])
    #expect(problems.first?.message.contains("\(world.mallory.account.user.digits)") == true)
    // Everything else goes on, and nobody is sent a file that they can't read.
    func names() throws -> Set<String> {
      try world.mallory.pull()
      return try world.mallory.read { view in
        Set(
          try view.children(of: .root).compactMap { try view.record($0)?.place?.name.description })
      }
    }
    #expect(try names() == ["other"])
    try write("known before, and more", to: "forestalled")
    #expect(try world.lookAgain().isEmpty)
    #expect(try names() == ["other", "forestalled"])
    try world.expectUnharmed()
  }

  @Test func `bytes that somebody else stored correctly aren't stored again`() throws {
    try world.play([try HostileWorld.file("theirs", world.mallory, "the same")])
    func objects() throws -> Int { try world.store.list("", after: nil, limit: 1_000).count }
    let before = try objects()
    try "the same".write(
      toFile: "\(world.folder)/mine", atomically: false, encoding: .utf8)
    #expect(try world.lookAgain().isEmpty)
    // Only the commit is new.
    #expect(try objects() == before + 1)
    try world.mallory.pull()
    #expect(try world.mallory.read { try $0.children(of: .root).count } == 2)
  }
}
