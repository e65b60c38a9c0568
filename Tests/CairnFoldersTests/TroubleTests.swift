import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone
import Foundation
import Testing

/// The report of a file that cannot be sent or received lasts as long as the problem, and no
/// longer.
struct TroubleTests {
  private let disk = FailingDisk()
  private let world: HostileWorld
  private let file: RecordChange

  /// Creates a file that can't arrive, because there is no room for it.
  init() throws {
    world = try HostileWorld(disk: disk)
    file = try HostileWorld.file("a", world.mallory, "her a")
    disk.refuseRename(of: "a", errno: EDQUOT)
    let found = try paths(world.play([file]))
    #expect(found == ["a"])
  }

  private func paths(_ problems: [PathProblem]) -> [String] {
    problems.map { String(decoding: $0.path, as: UTF8.self) }
  }

  @Test func `a file that arrived late is no problem any more`() throws {
    #expect(try paths(world.wait()) == [])
    #expect(try world.tree() == ["a": "her a"])
  }

  @Test(arguments: [".cairn/zone", ".cairnignore", "own"])
  func `a file system that gives a few bytes at once gives all of them`(name: String) throws {
    _ = try world.wait()
    let folder = URL(filePath: world.folder)
    try Data("*.own\n*.mine\n".utf8).write(to: folder.appending(path: ".cairnignore"))
    try Data("what is told, and more".utf8).write(to: folder.appending(path: "own"))
    disk.fail("\(world.folder)/\(name)", .short)
    for name in ["x.own", "x.mine"] {
      try Data("of nobody else".utf8).write(to: folder.appending(path: name))
    }
    #expect(try paths(world.lookAgain()) == [])
    try world.mallory.pull()
    try world.mallory.read { view in
      let names = [FileName("own"), FileName("x.own"), FileName("x.mine")].compactMap { $0 }
      let found = try names.map { try view.child(of: .root, named: $0) }
      #expect(found[1] == nil && found[2] == nil)
      #expect(try found[0].flatMap { try view.record($0) }?.content?.size == 22)
    }
  }

  @Test func `a file that couldn't arrive, and was deleted there, is no problem any more`() throws {
    #expect(try paths(world.play([RecordChange(id: file.id, act: .delete)])) == [])
    #expect(try world.tree().isEmpty)
  }

  @Test func `a file that can't arrive under its new name either is one problem`() throws {
    disk.refuseRename(of: "b", errno: EDQUOT)
    let move = RecordChange(
      id: file.id, act: .update, place: try HostileWorld.place(.root, "b"))
    #expect(try paths(world.play([move])) == ["b"])
    #expect(try paths(world.wait()) == [])
    #expect(try world.tree() == ["b": "her a"])
  }

  @Test func `a file that couldn't be read, and is gone, is no problem any more`() throws {
    _ = try world.wait()
    let path = "\(world.folder)/own"
    try Data("his own".utf8).write(to: URL(filePath: path))
    disk.fail(path, .opening(errno: EACCES))
    let problem = try #require(try world.lookAgain().first)
    #expect(paths([problem]) == ["own"] && problem.code == .permissionFailure)
    try FileManager.default.removeItem(atPath: path)
    world.hint("own")
    #expect(try paths(world.settle()) == [])
  }

  @Test func `a file that can't be read under its new name either is one problem`() throws {
    _ = try world.wait()
    let directory = "\(world.folder)/d"
    mkdir(directory, 0o777)
    try Data("his own".utf8).write(to: URL(filePath: "\(directory)/own"))
    disk.fail("\(directory)/own", .opening(errno: EACCES))
    #expect(try paths(world.lookAgain()) == ["d/own"])
    disk.fail("\(world.folder)/e/own", .opening(errno: EACCES))
    rename(directory, "\(world.folder)/e")
    world.hint("d")
    world.hint("e")
    try world.settle()
    #expect(try paths(world.wait()) == ["e/own"])
    disk.heal()
    #expect(try paths(world.wait()) == [])
  }

  /// The report of the directory ends before that of the file, and neither hides the other.
  @Test func `a directory that can't be read, at the name of a file that can't arrive`() throws {
    let path = "\(world.folder)/a"
    mkdir(path, 0o777)
    disk.fail(path, .listing(errno: EIO))
    world.hint("a")
    #expect(try paths(world.settle()) == ["a"])
    disk.heal()
    #expect(try paths(world.wait()) == [])
    #expect(try world.tree().values.sorted() == ["dir", "her a"])
  }
}
