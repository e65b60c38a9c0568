import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone
import Foundation
import Synchronization
import Testing

/// A person or program renames or writes between Cairn's look at a file and its own rename. No file
/// there is lost.
struct VisitorTests {
  @Test(arguments: [true, false])
  func `another file that is renamed over the one to replace stays`(swaps: Bool) throws {
    let test = try Visited(swaps: swaps)
    let folder = test.world.folder
    test.disk.beforeRename(of: "a") { rename("\(folder)/b", "\(folder)/a") }
    try test.world.play([try test.edit("a")])
    try test.expectSettled()
    #expect(try test.texts() == ["her a", "the text of b"])
  }

  /// The swap that restores it is done, and seems to fail.
  @Test func `a file that is renamed over the one to replace is no edit of it`()
    throws
  {
    let test = try Visited()
    let folder = test.world.folder
    test.disk.beforeRename(of: "a") { rename("\(folder)/b", "\(folder)/a") }
    test.disk.loseAnswer(of: "a", passing: 1)
    try test.world.play([try test.edit("a")])
    try test.expectSettled()
    #expect(try test.texts() == ["her a", "the text of b"])
  }

  @Test(arguments: [true, false])
  func `two files whose names are swapped during a replacement both stay`(swaps: Bool) throws {
    let test = try Visited(swaps: swaps)
    let folder = test.world.folder
    test.disk.beforeRename(of: "a") {
      rename("\(folder)/a", "\(folder)/.x")
      rename("\(folder)/b", "\(folder)/a")
      rename("\(folder)/.x", "\(folder)/b")
    }
    try test.world.play([try test.edit("a")])
    try test.expectSettled()
    #expect(try test.texts().contains("her a"))
    #expect(try test.texts().contains("the text of b"))
  }

  @Test func `a directory that appears in place of a replaced file stays with its contents`()
    throws
  {
    let test = try Visited()
    let folder = test.world.folder
    test.disk.beforeRename(of: "a") {
      unlink("\(folder)/a")
      mkdir("\(folder)/a", 0o777)
      rename("\(folder)/b", "\(folder)/a/b")
    }
    try test.world.play([try test.edit("a")])
    try test.expectSettled()
    #expect(try test.texts().filter { $0 != "dir" } == ["her a", "the text of b"])
  }

  @Test func `a file that is renamed over the one to move isn't taken for it`() throws {
    let test = try Visited()
    let folder = test.world.folder
    test.disk.beforeRename(of: "c") { rename("\(folder)/b", "\(folder)/a") }
    let place = try HostileWorld.place(.root, "c")
    try test.world.play([RecordChange(id: try test.id("a"), act: .update, place: place)])
    try test.expectSettled()
    #expect(try test.texts().contains("the text of b"))
  }

  /// Without the flag, a file that is moved has two names for a moment.
  @Test(arguments: ["renamed", "written"])
  func `a new entry at the former place of a moved file stays`(act: String) throws {
    let test = try Visited(swaps: false, refusesTakenNames: false)
    let folder = test.world.folder
    test.disk.afterRename(to: "c") {
      if act == "renamed" {
        rename("\(folder)/b", "\(folder)/a")
      } else {
        unlink("\(folder)/a")
        let file = open("\(folder)/a", O_WRONLY | O_CREAT, 0o666)
        write(file, "new", 3)
        close(file)
      }
    }
    let place = try HostileWorld.place(.root, "c")
    try test.world.play([RecordChange(id: try test.id("a"), act: .update, place: place)])
    try test.expectSettled()
    let rest = act == "renamed" ? ["the text of b"] : ["new", "the text of b"]
    #expect(try test.texts() == (rest + ["the text of a"]).sorted())
    #expect(try test.world.tree()["a"] == rest.first)
  }

