import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone
import Foundation
import Testing

/// Change notifications whose paths lead elsewhere when the engine looks. The directory in the
/// notification decides. A useless notification costs time, never an edit.
struct StaleHintTests {
  private let world: HostileWorld
  private let a = RecordID.random()
  private let b = RecordID.random()

  /// Creates two directories in the folder, `a` and `a/b`, each with a file.
  init() throws {
    world = try HostileWorld()
    try world.play([
      try HostileWorld.directory("a", id: a), try HostileWorld.directory("b", in: a, id: b),
    ])
    try world.play([
      try HostileWorld.file("file", world.mallory, "of a", in: a),
      try HostileWorld.file("file", world.mallory, "of b", in: b),
    ])
  }

  private func inode(_ path: String) throws -> UInt64 {
    let attributes = try FileManager.default.attributesOfItem(atPath: "\(world.folder)/\(path)")
    return try #require(attributes[.systemFileNumber] as? UInt64)
  }

  private func move(_ path: String, to other: String) throws {
    try FileManager.default.moveItem(
      atPath: "\(world.folder)/\(path)", toPath: "\(world.folder)/\(other)")
  }

  private func edit(_ path: String) throws {
    try Data("the edit".utf8).write(to: URL(filePath: "\(world.folder)/\(path)"))
  }

  /// Returns the sizes of the zone's files in `a` and in `b`.
  private func sizes() throws -> [UInt64?] {
    try world.settle()
    try world.mallory.pull()
    let name = try #require(FileName("file"))
    return try world.mallory.read { view in
      try [a, b].map { directory in
        try view.child(of: directory, named: name).flatMap { try view.record($0)?.content?.size }
      }
    }
  }

  @Test func `an edit below a directory's short-lived name is sent`() throws {
    let meant = try inode("a/b")
    try move("a", to: "c")
    try edit("c/b/file")
    try move("c/b", to: "d")
    for path in ["a", "c", "c/b", "d"] { world.hint(path) }
    world.hint("c/b/file", in: meant)
    #expect(try sizes() == [4, 8])
  }

  @Test func `an edit in a directory that replaced another for a moment is sent`() throws {
    let meant = try inode("a/b")
    try move("a", to: "c")
    try move("c/b", to: "a")
    try edit("a/file")
    try move("a", to: "c/b")
    try move("c", to: "a")
    for path in ["a", "c", "c/b"] { world.hint(path) }
    world.hint("a/file", in: meant)
    #expect(try sizes() == [4, 8])
  }

  @Test func `an entry from before a directory's watch is sent from its later place`()
    throws
  {
    let meant = try inode("a/b")
    try move("a/b", to: "c")
    try edit("c/file")
    try move("c", to: "d")
    for path in ["a/b", "c", "d"] { world.hint(path) }
    try world.beginWatching("c", in: meant)
    #expect(try sizes() == [4, 8])
  }
}
