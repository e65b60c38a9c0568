import CairnFolders
import CairnIdentity
import CairnZone
import Foundation
import Testing

@testable import CairnReplica

/// An unmirrored entry at the place of a received one is reported, and isn't tried in vain all the
/// time. Once the obstacle is gone, the waiting entry is applied by itself.
@Suite struct ObstacleTests {
  private func expectWaiting(
    _ world: HostileWorld, for path: String, becauseOf words: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    _ = world.happenings()
    for _ in 0..<5 {
      let problems = try world.wait().filter { $0.path == Array(path.utf8) }
      #expect(
        problems.count == 1 && problems.first?.message.contains(words) == true, "\(problems)",
        sourceLocation: sourceLocation)
    }
    let reasons = try world.waiting().values.joined(separator: "; ")
    #expect(reasons.contains(words), "\(reasons)", sourceLocation: sourceLocation)
    let told = world.happenings().filter {
      switch $0 {
      case .receiving, .received: true
      default: false
      }
    }
    #expect(told.isEmpty, "nothing was received: \(told)", sourceLocation: sourceLocation)
    #expect(world.pending > 0, sourceLocation: sourceLocation)
  }

  @Test func `a FIFO in the place of a file is named, and the file arrives later`() throws {
    let world = try HostileWorld()
    let path = "\(world.folder)/f"
    try #require(mkfifo(path, 0o666) == 0)
    try world.play([HostileWorld.file("f", world.mallory, "her text")])
    try expectWaiting(world, for: "f", becauseOf: "FIFO")
    try #require(unlink(path) == 0)
    world.hint("f")
    try world.settle()
    #expect(try world.tree() == ["f": "her text"])
    #expect(try world.lookAgain().isEmpty)
    let applied = world.happenings().compactMap {
      if case .received(let records) = $0 { records } else { nil }
    }
    #expect(applied == [1])
  }

  @Test func `a FIFO in a directory that others deleted is named`() throws {
    let world = try HostileWorld()
    let directory = try HostileWorld.directory("d")
    try world.play([directory])
    try #require(mkfifo("\(world.folder)/d/p", 0o666) == 0)
    world.hint("d/p")
    try world.play([RecordChange(id: directory.id, act: .delete)])
    try expectWaiting(world, for: "d/p", becauseOf: "FIFO")
    try #require(unlink("\(world.folder)/d/p") == 0)
    world.hint("d/p")
    try world.settle()
    #expect(try world.tree().isEmpty)
  }

  @Test func `an ignored file in the place of a received one is named`() throws {
    let world = try HostileWorld()
    try Data("*.mine\n".utf8).write(to: URL(filePath: "\(world.folder)/.cairnignore"))
    try Data("his own".utf8).write(to: URL(filePath: "\(world.folder)/f.mine"))
    try world.lookAgain()
    try world.play([HostileWorld.file("f.mine", world.mallory, "her text")])
    try expectWaiting(world, for: "f.mine", becauseOf: "isn't mirrored")
    try #require(rename("\(world.folder)/f.mine", "\(world.folder)/g.mine") == 0)
    world.hint("f.mine")
    try world.settle()
    #expect(try world.tree()["f.mine"] == "her text")
    #expect(try world.tree()["g.mine"] == "his own")
  }

  @Test func `an entry that others create and delete again no longer waits`() throws {
    let world = try HostileWorld()
    try #require(mkfifo("\(world.folder)/f", 0o666) == 0)
    let file = try HostileWorld.file("f", world.mallory, "her text")
    try world.play([file])
    try expectWaiting(world, for: "f", becauseOf: "FIFO")
    try world.play([RecordChange(id: file.id, act: .delete)])
    #expect(world.pending == 0)
    #expect(try world.lookAgain().map(\.code) == [nil], "the FIFO alone")
  }

  @Test func `two names that the disk takes for one stay two, and the second is reported`() throws {
    let world = try HostileWorld(disk: FailingDisk(limits: .init(foldsNames: true)))
    let upper = try HostileWorld.file("NAME", world.mallory, "upper")
    let lower = try HostileWorld.file("name", world.mallory, "lower")
    try world.play([upper])
    try world.play([lower])
    try expectWaiting(world, for: "name", becauseOf: "NAME")
    let before = world.bob.header.sequence
    try world.lookAgain()
    #expect(world.bob.header.sequence == before, "nobody changed anything")
    #expect(try world.tree() == ["NAME": "upper"])
    // The entry in the way gets another name.
    let place = try HostileWorld.place(.root, "other")
    try world.play([RecordChange(id: upper.id, act: .update, place: place)])
    try world.wait()
    #expect(try world.tree() == ["other": "upper", "name": "lower"])
  }

  @Test func `a change of a name's case is a rename, even if both are one name`()
    throws
  {
    let world = try HostileWorld(disk: FailingDisk(limits: .init(foldsNames: true)))
    let file = try HostileWorld.file("name", world.mallory, "her text")
    try world.play([file])
    try #require(rename("\(world.folder)/name", "\(world.folder)/NAME") == 0)
    world.hint("name")
    world.hint("NAME")
    try world.settle()
    try world.wait()
    try world.mallory.pull()
    let record = try world.mallory.read { try $0.record(file.id) }
    #expect(record?.place?.name.bytes == Array("NAME".utf8))
    #expect(try world.tree() == ["NAME": "her text"])
  }

  @Test func `another spelling that others gave a name arrives, even if both are one name`() throws
  {
    let world = try HostileWorld(disk: FailingDisk(limits: .init(foldsNames: true)))
    let file = try HostileWorld.file("name", world.mallory, "her text")
    let directory = try HostileWorld.directory("d")
    try world.play([file, directory])
    for (id, name) in [(file.id, "NAME"), (directory.id, "D")] {
      let place = try HostileWorld.place(.root, name)
      #expect(try world.play([RecordChange(id: id, act: .update, place: place)]).isEmpty)
    }
    #expect(try world.lookAgain().isEmpty)
    #expect(try world.tree() == ["NAME": "her text", "D": "dir"])
    #expect(try world.zoneNames() == ["NAME", "D"])
    #expect(world.pending == 0)
  }
}
