import CairnZone
import Foundation
import Testing

@testable import CairnFolders
@testable import CairnReplica

/// After a power cut the index may be some seconds older than the folder, and the folder some
/// seconds older than the zone. Neither difference is a person's change.
@Suite struct PowerCutTests {
  private let world: HostileWorld

  init() throws {
    world = try HostileWorld()
    try write("old", "standing for long")
    try sync()
    try world.keepIndex()
  }

  private func path(_ name: String) -> String { "\(world.folder)/\(name)" }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
  }

  private func sync() throws {
    for _ in 0..<3 {
      try world.lookAgain()
      try world.mallory.pull()
    }
  }

  private func rescued() throws -> [String] {
    try world.rescued().map { String(decoding: $0.of, as: UTF8.self) }.sorted()
  }

  /// Stops the machine. The kept part of the index is the earlier one.
  private func cut() throws {
    try world.restart(boot: "second", withKeptIndex: true)
    try sync()
  }

  private func size(_ name: String) throws -> UInt64? {
    let name = try #require(FileName(name))
    return try world.mallory.read { view in
      try view.child(of: .root, named: name).flatMap { try view.record($0)?.content?.size }
    }
  }

  @Test(arguments: ["", "\0\0\0\0\0\0", "sent a mom\0\0\0\0\0\0\0\0\0\0"])
  func `the rest of a file that was sent right before a cut isn't sent`(rest: String) throws {
    try write("new", "sent a moment before")
    try sync()
    #expect(try size("new") == 20)
    try write("new", rest)
    try cut()
    #expect(try world.tree()["new"] == "sent a moment before")
    #expect(try size("new") == 20)
    #expect(try rescued() == ["new"])
    // The same is an edit from here on.
    try write("new", "")
    try sync()
    #expect(try size("new") == 0)
  }

  @Test func `the rest of a file in an equally new directory isn't sent either`() throws {
    try FileManager.default.createDirectory(
      atPath: path("d"), withIntermediateDirectories: false)
    try write("d/new", "sent a moment before")
    try sync()
    try write("d/new", "")
    try cut()
    #expect(try world.tree()["d/new"] == "sent a moment before")
    #expect(try rescued() == ["d/new"])
  }

  @Test func `an entry that a cut removed with its name wasn't deleted by a person`() throws {
    try FileManager.default.createDirectory(
      atPath: path("d"), withIntermediateDirectories: false)
    try write("d/new", "sent a moment before")
    try write("new", "sent, too")
    try sync()
    try FileManager.default.removeItem(atPath: path("d"))
    try FileManager.default.removeItem(atPath: path("new"))
    try world.restart(boot: "second")
    try sync()
    #expect(try world.tree()["d/new"] == "sent a moment before")
    #expect(try world.tree()["new"] == "sent, too" && size("new") == 9)
    // The same is a deletion from here on.
    try FileManager.default.removeItem(atPath: path("new"))
    try sync()
    #expect(try world.tree()["new"] == nil && size("new") == nil)
  }

  @Test func `a name that a cut gave back to another file is no sign of a deletion`() throws {
    let files = FileManager.default
    try files.createSymbolicLink(atPath: path("new"), withDestinationPath: "nowhere")
    try sync()
    try files.moveItem(atPath: path("new"), toPath: path("link"))
    try write("new", "sent a moment before")
    try sync()
    #expect(try size("new") == 20)
    // The cut removes the new file with its name, and undoes the rename.
    try files.removeItem(atPath: path("new"))
    try files.moveItem(atPath: path("link"), toPath: path("new"))
    try world.restart(boot: "second")
    try sync()
    #expect(try world.tree().values.contains("sent a moment before"))
  }

  @Test func `a deletion before an orderly stop of the machine stays`() throws {
    try write("new", "sent a moment before")
    try sync()
    try world.restart(boot: "second", inOrder: true)
    try FileManager.default.removeItem(atPath: path("new"))
    try sync()
    #expect(try world.tree()["new"] == nil && size("new") == nil)
  }

  @Test func `a new file after a cut is as empty as its person made it`() throws {
    try write("new", "")
    try cut()
    #expect(try world.tree()["new"] == "" && size("new") == 0)
    #expect(try rescued().isEmpty)
  }

  @Test func `a file that others deleted after a cut doesn't come back`() throws {
    let file = try HostileWorld.file("hers", world.mallory, "her text")
    try world.play([file])
    #expect(try world.tree()["hers"] == "her text")
    try world.mallory.save([RecordChange(id: file.id, act: .delete)], bringing: [])
    try cut()
    #expect(try world.tree()["hers"] == nil && size("hers") == nil)
    #expect(try rescued() == ["hers"])
  }

  @Test func `an earlier version after a cut is no edit, and no conflict`() throws {
    try write("old", "second")
    try sync()
    let second = try Data(contentsOf: URL(filePath: path("old")))
    let times = try FileManager.default.attributesOfItem(atPath: path("old"))
    try write("old", "third")
    try sync()
    try second.write(to: URL(filePath: path("old")))
    try FileManager.default.setAttributes(
      [.modificationDate: times[.modificationDate] ?? Date()], ofItemAtPath: path("old"))
    try cut()
    #expect(try world.tree().keys.sorted() == ["old"])
    #expect(try size("old") == 5)
  }

  /// Bob's text, and its rest after a cut.
  @Test(arguments: [
    ("standing for LONG", "standing for long"), ("standing for long, and", "standing for long"),
    ("standing for long, and", "standing for long\0\0\0\0\0"), ("standing for long, and", ""),
  ])
  func `a conflict settled right before a cut stays settled`(text: String, rest: String) throws {
    try overwrite("old", text)
    let change = try HostileWorld.file("old", world.mallory, "hers", modified: 2)
    let id = try world.mallory.read {
      try $0.child(of: .root, named: try #require(change.place?.name))
    }
    try world.play([
      RecordChange(
        id: try #require(id), act: .update, content: change.content, attributes: change.attributes)
    ])
    try sync()
    let settled = try world.tree()
    let copy = try #require(settled.first { $0.value == text }?.key)
    #expect(settled.count == 2 && settled["old"] == "hers")
    let times = try FileManager.default.attributesOfItem(atPath: path(copy))
    try overwrite(copy, rest)
    try FileManager.default.setAttributes(
      [.modificationDate: times[.modificationDate] ?? Date()], ofItemAtPath: path(copy))
    try cut()
    #expect(try world.tree() == settled)
    #expect(try rescued() == [copy])
  }

  /// Writes new bytes into the same file, as an editor that writes in place.
  private func overwrite(_ name: String, _ text: String) throws {
    let file = try FileHandle(forUpdating: URL(filePath: path(name)))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }
}
