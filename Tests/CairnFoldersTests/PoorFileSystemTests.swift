import CairnFolders
import CairnZone
import Foundation
import Testing

@testable import CairnReplica

/// A file system that can't store a record's state shows another state. That is no person's edit.
/// It isn't sent, and isn't retried for ever.
@Suite struct PoorFileSystemTests {
  /// The year 1850, and the earliest time that the disk can store.
  private static let (wanted, oldest): (Int64, Int64) = (
    -3_786_825_600_000_000_000, -2_147_483_648_000_000_000
  )

  static let poor: [FailingDisk.Limits] = [
    FailingDisk.Limits(oldest: oldest), FailingDisk.Limits(hasNoExecutables: true),
    FailingDisk.Limits(hasNoTimes: true),
    FailingDisk.Limits(oldest: oldest, hasNoExecutables: true),
    FailingDisk.Limits(dropsDirectoryTimes: true),
    FailingDisk.Limits(dropsDirectoryTimes: true, dropsTimes: true),
  ]

  /// Expects Mallory's state, and the result of another full scan by Bob.
  private func expectUnsent(
    _ world: HostileWorld, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = world.bob.header.sequence
    for _ in 0..<3 {
      #expect(try world.lookAgain().isEmpty, sourceLocation: sourceLocation)
      #expect(world.pending == 0, sourceLocation: sourceLocation)
    }
    #expect(world.bob.header.sequence == before, "nobody changed anything")
  }

  private func record(_ id: RecordID, in world: HostileWorld) throws -> Record {
    try world.mallory.pull()
    return try #require(try world.mallory.read { try $0.record(id) })
  }

  @Test(arguments: poor, [Permission.readWrite, .readOnly])
  func `a state that the disk can't store isn't sent, nor retried for ever`(
    limits: FailingDisk.Limits, permission: Permission
  ) throws {
    let world = try HostileWorld(disk: FailingDisk(limits: limits), permission: permission)
    let file = try HostileWorld.file("f", world.mallory, "her text", modified: Self.wanted)
    let directory = try HostileWorld.directory("d")
    try world.play([file, directory])
    #expect(try world.tree() == ["d": "dir", "f": "her text"])
    try expectUnsent(world)
    // The attributes change, too, but don't differ once the folder has to be scanned again.
    let attributes = Attributes(isExecutable: false, modified: Self.wanted + 1)
    try world.play([RecordChange(id: file.id, act: .update, attributes: attributes)])
    try expectUnsent(world)
    let bit = Attributes(isExecutable: true, modified: Self.wanted)
    try world.play([RecordChange(id: file.id, act: .update, attributes: bit)])
    try expectUnsent(world)
    #expect(try record(file.id, in: world).attributes == bit)
  }

  @Test func `a rename that drops the fraction of a time is no edit`() throws {
    let world = try HostileWorld(disk: FailingDisk(limits: .init(dropsFractions: true)))
    let time: Int64 = 1_700_000_000_123_456_789
    let file = try HostileWorld.file("file", world.mallory, "text", modified: time)
    let directory = try HostileWorld.directory("d")
    #expect(try world.play([file, directory]).isEmpty)
    try expectUnsent(world)
    let place = try HostileWorld.place(directory.id, "moved")
    #expect(try world.play([RecordChange(id: file.id, act: .update, place: place)]).isEmpty)
    try expectUnsent(world)
    let moved = try HostileWorld.place(.root, "e")
    #expect(try world.play([RecordChange(id: directory.id, act: .update, place: moved)]).isEmpty)
    try expectUnsent(world)
    #expect(try record(file.id, in: world).attributes.modified == time)
  }

  @Test(arguments: [EPERM, ENOSYS, EOPNOTSUPP, EIO])
  func `a disk without links, attributes and safe renames takes everything`(
    refusal: Int32
  ) throws {
    let disk = FailingDisk(
      swaps: false, refusesTakenNames: false, limits: .init(refusal: refusal))
    let world = try HostileWorld(disk: disk)
    let file = try HostileWorld.file("file", world.mallory, "text")
    let directory = try HostileWorld.directory("d")
    #expect(try world.play([file, directory]).isEmpty)
    let place = try HostileWorld.place(directory.id, "moved")
    #expect(try world.play([RecordChange(id: file.id, act: .update, place: place)]).isEmpty)
    #expect(try world.tree() == ["d": "dir", "d/moved": "text"])
    let edit = try HostileWorld.file("moved", world.mallory, "edited", modified: 2)
    let change = RecordChange(
      id: file.id, act: .update, content: edit.content, attributes: edit.attributes)
    #expect(try world.play([change]).isEmpty)
    #expect(try world.tree() == ["d": "dir", "d/moved": "edited"])
    try expectUnsent(world)
  }

