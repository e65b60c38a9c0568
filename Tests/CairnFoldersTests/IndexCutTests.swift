import CairnZone
import Foundation
import Testing

@testable import CairnFolders
@testable import CairnReplica

/// After a power cut of the index's file system alone, the index is older than the folder, and the
/// folder has lost nothing. A difference between the two is this device's own work, which the log
/// knows.
@Suite struct IndexCutTests {
  private let world: HostileWorld
  private let disk = FailingDisk()

  init() throws {
    disk.isMounted(1)
    world = try HostileWorld(disk: disk, mergesText: true)
    try write("old", "standing for long")
    try sync()
    // From here on the run's name is in the index, with both mountings.
    try restart(index: 1)
    try sync()
  }

  private func path(_ name: String) -> String { "\(world.folder)/\(name)" }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
  }

  private func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path(name))
  }

  private func rename(_ name: String, _ other: String) throws {
    try FileManager.default.moveItem(atPath: path(name), toPath: path(other))
  }

  private func sync() throws {
    for _ in 0..<3 {
      try world.lookAgain()
      try world.mallory.pull()
    }
  }

  private func restart(index: Int, isOld: Bool = false) throws {
    try world.restart(boot: "first \(index)", withKeptIndex: isOld)
  }

  /// Stops the file system of the index. Its kept state remains.
  private func cut() throws {
    try restart(index: 2, isOld: true)
    try sync()
  }

  /// Expects the same files with these texts in the folder and in the zone.
  private func expect(
    _ files: [String: String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try world.tree() == files, sourceLocation: sourceLocation)
    #expect(try world.zoneNames() == Set(files.keys), sourceLocation: sourceLocation)
    for (name, text) in files {
      #expect(try world.zoneText(name) == text, sourceLocation: sourceLocation)
    }
    #expect(try world.rescued().isEmpty, sourceLocation: sourceLocation)
    #expect(world.pending == 0, sourceLocation: sourceLocation)
  }

  /// Mallory gives Bob's file another text.
  private func play(_ name: String, _ text: String) throws {
    var change = try HostileWorld.file(name, world.mallory, text, modified: 2)
    let name = try #require(FileName(name))
    let id = try world.mallory.read { try $0.child(of: .root, named: name) }
    (change.id, change.act, change.place) = (try #require(id), .update, nil)
    try world.mallory.save([change], bringing: [])
  }

  @Test func `a deletion of a new file stays`() throws {
    try write("new", "seconds old")
    try sync()
    try world.keepIndex()
    try remove("new")
    try cut()
    try expect(["old": "standing for long"])
  }

  @Test(arguments: [true, false])
  func `a deletion that was sent, and a file of the same name, stay`(isSent: Bool) throws {
    try world.keepIndex()
    try write("new", "seconds old")
    try sync()
    try remove("new")
    try sync()
    try write("new", "another one")
    if isSent { try sync() }
    try cut()
    try expect(["old": "standing for long", "new": "another one"])
  }

  @Test(arguments: ["old", "new"])
  func `an edit after one that was sent makes no conflict copy`(name: String) throws {
    try world.keepIndex()
    try write(name, "sent")
    try sync()
    try write(name, "edited since")
    try cut()
    try expect(["old": "standing for long"].merging([name: "edited since"]) { $1 })
    // The next start continues as usual.
    try write("old", "and again")
    try restart(index: 2, isOld: true)
    try sync()
    try expect(
      ["old": "and again"].merging(name == "old" ? [:] : [name: "edited since"]) { $1 })
  }

  @Test func `an edit of a file whose name another one had makes no conflict copy`() throws {
    try remove("old")
    try sync()
    try world.keepIndex()
    try write("old", "a new file")
    try sync()
    try write("old", "edited since")
    try cut()
    try expect(["old": "edited since"])
  }

  @Test(arguments: [true, false])
  func `a renamed file stands once`(isNew: Bool) throws {
    if !isNew { try write("new", "seconds old") }
    if !isNew { try sync() }
    try world.keepIndex()
    if isNew { try write("new", "seconds old") }
    try sync()
    try rename("new", "newer")
    try cut()
    try expect(["old": "standing for long", "newer": "seconds old"])
  }

  /// The log doesn't prove that a person deleted it, because commands also create files there.
  @Test func `a file that the index never knew isn't deleted`() throws {
    try world.keepIndex()
    try write("new", "seconds old")
    try sync()
    try remove("new")
    try cut()
    try expect(["old": "standing for long", "new": "seconds old"])
  }

  @Test func `an edit after another person's makes a conflict copy`() throws {
    try world.keepIndex()
    try write("old", "sent")
    try sync()
    try write("old", "edited since")
    try play("old", "hers")
    try cut()
    let tree = try world.tree()
    #expect(tree["old"] == "hers" && Set(tree.values) == ["hers", "edited since"])
    #expect(try world.zoneNames() == Set(tree.keys))
  }

  @Test func `another person's change of what was sent arrives`() throws {
    try world.keepIndex()
    try write("old", "sent")
    try sync()
    try play("old", "hers")
    try cut()
    try expect(["old": "hers"])
  }

  /// The folder never had the merged text, so that its next version isn't an edit of that.
  @Test func `an edit doesn't replace a merged text that never arrived`() throws {
    let lines = "one\ntwo\nthree\nfour\nfive\n"
    try write("note.txt", lines)
    try sync()
    try world.keepIndex()
    try write("note.txt", lines.replacing("one", with: "ONE"))
    try play("note.txt", lines.replacing("five", with: "FIVE"))
    world.hintEverything()
    world.hintZone()
    let both = lines.replacing("one", with: "ONE").replacing("five", with: "FIVE")
    for _ in 0..<20 where try world.zoneText("note.txt") != both { _ = try world.turn() }
    #expect(try world.zoneText("note.txt") == both)
    #expect(try world.tree()["note.txt"] == lines.replacing("one", with: "ONE"))
    try write("note.txt", lines.replacing("one", with: "1"))
    try cut()
    let texts = try world.tree().values.joined()
    #expect(texts.contains("FIVE\n"))
    #expect(texts.contains("1\n"))
  }

  @Test func `without proof that the folder lost nothing, a missing file comes back`() throws {
    try write("new", "seconds old")
    try sync()
    try world.keepIndex()
    try remove("new")
    disk.isMounted(2)
    try cut()
    try expect(["old": "standing for long", "new": "seconds old"])
  }

  /// The folder hasn't fetched the restored file when the index goes back to a state that had it.
  @Test func `a file that another person restored isn't deleted again`() throws {
    try write("new", "seconds old")
    try sync()
    try world.keepIndex()
    let name = try #require(FileName("new"))
    let record = try #require(
      world.mallory.read { view in
        try view.child(of: .root, named: name).flatMap { try view.record($0) }
      })
    try remove("new")
    try sync()
    #expect(try !world.zoneNames().contains("new"))
    try world.mallory.save([
      RecordChange(
        id: record.id, act: .create(.file), place: record.place, content: record.content,
        attributes: record.attributes)
    ])
    try cut()
    try expect(["old": "standing for long", "new": "seconds old"])
  }

  /// The removals of files that were left out are on the disk before the files are selected again:
  /// no older index takes them for deletions.
  @Test func `a selection syncs the index before its file is written`() throws {
    let before = world.state.index.durableWriteCount
    try world.select(SyncSelection())
    #expect(world.state.index.durableWriteCount > before)
  }
}
