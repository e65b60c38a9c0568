import CairnContainer
import CairnFolders
import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone
import Foundation
import Testing

/// Entries that can't be scanned right after a start, or after a failed sync cycle, are treated
/// later as they would have been then.
struct LateLookTests {
  private let disk = FailingDisk()
  private let world: HostileWorld
  private let directory = RecordID.random()

  /// Creates a folder with a directory that has two files.
  init() throws {
    world = try HostileWorld(disk: disk)
    try world.play([try HostileWorld.directory("d", id: directory)])
    try world.play(
      try ["a", "b"].map { try HostileWorld.file($0, world.mallory, "her \($0)", in: directory) })
  }

  private func id(_ name: String) throws -> RecordID? {
    try world.mallory.pull()
    return try world.mallory.read { try $0.child(of: directory, named: #require(FileName(name))) }
  }

  private func sync() throws { #expect(try world.lookAgain().isEmpty) }

  /// The index has the former file at that place.
  @Test func `an entry from a failed sync cycle isn't deleted because it is unreadable`()
    throws
  {
    let new = try HostileWorld.file("a", world.mallory, "her new a", in: directory)
    disk.fail("\(world.folder)/d", .syncing(errno: EIO))
    let former = try #require(try id("a"))
    #expect(throws: FolderError.self) {
      try world.play([RecordChange(id: former, act: .delete), new])
    }
    #expect(try world.tree()["d/a"] == "her new a")
    disk.fail("\(world.folder)/d", .listing(errno: EIO))
    world.hintEverything()
    try world.settle()
    disk.heal()
    try sync()
    #expect(try world.tree() == ["d": "dir", "d/a": "her new a", "d/b": "her b"])
    #expect(try id("a") == new.id)
  }

  @Test(arguments: [false, true])
  func `an entry from a failed sync cycle is followed in an unreadable directory`(
    isDeleted: Bool
  ) throws {
    let new = try HostileWorld.file("c", world.mallory, "new", in: directory)
    disk.fail("\(world.folder)/d", .syncing(errno: EIO))
    #expect(throws: FolderError.self) { try world.play([new]) }
    disk.fail("\(world.folder)/d", .listing(errno: EIO))
    #expect(rename("\(world.folder)/d/c", "\(world.folder)/d/e") == 0)
    world.hintEverything()
    try world.settle()
    world.hint("d/e")
    try world.settle()
    let later = try HostileWorld.file("c", world.mallory, "newer", in: directory)
    let edit = RecordChange(
      id: new.id, act: .update, content: later.content, attributes: later.attributes)
    try world.play([edit])
    if isDeleted { #expect(unlink("\(world.folder)/d/e") == 0) }
    disk.heal()
    try world.wait()
    try sync()
    let rest = ["d": "dir", "d/a": "her a", "d/b": "her b"]
    #expect(try world.tree() == (isDeleted ? rest : rest.merging(["d/e": "newer"]) { $1 }))
    #expect(try id("e") == (isDeleted ? nil : new.id))
    #expect(try id("c") == nil)
  }

  @Test(arguments: [true, false])
  func `the rest of a file after a stop isn't sent if it is unreadable at first`(
    inOrder: Bool
  ) throws {
    let path = "\(world.folder)/d/a"
    try Data().write(to: URL(filePath: path))
    let time = timespec(tv_sec: 0, tv_nsec: 1)
    utimensat(AT_FDCWD, path, [time, time], 0)
    disk.fail("\(world.folder)/d", .listing(errno: EIO))
    try world.restart(boot: "second", inOrder: inOrder)
    try world.settle()
    disk.heal()
    try world.wait()
    #expect(try world.tree()["d/a"] == "her a")
    #expect(try world.rescued().map { String(decoding: $0.of, as: UTF8.self) } == ["d/a"])

    // The same is an edit from here on.
    try Data().write(to: URL(filePath: "\(world.folder)/d/b"))
    try sync()
    #expect(try world.tree()["d/b"] == "")
  }

  @Test(arguments: [EIO, EACCES])
  func `entries missing from an unreadable copy of the folder aren't deleted`(reason: Int32) throws
  {
    let manager = FileManager.default
    try manager.moveItem(atPath: world.folder, toPath: "\(world.folder)-away")
    try manager.copyItem(atPath: "\(world.folder)-away", toPath: world.folder)
    try manager.removeItem(atPath: "\(world.folder)-away")
    try manager.removeItem(atPath: "\(world.folder)/d/a")
    disk.fail("\(world.folder)/d", .listing(errno: reason))
    try world.restart()
    try world.lookAgain()
    disk.heal()
    try sync()
    #expect(try world.tree() == ["d": "dir", "d/a": "her a", "d/b": "her b"])
    #expect(try id("a") != nil)
  }

  /// A file that a program has open is replaced when it is closed.
  @Test func `an old file after a power cut is set aside, however late it is replaced`() throws {
    let path = "\(world.folder)/d/a"
    try world.keepIndex()
    let former = "\(world.folder)-former"
    #expect(rename(path, former) == 0)
    try Data("his a".utf8).write(to: URL(filePath: path))
    try sync()
    #expect(rename(former, path) == 0)
    let file = open(path, O_WRONLY)
    try world.restart(boot: "second", withKeptIndex: true)
    try world.settle()
    #expect(try world.tree()["d/a"] == "her a")
    close(file)
    try sync()
    #expect(try world.tree()["d/a"] == "his a")
    #expect(try world.rescued().map { String(decoding: $0.of, as: UTF8.self) } == ["d/a"])
  }

  /// The mark in it names its owner.
  @Test func `another share's folder that was moved here isn't sent while it is unreadable`()
    throws
  {
    let other = try #require(ZoneID(bytes: [UInt8](repeating: 7, count: 32)))
    let folder = "\(world.folder)/moved"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try MountMark.claim(Array(folder.utf8), for: ZonePart(other))
    try Data("for others".utf8).write(to: URL(filePath: "\(folder)/secret"))
    world.add(OtherMounts())
    disk.fail("\(folder)/.cairn", .stating(errno: EIO))
    let before = world.bob.header.sequence
    try world.lookAgain()
    disk.heal()
    try world.wait()
    try sync()
    #expect(world.bob.header.sequence == before)
  }

  @Test(arguments: [EIO, EACCES, EMFILE])
  func `ignored files aren't sent while the rules can't be read`(reason: Int32) throws {
    let rules = "\(world.folder)/d/.cairnignore"
    try Data("secret\n".utf8).write(to: URL(filePath: rules))
    try sync()
    try Data("words".utf8).write(to: URL(filePath: "\(world.folder)/d/secret"))
    disk.fail(rules, .opening(errno: reason))
    let problem = try #require(try world.lookAgain().first)
    #expect(problem.path == Array("d".utf8))
    #expect(problem.message.hasPrefix("the rules in d/.cairnignore can't be read"))
    #expect(try id("secret") == nil)
    disk.heal()
    try world.wait()
    try sync()
    #expect(try id("secret") == nil)
  }

  @Test(arguments: [
    "secret\n#" + String(repeating: "x", count: IgnoreRules.mostBytes),
    "secret\n*" + String(repeating: "a", count: 40_000) + "*\n",
  ])
  func `rules that cost too much keep all new files out, and are reported`(text: String) throws {
    let rules = "\(world.folder)/d/.cairnignore"
    try Data(text.utf8).write(to: URL(filePath: rules))
    try Data("words".utf8).write(to: URL(filePath: "\(world.folder)/d/secret"))
    try Data("words".utf8).write(to: URL(filePath: "\(world.folder)/d/other"))
    let problem = try #require(try world.lookAgain().first)
    #expect(problem.path == Array("d".utf8))
    #expect(problem.message.hasPrefix("the rules in d/.cairnignore"))
    #expect(try id("secret") == nil && id("other") == nil)
    try Data("secret\n".utf8).write(to: URL(filePath: rules))
    try world.wait()
    try sync()
    #expect(try id("secret") == nil && id("other") != nil)
  }

  /// Mounts, one of them away from its place.
  private struct OtherMounts: NestedMounts {
    func nesting(of part: ZonePart) -> Nesting? { nil }
    func isBack(_ part: ZonePart) -> Bool { false }
    func isGone(_ part: ZonePart) -> Bool { false }
    func isDeleted(_ part: ZonePart) -> Bool { false }
    func deleteFile(_ part: ZonePart) -> Bool { false }
    func left(_ part: ZonePart) -> (zone: Zone?, isReadThrough: Bool) { (nil, false) }
    func release(_ part: ZonePart) {}
    func nest(_ items: [Nestling], of zone: Zone, into target: NestingTarget) throws -> [Nesting] {
      throw CloudError(.internalError, "nobody asked for that", remedy: "")
    }
    func path(of part: ZonePart) -> [UInt8]? { Array("/var/empty/gone".utf8) }
    func mirror(_ part: ZonePart, at path: [UInt8], isFile: Bool) {}
    func askOuter(of part: ZonePart) {}
    func lookAgain(at part: ZonePart) {}
    func pause(_ part: ZonePart) {}
    func follow(_ record: RecordID, from other: ZoneID, to zone: Zone) -> Zone? { nil }
    func forget(_ part: ZonePart) {}
  }
}
