import CairnZone
import Foundation
import Testing

@testable import CairnFolders
@testable import CairnReplica

/// The files that are open on this device, by the lock files beside them.
struct OpenFileTests {
  private let world: HostileWorld

  init() throws { world = try HostileWorld() }

  private func write(_ name: String) throws {
    try Data("x".utf8).write(to: URL(filePath: "\(world.folder)/\(name)"))
  }

  private func change(_ name: String, _ act: (String) throws -> Void) throws {
    try act(name)
    world.hint(name)
    try world.settle()
    try world.wait()
  }

  private func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: "\(world.folder)/\(name)")
  }

  /// The open files by path.
  private var open: [String] {
    world.state.report.disk.open.map { String(decoding: $0.path, as: UTF8.self) }.sorted()
  }

  /// The records in the root of the zone, by name.
  private func zone() throws -> [String: RecordID] {
    try world.mallory.pull()
    return try world.mallory.read { view in
      let children = try view.children(of: .root, after: [], limit: 1_000)
      return Dictionary(
        uniqueKeysWithValues: children.map { (String(decoding: $0.0, as: UTF8.self), $0.1) })
    }
  }

  @Test func `a lock file says that its file is open, and isn't mirrored`() throws {
    try change("report.odt", write)
    #expect(open == [])
    try change(".~lock.report.odt#", write)
    #expect(open == ["report.odt"])
    let file = try #require(world.state.report.disk.open.first)
    #expect(try file.record == zone()["report.odt"] && file.since > 0)
    #expect(
      world.state.report.takeHappenings().contains(.opened(path: Array("report.odt".utf8))))
    try world.lookAgain()
    #expect(open == ["report.odt"] && world.state.report.takeHappenings().isEmpty)
    // A restart finds it again, though nothing happens.
    try world.restart(inOrder: true)
    try world.settle()
    #expect(open == ["report.odt"])
    try change(".~lock.report.odt#", remove)
    #expect(open == [])
    #expect(
      world.state.report.takeHappenings().contains(.closed(path: Array("report.odt".utf8))))
    #expect(try zone().keys.sorted() == ["report.odt"])
  }

  @Test func `no rule includes a lock file, and a rule of this device hides it`() throws {
    try change(".cairnignore", { try Data("!.~lock*\n!~$*\n".utf8).write(to: path($0)) })
    try change("document.docx", write)
    try change("~$cument.docx", write)
    #expect(open == ["document.docx"])
    #expect(try zone().keys.sorted() == [".cairnignore", "document.docx"])
    try change(".cairnignore.local", { try Data("~$*\n".utf8).write(to: path($0)) })
    try world.lookAgain()
    #expect(open == [])
  }

  private func path(_ name: String) -> URL { URL(filePath: "\(world.folder)/\(name)") }

  /// A program of the library, or an earlier version of Cairn, may have given the name to a record.
  @Test func `a mirrored file with such a name is edited, and its successor isn't lost`() throws {
    let name = "~$notes"
    try world.mallory.save([try HostileWorld.file(name, world.mallory, "theirs")])
    try world.settle()
    #expect(try world.tree()[name] == "theirs")
    try change(name, { try Data("edited".utf8).write(to: path($0)) })
    #expect(try world.zoneText(name) == "edited")
    // A program that saves it deletes it, and creates it at once.
    try remove(name)
    try change(name, { try Data("saved".utf8).write(to: path($0)) })
    #expect(try world.zoneText(name) == "saved")
    // A scan in between sees a deletion, and then a lock file: the text stays on this device.
    try change(name, remove)
    #expect(try world.zoneText(name) == nil)
    try change(name, { try Data("alone".utf8).write(to: path($0)) })
    #expect(try world.zoneText(name) == nil)
    #expect(try world.tree()[name] == "alone")
    // It isn't replaced when others restore the file.
    try world.mallory.save([try HostileWorld.file(name, world.mallory, "restored")])
    try world.settle()
    #expect(try world.tree()[name] == "alone")
    #expect(try world.zoneText(name) == "restored")
  }

  @Test func `a lock file waits for its file, follows it, and goes with its directory`() throws {
    try change(".~lock.new.odt#", write)
    #expect(open == [])
    try change("new.odt", write)
    #expect(open == ["new.odt"])
    // The program replaces the file, as it does at each saving.
    try write("lu1234.tmp")
    #expect(rename("\(world.folder)/lu1234.tmp", "\(world.folder)/new.odt") == 0)
    try change("new.odt", { _ in })
    #expect(open == ["new.odt"])
    try FileManager.default.createDirectory(
      atPath: "\(world.folder)/d", withIntermediateDirectories: false)
    for name in ["d/a.odt", "d/.~lock.a.odt#", "d/b.odt"] { try write(name) }
    try world.lookAgain()
    #expect(open == ["d/a.odt", "new.odt"])
    try remove("d")
    try world.lookAgain()
    #expect(open == ["new.odt"])
  }
}
