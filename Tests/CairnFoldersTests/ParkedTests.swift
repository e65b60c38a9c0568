import CairnReplica
import CairnZone
import Foundation
import Testing

/// Files in the folder for temporary names belong to a person, whatever the index contains.
struct ParkedTests {
  private let name = String(repeating: "7", count: 32)

  @Test func `a parked file that the index doesn't know returns to the folder`() throws {
    let world = try HostileWorld()
    try Data("mine".utf8).write(to: URL(filePath: "\(world.folder)/.cairn/parked/\(name)"))
    #expect(try world.settle().isEmpty)
    #expect(try world.lookAgain().isEmpty)
    let tree = try world.tree()
    #expect(Array(tree.values) == ["mine"])
    #expect(tree.keys.first?.hasPrefix("recovered (conflict, bob on desk") == true)
    try world.mallory.pull()
    #expect(try world.mallory.read { try $0.children(of: .root).count } == 1)
  }

  @Test func `after a lost index, the parked file is its record's, and a new one isn't`()
    throws
  {
    let world = try HostileWorld()
    try world.keepIndex()
    let file = URL(filePath: "\(world.folder)/file")
    try Data("one".utf8).write(to: file)
    #expect(try world.lookAgain().isEmpty)
    try world.mallory.pull()
    let record = try #require(try world.mallory.read { try $0.children(of: .root).first })
    let name = "\(record)".replacing("-", with: "")
    try FileManager.default.moveItem(
      at: file, to: URL(filePath: "\(world.folder)/.cairn/parked/\(name)"))
    try Data("another".utf8).write(to: file)
    try world.restart(withKeptIndex: true)
    #expect(try world.lookAgain().isEmpty)
    let tree = try world.tree()
    #expect(tree["file"] == "one")
    #expect(tree.values.sorted() == ["another", "one"])
    try world.mallory.pull()
    let records = try world.mallory.read { try $0.children(of: .root) }
    #expect(records.count == 2 && records.contains(record))
  }

  @Test func `a parked directory that the index doesn't know is rescued as a whole`() throws {
    let world = try HostileWorld()
    let parked = "\(world.folder)/.cairn/parked/\(name)"
    try FileManager.default.createDirectory(atPath: parked, withIntermediateDirectories: false)
    try Data("mine".utf8).write(to: URL(filePath: parked + "/file"))
    #expect(try world.settle().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: parked))
    #expect(try world.rescued().count == 1)
    let aside = "\(world.folder)/.cairn/rescue/\(name)/file"
    #expect(try String(contentsOfFile: aside, encoding: .utf8) == "mine")
  }
}