  /// Without the flag, a file that is moved has two names for a moment.
  @Test func `a file put over a moved file's new name doesn't destroy its bytes`() throws {
    let test = try Visited(swaps: false, refusesTakenNames: false)
    let folder = test.world.folder
    test.disk.afterRename(to: "c") { rename("\(folder)/b", "\(folder)/c") }
    let place = try HostileWorld.place(.root, "c")
    try test.world.play([RecordChange(id: try test.id("a"), act: .update, place: place)])
    try test.expectSettled()
    #expect(try test.texts() == ["the text of a", "the text of b"])
  }

  /// Without the flag, a file that is moved has two names for a moment.
  @Test func `a file that its person moves on during a move isn't there twice`() throws {
    let test = try Visited(swaps: false, refusesTakenNames: false)
    let folder = test.world.folder
    test.disk.afterRename(to: "c") { rename("\(folder)/a", "\(folder)/d") }
    let place = try HostileWorld.place(.root, "c")
    try test.world.play([RecordChange(id: try test.id("a"), act: .update, place: place)])
    try test.expectSettled()
    #expect(try test.texts() == ["the text of a", "the text of b"])
  }

  @Test func `bytes written into a file during its move reach everybody`() throws {
    let test = try Visited()
    let path = test.world.folder + "/a"
    test.disk.beforeRename(of: "c") {
      let file = open(path, O_WRONLY | O_APPEND)
      write(file, " and more", 9)
      close(file)
    }
    let place = try HostileWorld.place(.root, "c")
    try test.world.play([RecordChange(id: try test.id("a"), act: .update, place: place)])
    try test.world.settle()
    try test.world.mallory.pull()
    let size = try test.world.mallory.read { try $0.record(test.id("a"))?.content?.size }
    #expect(size == UInt64("the text of a and more".utf8.count))
    try test.expectSettled()
    #expect(try test.world.tree()["c"] == "the text of a and more")
  }

  @Test func `bytes written into a file with a temporary name aren't lost`() throws {
    let test = try Visited()
    let folder = test.world.folder
    for name in ["a", "b"] {
      test.disk.beforeRename(of: name) {
        let file = open("\(folder)/\(name)", O_WRONLY | O_APPEND)
        write(file, " and more", 9)
        close(file)
      }
    }
    var (a, b) = (try test.edit("a"), try test.edit("b"))
    a.place = try HostileWorld.place(.root, "b")
    b.place = try HostileWorld.place(.root, "a")
    try test.world.play([a, b])
    try test.expectSettled()
    let texts = try test.texts()
    #expect(texts.contains("her a") && texts.contains("her b"))
    #expect(texts.contains { $0.hasSuffix(" and more") })
  }

