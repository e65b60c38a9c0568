import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone
import Foundation
import Testing

/// Unreadable contents are unknown, never empty.
struct UnreadableFolderTests {
  @Test(arguments: [
    FailingDisk.Fault.listing(errno: EIO), .listing(errno: EACCES), .opening(errno: EACCES),
    .opening(errno: EIO),
  ])
  func `a directory that can't be read loses nothing, and the rest goes on`(
    fault: FailingDisk.Fault
  ) throws {
    let disk = FailingDisk()
    let world = try HostileWorld(disk: disk)
    let directory = RecordID.random()
    try world.play([try HostileWorld.directory("d", id: directory)])
    try world.play(
      try ["a", "b", "c"].map { name in
        try HostileWorld.file(name, world.mallory, name, in: directory)
      } + [try HostileWorld.file("beside", world.mallory, "old")])
    let whole = try world.tree()
    #expect(whole.count == 5)

    disk.fail(world.folder + "/d", fault)
    try FileManager.default.removeItem(atPath: world.folder + "/d/c")
    try FileManager.default.removeItem(atPath: world.folder + "/beside")
    let problems = try world.lookAgain()
    #expect(problems.map(\.path) == [Array("d".utf8)])
    try world.mallory.pull()
    let held = try world.mallory.read { view in
      (try view.children(of: directory).count, try view.children(of: .root).count)
    }
    #expect(held == (3, 1), "\(fault)")

    // Once it is readable again, its deletions are sent to everybody.
    disk.heal()
    #expect(try world.lookAgain().isEmpty)
    try world.mallory.pull()
    #expect(try world.mallory.read { try $0.children(of: directory).count } == 2)
    #expect(try world.tree().keys.sorted() == ["d", "d/a", "d/b"])
  }

  @Test func `a file that the disk altered is found by reading, and sent to nobody`() throws {
    let disk = FailingDisk()
    let world = try HostileWorld(disk: disk)
    try world.play(
      try ["a", "b"].map { try HostileWorld.file($0, world.mallory, "the text of \($0)") })
    #expect(try world.differingFiles().isEmpty)
    disk.fail(world.folder + "/b", .altered)
    #expect(try world.differingFiles() == [Array("b".utf8)])
    let before = world.bob.header.sequence
    try world.lookAgain()
    #expect(world.bob.header.sequence == before)
    disk.heal()
    #expect(try world.differingFiles().isEmpty)
  }
}