  @Test func `the time of a link isn't set on its target`() throws {
    let world = try HostileWorld(disk: FailingDisk(limits: .init(followsLinks: true)))
    let file = try HostileWorld.file("file", world.mallory, "text", modified: 5_000_000_000)
    var links = [
      try HostileWorld.symlink("inside", to: "file"), try HostileWorld.symlink("nowhere", to: "x"),
    ]
    for number in links.indices {
      links[number].attributes = Attributes(isExecutable: false, modified: 9_000_000_000)
    }
    #expect(try world.play([file] + links).isEmpty)
    try expectUnsent(world)
    for link in links {
      let attributes = Attributes(isExecutable: false, modified: 11_000_000_000)
      let change = RecordChange(id: link.id, act: .update, attributes: attributes)
      #expect(try world.play([change]).isEmpty)
    }
    try expectUnsent(world)
    #expect(try world.tree() == ["file": "text", "inside": "-> file", "nowhere": "-> x"])
    #expect(try record(file.id, in: world).attributes.modified == 5_000_000_000)
  }

  @Test(arguments: poor)
  func `a lost index doesn't send it either`(limits: FailingDisk.Limits) throws {
    let world = try HostileWorld(disk: FailingDisk(limits: limits))
    try world.keepIndex()
    let file = try HostileWorld.file("f", world.mallory, "her text", modified: Self.wanted)
    try world.play([file])
    try expectUnsent(world)
    try world.restart(withKeptIndex: true)
    try expectUnsent(world)
    #expect(try record(file.id, in: world).attributes.modified == Self.wanted)
  }

  @Test(arguments: poor)
  func `an edit on such a disk is sent with the attributes that it left alone`(
    limits: FailingDisk.Limits
  ) throws {
    let world = try HostileWorld(disk: FailingDisk(limits: limits))
    let file = try HostileWorld.file("f", world.mallory, "her text", modified: Self.wanted)
    try world.play([file])
    let path = "\(world.folder)/f"
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(" and his".utf8))
    try handle.close()
    try world.lookAgain()
    var sent = try record(file.id, in: world)
    #expect(sent.content?.size == 16)
    #expect(sent.attributes.isExecutable)
    #expect(sent.attributes.modified > 0, "the time of his edit")
    // The file is replaced by a rename, as editors do.
    try Data("quite another".utf8).write(to: URL(filePath: "\(world.folder)/.#new"))
    #expect(chmod("\(world.folder)/.#new", limits.hasNoExecutables ? 0o644 : 0o755) == 0)
    #expect(rename("\(world.folder)/.#new", path) == 0)
    try world.lookAgain()
    sent = try record(file.id, in: world)
    #expect(sent.content?.size == 13)
    #expect(sent.attributes.isExecutable)
    try expectUnsent(world)
  }

  @Test func `a time that its person sets is sent, even after an unsupported time`() throws {
    let world = try HostileWorld(disk: FailingDisk(limits: Self.poor[0]))
    let file = try HostileWorld.file("f", world.mallory, "her text", modified: Self.wanted)
    try world.play([file])
    let time = timespec(tv_sec: 1_000_000, tv_nsec: 5)
    #expect(utimensat(AT_FDCWD, "\(world.folder)/f", [time, time], 0) == 0)
    try world.lookAgain()
    #expect(try record(file.id, in: world).attributes.modified == 1_000_000_000_000_005)
  }

  @Test func `a symlink that can't be created waits, is reported, and isn't deleted`() throws {
    let world = try HostileWorld(disk: FailingDisk(limits: .init(hasNoSymlinks: true)))
    let link = try HostileWorld.symlink("l", to: "f")
    #expect(try world.play([link]).count == 1)
    let before = world.bob.header.sequence
    for _ in 0..<3 { #expect(try world.lookAgain().count == 1) }
    #expect(world.bob.header.sequence == before)
    #expect(try record(link.id, in: world).target == Array("f".utf8))
  }
}
