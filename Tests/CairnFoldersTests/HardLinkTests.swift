import CairnFolders
import CairnZone
import Foundation
import Testing

@testable import CairnReplica

/// A file with two names is two files of a zone. A change by one name concerns both, and no event
/// reports the other name.
@Suite struct HardLinkTests {
  private let world: HostileWorld

  init() throws {
    world = try HostileWorld()
    try #require(mkdir("\(world.folder)/d", 0o777) == 0)
    try Data("one".utf8).write(to: URL(filePath: "\(world.folder)/h1"))
    try #require(link("\(world.folder)/h1", "\(world.folder)/d/h2") == 0)
    try world.lookAgain()
  }

  private func append(_ name: String) throws {
    let handle = try #require(FileHandle(forWritingAtPath: "\(world.folder)/\(name)"))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(" two".utf8))
    try handle.close()
  }

  /// Returns Mallory's view of both names: the size and the executable bit.
  private func seen() throws -> [String] {
    try world.mallory.pull()
    return try world.mallory.read { view in
      let directory = try #require(try view.child(of: .root, named: try name("d")))
      return try [(RecordID.root, "h1"), (directory, "h2")].map { parent, text in
        let id = try #require(try view.child(of: parent, named: try name(text)))
        let record = try #require(try view.record(id))
        return "\(record.content?.size ?? 0) \(record.attributes.isExecutable)"
      }
    }
  }

  private func name(_ text: String) throws -> FileName { try #require(FileName(text)) }

  @Test(arguments: ["h1", "d/h2"])
  func `an edit by one name is sent for both`(name: String) throws {
    #expect(try seen() == ["3 false", "3 false"])
    try append(name)
    world.hint(name)
    try world.settle()
    try world.wait()
    #expect(try seen() == ["7 false", "7 false"])
  }

  @Test(arguments: ["h1", "d/h2"])
  func `a mode that is given by one name is sent for both`(name: String) throws {
    #expect(chmod("\(world.folder)/\(name)", 0o755) == 0)
    world.hint(name)
    try world.settle()
    #expect(try seen() == ["3 true", "3 true"])
  }

  @Test func `a mode that another person gives to one name is sent for both`() throws {
    #expect(try seen() == ["3 false", "3 false"])
    let record = try world.mallory.read { view in
      try view.child(of: .root, named: try name("h1")).flatMap { try view.record($0) }
    }
    let file = try #require(record)
    var attributes = file.attributes
    attributes.isExecutable = true
    try world.play([RecordChange(id: file.id, act: .update, attributes: attributes)])
    #expect(try seen() == ["3 true", "3 true"])
  }

  @Test func `a rename of one name after an edit sends the edit for both`() throws {
    try append("h1")
    try #require(rename("\(world.folder)/h1", "\(world.folder)/h0") == 0)
    try #require(rename("\(world.folder)/h0", "\(world.folder)/h1") == 0)
    world.hint("h1")
    world.hint("h0")
    try world.settle()
    try world.wait()
    #expect(try seen() == ["7 false", "7 false"])
  }

  @Test func `an edit by a name that another file takes then is sent for the other name`() throws {
    try append("h1")
    try Data("other".utf8).write(to: URL(filePath: "\(world.folder)/.new.part"))
    try #require(rename("\(world.folder)/.new.part", "\(world.folder)/h1") == 0)
    world.hint("h1")
    try world.settle()
    try world.wait()
    #expect(try seen() == ["5 false", "7 false"])
  }

  @Test func `a third name of an edited file causes a scan of both others`() throws {
    try append("h1")
    try #require(link("\(world.folder)/h1", "\(world.folder)/h3") == 0)
    world.hint("h3")
    try world.settle()
    try world.wait()
    #expect(try seen() == ["7 false", "7 false"])
  }
}
