import CairnReplica
import CairnZone
import Foundation
import Testing

@testable import CairnFolders

/// Conflicts that a person resolves by an edited text.
@Suite struct EditedMergeTests {
  private static let bobs = "one\nof bob\nend\n"
  private static let mallorys = "one\nof mallory\nend\n"
  private static let edited = "one\nof both\nend\n"

  /// Makes a conflict about a file.
  private func conflict(_ world: HostileWorld) throws -> Conflict {
    let file = try HostileWorld.file("note.txt", world.mallory, "one\nend\n")
    try world.play([file])
    try write(Self.bobs, in: world)
    var change = try HostileWorld.file("x", world.mallory, Self.mallorys, modified: 2)
    (change.id, change.act, change.place) = (file.id, .update, nil)
    try world.mallory.save([change], bringing: [])
    try world.settle()
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640], ofItemAtPath: world.folder + "/note.txt")
    try world.lookAgain()
    _ = world.happenings()
    return try #require(try world.conflicts().first)
  }

  private func write(_ text: String, in world: HostileWorld) throws {
    try Data(text.utf8).write(to: URL(filePath: world.folder + "/note.txt"))
    world.hint("note.txt")
  }

  private func save(
    _ conflict: Conflict, in world: HostileWorld, if isCurrent: ([UInt8]) -> Bool = { _ in true }
  ) throws -> [UInt8]? {
    try world.saveMerge(Array(Self.edited.utf8), of: conflict, ifMadeFrom: isCurrent)
  }

  @Test func `the text becomes the file, and the copy a recovered file`() throws {
    let world = try HostileWorld()
    let conflict = try conflict(world)
    var shown = ""
    let path = try save(conflict, in: world) {
      shown = String(decoding: $0, as: UTF8.self)
      return true
    }
    #expect(path == Array("note.txt".utf8))
    #expect(shown.contains("<<<<<<< note.txt\nof mallory\n=======\nof bob\n>>>>>>> note (conflict"))
    try world.settle()
    try world.wait()
    #expect(try world.tree() == ["note.txt": Self.edited])
    #expect(try world.zoneText("note.txt") == Self.edited)
    #expect(try world.zoneNames() == ["note.txt"])
    let mode = try FileManager.default.attributesOfItem(atPath: world.folder + "/note.txt")
    #expect(mode[.posixPermissions] as? Int == 0o640)
    let rescued = world.happenings().filter {
      if case .rescued = $0 { true } else { false }
    }
    #expect(rescued.count == 1)
    let below = world.folder + "/.cairn/displaced"
    #expect(try FileManager.default.contentsOfDirectory(atPath: below).isEmpty)
  }

  @Test func `nothing changes if the text was made from other versions`() throws {
    let world = try HostileWorld()
    let conflict = try conflict(world)
    let before = try world.tree()
    #expect(try save(conflict, in: world) { _ in false } == nil)
    try world.settle()
    #expect(try world.tree() == before && before.count == 2)
  }

  @Test func `an edit in the last moment becomes a conflict copy`() throws {
    let world = try HostileWorld()
    let conflict = try conflict(world)
    _ = try save(conflict, in: world) { _ in
      (try? Data("an edit\n".utf8).write(to: URL(filePath: world.folder + "/note.txt"))) != nil
    }
    try world.settle()
    try world.wait()
    let tree = try world.tree()
    #expect(tree["note.txt"] == Self.edited)
    #expect(Set(tree.values) == [Self.edited, "an edit\n"])
  }

  @Test func `the report names copies of others, and none that is gone`() throws {
    let world = try HostileWorld()
    let name = "note (conflict, mallory on host, 2026-11-28 09.00).txt"
    let file = try HostileWorld.file(name, world.mallory, "text\n")
    try world.play([file])
    #expect(world.reportedConflicts == [name])
    try world.play([RecordChange(id: file.id, act: .delete)])
    #expect(try world.tree().isEmpty)
    #expect(world.reportedConflicts.isEmpty)

    // One that is resolved here is gone as well.
    let conflict = try conflict(world)
    #expect(world.reportedConflicts.count == 1)
    _ = try save(conflict, in: world)
    try world.settle()
    #expect(world.reportedConflicts.isEmpty)
  }

  @Test func `a person who can only view saves nothing`() throws {
    let world = try HostileWorld()
    let conflict = try conflict(world)
    let before = try world.tree()
    try world.setBob(.readOnly)
    try world.settle()
    #expect(throws: FolderError.self) { try save(conflict, in: world) }
    #expect(try world.tree() == before)
  }
}
