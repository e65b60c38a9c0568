import Foundation
import Testing

@testable import CairnFolders

/// A folder without anything to do costs nothing: the engine names no time that has passed, and
/// remembers no record that waits.
@Suite struct IdleTests {
  private let world: HostileWorld

  init() throws {
    world = try HostileWorld(mirror: .shared)
    try world.settle()
  }

  private func path(_ name: String) -> String { "\(world.folder)/\(name)" }

  /// Expects that the engine does nothing now, nor at once after its next wake-up.
  private func expectRest(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try world.lookAgain()
    for _ in 0..<3 {
      world.advance(milliseconds: 60_000)
      try world.settle()
    }
    guard case .idle(let until) = try world.turn() else {
      Issue.record("the engine has more to do", sourceLocation: sourceLocation)
      return
    }
    #expect(until.map { $0 > world.state.clock.now } ?? true, sourceLocation: sourceLocation)
    #expect(!world.state.retries.isWaiting, sourceLocation: sourceLocation)
    #expect(world.pending == 0, sourceLocation: sourceLocation)
  }

  @Test func `a file that was deleted while its writer had it open leaves no wait`() throws {
    #expect(FileManager.default.createFile(atPath: path("new"), contents: Data("half".utf8)))
    let writer = try #require(FileHandle(forUpdatingAtPath: path("new")))
    world.hint("new")
    try world.settle()
    #expect(try world.waiting().keys.sorted() == ["new"])
    try FileManager.default.removeItem(atPath: path("new"))
    try writer.close()
    world.hint("new")
    try world.settle()
    try expectRest()
  }

  /// The new file first has an id of its own, which waits, and then becomes the record again.
  @Test func `a file that comes back while its writer has it open leaves no wait`() throws {
    try Data("the same".utf8).write(to: URL(filePath: path("note")))
    try world.lookAgain()
    #expect(try world.zoneText("note") == "the same")
    try FileManager.default.removeItem(atPath: path("note"))
    world.hint("note")
    try world.settle()
    #expect(
      FileManager.default.createFile(atPath: path("note"), contents: Data("the same".utf8)))
    let writer = try #require(FileHandle(forUpdatingAtPath: path("note")))
    world.hint("note")
    try world.settle()
    #expect(world.state.retries.count(.busy) == 1)
    try writer.close()
    world.hint("note")
    try world.settle()
    try expectRest()
    #expect(try world.zoneText("note") == "the same")
  }

  @Test func `files that were deleted before the container took them leave no wait`() throws {
    world.store.fill(true)
    for name in ["one", "two"] { try Data(name.utf8).write(to: URL(filePath: path(name))) }
    world.hintEverything()
    try world.settle()
    #expect(try world.waiting().count == 2)
    for name in ["one", "two"] { try FileManager.default.removeItem(atPath: path(name)) }
    world.hintEverything()
    try world.settle()
    world.store.fill(false)
    try expectRest()
    #expect(world.refusal == nil)
  }
}
