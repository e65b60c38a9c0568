import CairnFolders
import CairnReplica
import CairnZone
import Foundation
import Testing

/// A home's own files and the container are never mirrored, wherever they are in a folder.
struct OffLimitsTests {
  private let world: HostileWorld

  /// Creates a mirror with `d/home`, which is off limits, through a link beside it.
  init() throws {
    world = try HostileWorld { folder in
      OffLimits(
        [OffLimits.Place(Array("\(folder)-link".utf8), because: "keys stand here")],
        mark: OffLimits.Mark(name: Array("container".utf8), because: "it would grow for ever") {
          $0 == Array("ours".utf8)
        })
    }
    try write("secret", to: "d/home/keys/account")
    try FileManager.default.createSymbolicLink(
      atPath: world.folder + "-link", withDestinationPath: world.folder + "/d/home")
    try write("plain", to: "d/file")
    try world.restart()
  }

  private func write(_ text: String, to path: String) throws {
    let url = URL(filePath: world.folder + "/" + path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  /// Returns the names that Mallory sees.
  private func names() throws -> Set<String> {
    try world.mallory.pull()
    return try world.mallory.read { view in
      var names: Set<String> = []
      var rest = try view.children(of: .root)
      while let id = rest.popLast() {
        if let name = try view.record(id)?.place?.name.description { names.insert(name) }
        rest += try view.children(of: id)
      }
      return names
    }
  }

  private func reason(at path: String, in problems: [PathProblem]) -> String? {
    problems.first { $0.path == Array(path.utf8) }?.message
  }

  @Test func `a home's own folder is left out and reported, and the rest is mirrored`() throws {
    let problems = try world.lookAgain()
    #expect(try names() == ["d", "file"])
    #expect(reason(at: "d/home", in: problems) == "keys stand here")
  }

  @Test func `change notifications for it have no effect either`() throws {
    try world.lookAgain()
    try write("more", to: "d/home/keys/more")
    world.hint("d/home/keys/more")
    try world.settle()
    #expect(try names() == ["d", "file"])
  }

  @Test func `it is recognized under another name, too`() throws {
    try world.lookAgain()
    try FileManager.default.moveItem(
      atPath: world.folder + "/d/home", toPath: world.folder + "/moved")
    let problems = try world.lookAgain()
    #expect(try names() == ["d", "file"])
    #expect(reason(at: "moved", in: problems) == "keys stand here")
    #expect(reason(at: "d/home", in: problems) == nil)
  }

  @Test func `a directory that turns out to be the container leaves the zone, and stays here`()
    throws
  {
    try write("not ours", to: "c/container")
    try write("object", to: "c/zones/1")
    try world.lookAgain()
    #expect(try names() == ["d", "file", "c", "container", "zones", "1"])
    try write("ours", to: "c/container")
    let problems = try world.lookAgain()
    #expect(try names() == ["d", "file"])
    #expect(reason(at: "c", in: problems) == "it would grow for ever")
    #expect(FileManager.default.fileExists(atPath: world.folder + "/c/zones/1"))
  }

  @Test func `it stays in its place when the folder is given up`() throws {
    try world.lookAgain()
    let moved = try world.giveUp()
    #expect(moved.isEmpty)
    #expect(FileManager.default.fileExists(atPath: world.folder + "/d/home/keys/account"))
    #expect(!FileManager.default.fileExists(atPath: world.folder + "/d/file"))
  }
}
