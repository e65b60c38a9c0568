import CairnReplica
import CairnZone
import Foundation
import Testing

@testable import CairnFolders

/// Texts that change on both sides before either sees the other's change.
@Suite struct MergedTextTests {
  private static let base = "one\ntwo\nthree\nfour\nfive\n"
  private static let bobs = "ONE\ntwo\nthree\nfour\nfive\n"
  private static let hers = "one\ntwo\nthree\nfour\nFIVE\n"
  private static let both = "ONE\ntwo\nthree\nfour\nFIVE\n"

  private func write(_ text: String, to name: String, in world: HostileWorld) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(world.folder)/\(name)"))
    world.hint(name)
  }

  /// Mallory gives a file other bytes.
  private func send(_ text: String, to id: RecordID, in world: HostileWorld) throws {
    var change = try HostileWorld.file("x", world.mallory, text, modified: 2)
    (change.id, change.act, change.place) = (id, .update, nil)
    try world.mallory.save([change], bringing: [])
  }

  /// Both have the base of a file.
  private func begin(
    _ world: HostileWorld, _ name: String = "note.txt", _ text: String = base
  ) throws -> RecordID {
    let file = try HostileWorld.file(name, world.mallory, text)
    try world.play([file])
    #expect(try world.tree()[name] == text)
    _ = world.happenings()
    return file.id
  }

  private func merges(_ world: HostileWorld) -> (merged: Int, conflicts: Int) {
    world.happenings().reduce(into: (0, 0)) { count, happening in
      if case .merged = happening { count.0 += 1 }
      if case .conflict = happening { count.1 += 1 }
    }
  }

  /// The texts of all versions in the history of the zone, of deleted records as well.
  private func history(_ world: HostileWorld) throws -> Set<String> {
    try world.mallory.pull()
    let contents = try world.mallory.read { view in
      try view.changes(after: 0, limit: 1_000).ids.flatMap { id in
        try view.versions(of: id, limit: 100).compactMap(\.record.content)
      }
    }
    var texts: Set<String> = []
    for content in contents {
      var bytes: [UInt8] = []
      try world.mallory.readContent(content) { bytes += $0 }
      texts.insert(String(decoding: bytes, as: UTF8.self))
    }
    return texts
  }

  @Test(arguments: ["note.txt", "README.md"])
  func `changes of different lines become one text, and both versions stay in the history`(
    _ name: String
  ) throws {
    let world = try HostileWorld(mergesText: true)
    let id = try begin(world, name)
    try write(Self.bobs, to: name, in: world)
    try send(Self.hers, to: id, in: world)
    try world.settle()
    #expect(try world.tree() == [name: Self.both])
    #expect(try world.zoneText(name) == Self.both)
    #expect(try world.zoneNames() == [name])
    #expect(merges(world) == (1, 0))
    #expect(try history(world) == [Self.base, Self.bobs, Self.hers, Self.both])
    #expect(world.pending == 0)
    try world.lookAgain()
    #expect(merges(world) == (0, 0))
    // A later edit is an ordinary one.
    try write(Self.both + "six\n", to: name, in: world)
    try world.settle()
    #expect(try world.zoneText(name) == Self.both + "six\n")
  }

  @Test func `changes of the same line stay two versions`() throws {
    let world = try HostileWorld(mergesText: true)
    let id = try begin(world)
    try write("1\ntwo\nthree\nfour\nfive\n", to: "note.txt", in: world)
    try send(Self.bobs, to: id, in: world)
    try world.settle()
    #expect(
      Set(try world.tree().values) == [Self.bobs, "1\ntwo\nthree\nfour\nfive\n"])
    #expect(merges(world) == (0, 1))
  }

  @Test func `only the names that the folder says are merged`() throws {
    let world = try HostileWorld(mergesText: true)
    try write("*.org\n!README.md\n", to: ".cairnmerge", in: world)
    try world.settle()
    for (name, count) in [("a.org", 1), ("note.txt", 1), ("README.md", 2), ("a.csv", 2)] {
      let id = try begin(world, name)
      try write(Self.bobs, to: name, in: world)
      try send(Self.hers, to: id, in: world)
      try world.settle()
      let stem = name.prefix { $0 != "." }
      let found = try world.tree().keys.filter { $0.hasPrefix(stem) }
      #expect(found.count == count, "\(found)")
      #expect(merges(world) == (count == 1 ? (1, 0) : (0, 1)))
      for name in try world.tree().keys where name != ".cairnmerge" {
        try FileManager.default.removeItem(atPath: "\(world.folder)/\(name)")
      }
      world.hintEverything()
      try world.settle()
      try world.wait()
    }
  }

  @Test(arguments: ["no text: \u{0}\n", String(repeating: "line\n", count: 220_000)])
  func `other bytes and long texts are never merged`(_ text: String) throws {
    let world = try HostileWorld(mergesText: true)
    let id = try begin(world, "note.txt", "a\n" + text + "b\n")
    try write("A\n" + text + "b\n", to: "note.txt", in: world)
    try send("a\n" + text + "B\n", to: id, in: world)
    try world.settle()
    #expect(try world.tree().count == 2)
    #expect(merges(world) == (0, 1))
  }

  @Test func `an edit while the lines are compared is not lost`() throws {
    let transfers = SteppedTransfers()
    let world = try HostileWorld(executor: transfers, mergesText: true)
    func settle() throws {
      repeat { try world.settle() } while transfers.step()
      try world.wait()
      repeat { try world.settle() } while transfers.step()
    }
    _ = try handOut(Self.hers, in: world, transfers)
    #expect(transfers.sizes == [UInt64(3 * Self.base.utf8.count)])
    try write(Self.bobs + "six\n", to: "note.txt", in: world)
    try settle()
    let texts = Set(try world.tree().values)
    #expect(texts == [Self.hers, Self.bobs + "six\n"], "the last lines of both are adjacent")
    #expect(merges(world) == (0, 1))
  }

  @Test func `a change of the other side while the lines are compared is merged, too`() throws {
    let transfers = SteppedTransfers()
    let world = try HostileWorld(executor: transfers, mergesText: true)
    func settle() throws { repeat { try world.settle() } while transfers.step() }
    let id = try handOut("one\ntwo\nTHREE\nfour\nfive\n", in: world, transfers)
    #expect(transfers.sizes == [UInt64(3 * Self.base.utf8.count)])
    try send("one\ntwo\nTHREE\nfour\nFIVE\n", to: id, in: world)
    try settle()
    #expect(try world.tree() == ["note.txt": "ONE\ntwo\nTHREE\nfour\nFIVE\n"])
    #expect(merges(world) == (1, 0))
  }

  /// Has the merge of Bob's text with the text of the others handed out: the new bytes are read,
  /// and nothing is merged yet.
  /// - Returns: The id of the record.
  private func handOut(
    _ theirs: String, in world: HostileWorld, _ transfers: SteppedTransfers
  ) throws -> RecordID {
    let file = try HostileWorld.file("note.txt", world.mallory, Self.base)
    try world.mallory.save([file], bringing: [])
    repeat { try world.settle() } while transfers.step()
    try write(Self.bobs, to: "note.txt", in: world)
    try send(theirs, to: file.id, in: world)
    try world.settle()
    transfers.step()
    try world.settle()
    return file.id
  }

  @Test func `a daemon that ends after the commit merges nothing a second time`() throws {
    let transfers = SteppedTransfers()
    let world = try HostileWorld(executor: transfers, mergesText: true)
    func settle() throws { repeat { try world.settle() } while transfers.step() }
    _ = try handOut(Self.hers, in: world, transfers)
    try world.keepIndex()
    transfers.step()
    // The merged text is committed, and waits to be fetched.
    try world.settle()
    #expect(try world.zoneText("note.txt") == Self.both)
    #expect(try world.tree() == ["note.txt": Self.bobs])
    let head = world.mallory.header.sequence
    try world.restart(withKeptIndex: true)
    try settle()
    try world.wait()
    try settle()
    #expect(try world.tree() == ["note.txt": Self.both])
    try world.mallory.pull()
    #expect(world.mallory.header.sequence == head)
  }

  /// The first commit has the merged text and the copy, the second one deletes the copy.
  @Test(arguments: [(0, false), (0, true), (1, false), (1, true)])
  func `a container that goes away in between loses no line`(
    _ commit: Int, _ isStored: Bool
  ) throws {
    let world = try HostileWorld(mergesText: true)
    let id = try begin(world)
    try write(Self.bobs, to: "note.txt", in: world)
    try send(Self.hers, to: id, in: world)
    world.store.leave(atPutOf: "/log/", storing: isStored, after: commit)
    #expect(throws: (any Error).self) {
      try world.settle()
      try world.settle()
    }
    world.store.leave(false)
    try world.wait()
    try world.wait()
    let hasCopy = (commit, isStored) == (0, true) || (commit, isStored) == (1, false)
    let expected = hasCopy ? [Self.both, Self.bobs] : [Self.both]
    let (tree, waiting) = (try world.tree(), try world.waiting())
    #expect(tree.values.sorted() == expected.sorted(), "\(tree) \(waiting)")
    #expect(try world.zoneText("note.txt") == Self.both)
    #expect(try history(world) == [Self.base, Self.bobs, Self.hers, Self.both])
    #expect(world.pending == 0)
  }

  @Test func `a shared file that is mirrored alone is merged`() throws {
    var file: RecordID?
    let world = try HostileWorld(
      mergesText: true,
      shown: { zone in
        let change = try HostileWorld.file("note.txt", zone, Self.base)
        try zone.save([change], bringing: [])
        file = change.id
        return MountScope(base: change.id, only: FileName("note.txt"))
      })
    let id = try #require(file)
    try world.settle()
    try write(Self.bobs, to: "note.txt", in: world)
    try send(Self.hers, to: id, in: world)
    try world.settle()
    #expect(try world.zoneText("note.txt") == Self.both)
    #expect(try world.tree()["note.txt"] == Self.both)
  }
}