  /// No scan of the folder reaches the directory.
  @Test(arguments: ["", "inner/"])
  func `a new entry in a parked directory that is deleted stays`(inner: String)
    throws
  {
    let test = try Visited()
    let folder = test.world.folder
    // The last of them gets a temporary name.
    let ids = [RecordID.random(), .random()].sorted()
    let one = try HostileWorld.directory("d", id: ids[1])
    let other = try HostileWorld.directory("e", id: ids[0])
    let inside = try HostileWorld.directory("inner", in: one.id)
    try test.world.play([one, other, inside])
    // They exchange their names. One waits, because its new name is taken in between.
    test.disk.beforeRename(of: "d") { symlink("new", "\(folder)/d/\(inner)new") }
    test.disk.afterRename(to: "d") { mkdir("\(folder)/e", 0o777) }
    test.disk.fail(folder, .syncing(errno: EIO))
    #expect(throws: FolderError.self) {
      try test.world.play([
        RecordChange(id: one.id, act: .update, place: try HostileWorld.place(.root, "e")),
        RecordChange(id: other.id, act: .update, place: try HostileWorld.place(.root, "d")),
      ])
    }
    let parked = "\(folder)/.cairn/parked"
    #expect(try FileManager.default.contentsOfDirectory(atPath: parked).count == 1)
    test.disk.heal()
    try test.world.play([
      RecordChange(id: inside.id, act: .delete), RecordChange(id: one.id, act: .delete),
    ])
    try test.expectSettled()
    #expect(try FileManager.default.contentsOfDirectory(atPath: parked).isEmpty)
    let paths = try test.world.tree().keys.sorted()
    #expect(paths.count { $0.hasSuffix("/\(inner)new") } == 1, "\(paths)")
  }

  @Test(arguments: ["a", "c"], [true, false])
  func `a file that is renamed over one that just arrived is sent`(name: String, swaps: Bool)
    throws
  {
    let test = try Visited(swaps: swaps)
    let folder = test.world.folder
    test.disk.afterRename(to: name) {
      setTime("\(folder)/b")
      rename("\(folder)/b", "\(folder)/\(name)")
    }
    let change = try test.bring(name)
    try test.world.play([change])
    try test.expectSettled()
    #expect(try test.world.tree()[name] == "the text of b")
    #expect(try test.sizeInZone(of: change.id) == "the text of b".utf8.count)
  }

  @Test(arguments: ["a", "c"], [true, false])
  func `bytes written into a file that just arrived are sent`(name: String, swaps: Bool) throws {
    let test = try Visited(swaps: swaps)
    let path = test.world.folder + "/" + name
    test.disk.afterRename(to: name) {
      let file = open(path, O_WRONLY | O_APPEND)
      write(file, " and more", 9)
      close(file)
      setTime(path)
    }
    let change = try test.bring(name)
    try test.world.play([change])
    try test.expectSettled()
    #expect(try test.world.tree()[name] == "her \(name) and more")
    #expect(try test.sizeInZone(of: change.id) == "her \(name) and more".utf8.count)
  }

  @Test func `a new file that its person moves on is moved for everybody`() throws {
    let test = try Visited()
    let folder = test.world.folder
    test.disk.afterRename(to: "c") { rename("\(folder)/c", "\(folder)/d") }
    let change = try test.bring("c")
    try test.world.play([change])
    try test.expectSettled()
    #expect(try test.world.tree()["d"] == "her c")
    try test.world.mallory.pull()
    let place = try test.world.mallory.read { try $0.record(change.id)?.place }
    #expect(try place == HostileWorld.place(.root, "d"))
  }

  /// Cairn's steps in a failed sync cycle are no acts of Bob's: they don't survive a deletion.
  @Test(arguments: ["move", "edit", "mode", "new"])
  func `an entry from a failed sync cycle goes when Mallory deletes it`(act: String) throws {
    let test = try Visited()
    var id = try test.id("a")
    test.disk.fail(test.world.folder, .syncing(errno: EIO))
    let new = try HostileWorld.file("c", test.world.mallory, "new")
    let changes: [RecordChange]
    switch act {
    case "move":
      let place = try HostileWorld.place(.root, "c")
      changes = [RecordChange(id: id, act: .update, place: place)]
    case "edit": changes = [try test.edit("a")]
    case "mode":
      let attributes = Attributes(isExecutable: false, modified: 1)
      changes = [RecordChange(id: id, act: .update, attributes: attributes), new]
    default:
      changes = [new]
      id = new.id
    }
    #expect(throws: FolderError.self) { try test.world.play(changes) }
    test.disk.heal()
    try test.world.play([RecordChange(id: id, act: .delete)])
    try test.expectSettled()
    #expect(try test.world.tree()["c"] == (act == "mode" ? "new" : nil))
    #expect(try test.world.tree()["a"] == (act == "new" ? "the text of a" : nil))
    #expect(try test.world.tree()["b"] == "the text of b")
    #expect(try test.texts().count == (act == "move" || act == "edit" ? 1 : 2))
  }

  /// The index has the former directory at that place.
  @Test func `a directory that replaced another in a failed cycle goes with its contents`()
    throws
  {
    let test = try Visited()
    let (former, new) = (try HostileWorld.directory("d"), try HostileWorld.directory("d"))
    try test.world.play([former])
    test.disk.fail(test.world.folder, .syncing(errno: EIO))
    let file = try HostileWorld.file("c", test.world.mallory, "new", in: new.id)
    #expect(throws: FolderError.self) {
      try test.world.play([RecordChange(id: former.id, act: .delete), new, file])
    }
    #expect(try test.world.tree()["d/c"] == "new")
    test.disk.heal()
    try test.world.play([
      RecordChange(id: file.id, act: .delete), RecordChange(id: new.id, act: .delete),
    ])
    try test.expectSettled()
    #expect(try test.world.tree().keys.sorted() == ["a", "b"])
  }

  /// No event reports the new place of the directory.
  @Test func `a directory from a failed sync cycle is found where Bob moved it`() throws {
    let test = try Visited()
    let new = try HostileWorld.directory("d")
    let file = try HostileWorld.file("c", test.world.mallory, "new", in: new.id)
    test.disk.fail(test.world.folder, .syncing(errno: EIO))
    #expect(throws: FolderError.self) { try test.world.play([new, file]) }
    test.disk.heal()
    #expect(rename("\(test.world.folder)/d", "\(test.world.folder)/e") == 0)
    try test.world.settle()
    try test.expectSettled()
    #expect(try test.world.tree()["e/c"] == "new")
    #expect(try test.sizeInZone(of: file.id) == 3)
  }

  @Test func `an entry that doesn't fit after a failed sync cycle isn't undone`() throws {
    let test = try Visited()
    test.disk.fail(test.world.folder, .syncing(errno: EIO))
    #expect(throws: FolderError.self) { try test.world.play([try test.edit("a")]) }
    test.disk.heal()
    try test.expectSettled()
    test.disk.refuseRename(of: "a", errno: ENOSPC)
    var later = try test.edit("a")
    later.content = try HostileWorld.file("a", test.world.mallory, "her second").content
    try test.world.play([later])
    try test.expectSettled()
    #expect(try test.texts() == ["her second", "the text of b"])
  }

  /// The former bytes may look like those of a commit with a lost answer.
  @Test func `a file that Bob reverts to its former bytes stays so`() throws {
    let test = try Visited()
    try test.world.play([try test.edit("a")])
    try Data("the text of a".utf8).write(to: URL(filePath: test.world.folder + "/a"))
    test.world.hintEverything()
    // It is read, and not sent.
    test.disk.fail(test.world.folder, .syncing(errno: EIO))
    let new = try HostileWorld.file("c", test.world.mallory, "new")
    #expect(throws: FolderError.self) { try test.world.play([new]) }
    test.disk.heal()
    test.world.loseAnswer()
    try test.expectSettled()
    #expect(try test.world.tree()["a"] == "the text of a")
    #expect(try test.sizeInZone(of: test.id("a")) == "the text of a".utf8.count)
  }

  /// The bytes are Mallory's. The place is Bob's, and isn't sent yet.
  @Test func `a moved file that is replaced before the move is sent stays moved`()
    throws
  {
    let test = try Visited()
    let (folder, world, store) = (test.world.folder, test.world, test.world.store)
    #expect(rename("\(folder)/a", "\(folder)/c") == 0)
    for path in ["a", "c"] { world.hint(path) }
    // Nothing can be sent.
    test.disk.afterRename(to: "c") { store.fill(true) }
    try world.play([try test.edit("a")])
    #expect(try world.tree()["c"] == "her a")
    store.fill(false)
    try test.expectSettled()
    #expect(try world.tree() == ["b": "the text of b", "c": "her a"])
    try world.mallory.pull()
    let place = try world.mallory.read { try $0.record(test.id("a"))?.place }
    #expect(try place == HostileWorld.place(.root, "c"))
  }

  /// Bob's later changes count.
  @Test(arguments: ["move", "new"])
  func `an entry from a failed sync cycle stays deleted when Bob deletes it`(act: String) throws {
    let test = try Visited()
    test.disk.fail(test.world.folder, .syncing(errno: EIO))
    let change =
      act == "new"
      ? try HostileWorld.file("c", test.world.mallory, "new")
      : RecordChange(
        id: try test.id("a"), act: .update, place: try HostileWorld.place(.root, "c"))
    #expect(throws: FolderError.self) { try test.world.play([change]) }
    test.disk.heal()
    #expect(unlink(test.world.folder + "/c") == 0)
    try test.expectSettled()
    try test.world.mallory.pull()
    #expect(try test.world.mallory.read { try $0.record(change.id) } == nil)
    #expect(try test.world.tree()["c"] == nil)
  }

  /// A program that had the file open may have written to it after it was replaced.
  @Test(arguments: ["nobody", "a writer", "a writer who puts the time back"])
  func `a replaced file is read again only if a program wrote to it`(who: String) throws {
    let test = try Visited()
    let kept = "\(test.world.folder)/.cairn/displaced"
    try test.world.play([try test.edit("a")])
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: kept).first)
    if who != "nobody" {
      let file = open("\(kept)/\(name)", O_WRONLY)
      pwrite(file, "THE", 3, 0)
      close(file)
      if who != "a writer" { setTime("\(kept)/\(name)", nanoseconds: 1) }
    }
    try test.expectSettled()
    #expect(try FileManager.default.contentsOfDirectory(atPath: kept).isEmpty)
    #expect(test.disk.keptReads.load(ordering: .relaxed) == (who == "nobody" ? 0 : 1))
    let copy = who == "nobody" ? [] : ["THE text of a"]
    #expect(try test.texts() == (copy + ["her a", "the text of b"]).sorted())
  }
}

