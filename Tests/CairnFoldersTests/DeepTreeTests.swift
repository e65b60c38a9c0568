import CairnIndex
import CairnZone
import Foundation
import Synchronization
import Testing

@testable import CairnFolders
@testable import CairnReplica

/// Directories inside directories, deeper than a path can be. They are named, hinder nothing else,
/// and cost no more than as many directories beside each other.
@Suite struct DeepTreeTests {
  private let disk = FailingDisk()
  private let world: HostileWorld

  init() throws { world = try HostileWorld(disk: disk) }

  /// Returns commits that make directories inside each other.
  private func chain(
    _ count: Int, of name: String = "n", in top: RecordID = .root
  ) throws -> [RecordChange] {
    var parent = top
    return try (0..<count).map { _ in
      let made = try HostileWorld.directory(name, in: parent)
      parent = made.id
      return made
    }
  }

  /// The number of bytes that a path in the folder may have.
  private var room: Int { Descriptor.longestPath(below: Array(world.folder.utf8)) }

  @Test func `directories deeper than a path can be are set aside and named`() throws {
    let records = try chain(700, of: "8 bytes!")
    let bottom = try #require(records.last)
    let file = try HostileWorld.file("file", world.mallory, "x", in: bottom.id)
    let problems = try world.play(records + [file])
    #expect(problems.count == 1, "\(problems)")
    let path = try #require(problems.first).path
    #expect(path.count == room / 9 * 9 + 8)
    #expect(try world.tree().count == room / 9)
    #expect(try world.waiting().count == 100)
    // Nothing of it is taken for deleted, and it isn't tried all the time.
    let (looks, statements) = (disk.looks.load(ordering: .relaxed), world.folderWork.statements)
    for _ in 0..<3 { try world.wait() }
    #expect(disk.looks.load(ordering: .relaxed) - looks < 100)
    #expect(world.folderWork.statements - statements < 100_000)
    try world.mallory.pull()
    #expect(try world.mallory.read { try $0.record(bottom.id) } != nil)
    try world.expectUnharmed()
    // Once the names above are gone, the rest comes.
    let top = try HostileWorld.place(.root, "top")
    let middle = records[400].id
    try world.play([RecordChange(id: middle, act: .update, place: top)])
    try world.wait()
    #expect(try world.wait().isEmpty)
    #expect(try world.waiting().isEmpty)
    #expect(try world.tree().values.contains("x"))
    let ids = ([file] + records.reversed()).map { RecordChange(id: $0.id, act: .delete) }
    try world.play(ids)
    #expect(try world.tree().count == 1)
  }

  @Test func `the cost of nested directories grows with their number`() throws {
    func cost(_ count: Int) throws -> (looks: Int, statements: Int) {
      let (looks, statements) = (disk.looks.load(ordering: .relaxed), world.folderWork.statements)
      let records = try chain(count)
      try world.play(records)
      for path in 0..<count {
        world.hint(String(repeating: "n/", count: path) + "n")
      }
      try world.settle()
      try world.lookAgain()
      try world.play(records.reversed().map { RecordChange(id: $0.id, act: .delete) })
      return (
        disk.looks.load(ordering: .relaxed) - looks, world.folderWork.statements - statements
      )
    }
    let (few, many) = (try cost(200), try cost(800))
    #expect(many.looks < 5 * few.looks, "\(few) \(many)")
    #expect(many.statements < 5 * few.statements, "\(few) \(many)")
  }

  @Test func `a move that makes paths too long waits, and edits go on`() throws {
    let name = String(repeating: "n", count: 100)
    let (first, second) = (
      try chain(30, of: name), try chain(30, of: String(repeating: "m", count: 100))
    )
    let (bottom, top) = (try #require(first.last).id, second[0].id)
    let inner = try #require(second.last).id
    let file = try HostileWorld.file("file", world.mallory, "x", in: inner)
    #expect(try world.play(first + second + [file]).isEmpty)
    let place = try HostileWorld.place(bottom, "moved")
    let problems = try world.play([RecordChange(id: top, act: .update, place: place)])
    #expect(problems.count == 1, "\(problems)")
    var edit = try HostileWorld.file("file", world.mallory, "edited", in: inner)
    (edit.id, edit.act) = (file.id, .update)
    try world.play([edit])
    #expect(try world.tree().values.contains("edited"))
    try world.expectUnharmed()
    let back = try HostileWorld.place(.root, "back")
    #expect(try world.play([RecordChange(id: top, act: .update, place: back)]).isEmpty)
    try world.wait()
    #expect(try world.tree()["back"] == "dir")
    #expect(try world.waiting().isEmpty)
  }

  @Test func `what a person puts deeper than a path can be isn't sent, and named`() throws {
    let name = Array(String(repeating: "n", count: 100).utf8)
    let root = try Descriptor.openRoot(Array(world.folder.utf8), on: disk)
    var directories = [root]
    for _ in 0..<45 {
      let last = try #require(directories.last)
      try last.makeDirectory(name, mode: 0o700)
      directories.append(try last.openDirectory([name]))
    }
    let problems = try world.lookAgain()
    #expect(problems.count == 1, "\(problems)")
    try world.mallory.pull()
    var (count, parent) = (0, RecordID.root)
    let fileName = try #require(FileName(name))
    while let next = try world.mallory.read({ try $0.child(of: parent, named: fileName) }) {
      (count, parent) = (count + 1, next)
    }
    #expect(count == room / 101)
    try world.expectUnharmed()
    #expect(try world.lookAgain().count == 1)
    for directory in directories.dropLast().reversed() { try directory.removeDirectory(name) }
    #expect(try world.lookAgain().isEmpty)
    try world.mallory.pull()
    #expect(try world.zoneNames().isDisjoint(with: [String(decoding: name, as: UTF8.self)]))
  }
}