/// Gives a file the time of Mallory's new files, so that only the rest distinguishes them.
private func setTime(_ path: String, nanoseconds: Int = 2) {
  let time = timespec(tv_sec: 0, tv_nsec: nanoseconds)
  utimensat(AT_FDCWD, path, [time, time], 0)
}

/// Bob's folder with two files of Mallory's, on a disk on which a test can act in between.
private struct Visited {
  let disk: FailingDisk
  let world: HostileWorld
  let ids: [String: RecordID]

  init(swaps: Bool = true, refusesTakenNames: Bool = true) throws {
    disk = FailingDisk(swaps: swaps, refusesTakenNames: refusesTakenNames)
    world = try HostileWorld(disk: disk)
    let a = try HostileWorld.file("a", world.mallory, "the text of a")
    let b = try HostileWorld.file("b", world.mallory, "the text of b")
    ids = ["a": a.id, "b": b.id]
    try world.play([a, b])
  }

  func id(_ name: String) throws -> RecordID { try #require(ids[name]) }

  /// Returns Mallory's new version of a file.
  func edit(_ name: String) throws -> RecordChange {
    let file = try HostileWorld.file(name, world.mallory, "her \(name)", modified: 2)
    return RecordChange(
      id: try id(name), act: .update, content: file.content, attributes: file.attributes)
  }

  /// Returns Mallory's new version of a file, or a new file of hers.
  func bring(_ name: String) throws -> RecordChange {
    ids[name] == nil
      ? try HostileWorld.file(name, world.mallory, "her \(name)", modified: 2) : try edit(name)
  }

  /// Returns the size of a file in the zone.
  func sizeInZone(of id: RecordID) throws -> Int? {
    try world.mallory.pull()
    return try world.mallory.read { try $0.record(id)?.content.map { Int($0.size) } }
  }

  func texts() throws -> [String] { try world.tree().values.sorted() }

  /// Expects that Bob's folder and the zone are equal, whatever the result is.
  func expectSettled() throws {
    #expect(try world.lookAgain().isEmpty)
    let before = world.bob.header.sequence
    let tree = try world.tree()
    #expect(try world.lookAgain().isEmpty)
    #expect(try world.tree() == tree)
    #expect(world.bob.header.sequence == before)
    #expect(try world.differingFiles().isEmpty)
  }
}
