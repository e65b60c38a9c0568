import CairnFolders
import CairnZone
import Foundation
import Testing

@testable import CairnCloud

/// An object that is read with a flipped bit is nobody's history: once it is read correctly,
/// everything continues by itself, and the bad read leaves no trace.
@Suite struct BadReadTests {
  /// Bob's engine works, and fails where it has to.
  private func work(_ world: HostileWorld) {
    do { try world.wait() } catch {}
  }

  @Test(arguments: 1...6)
  func `a log that was read badly for a moment is the one that it was`(times: Int) throws {
    let world = try HostileWorld()
    for number in 0..<3 {
      try world.play([HostileWorld.file("f\(number)", world.mallory, "text \(number)")])
    }
    let before = try world.tree()
    try world.mallory.save([HostileWorld.file("new", world.mallory, "her text")], bringing: [])
    world.store.readBadly("/log/", times: times)
    for _ in 0..<3 { work(world) }
    #expect(try world.tree().filter { $0.key != "new" } == before)
    // By now all reads are good again.
    world.store.readBadly("/log/", times: 0)
    try world.wait()
    #expect(world.bob.trouble == nil)
    #expect(try world.lostToken() == nil)
    #expect(try world.tree()["new"] == "her text")
    // What is changed here goes out.
    try Data("his own".utf8).write(to: URL(filePath: "\(world.folder)/own"))
    try world.lookAgain()
    try world.mallory.pull()
    let name = try #require(FileName("own"))
    #expect(try world.mallory.read { try $0.child(of: .root, named: name) } != nil)
  }

  @Test func `one bad read of the place that was read last is repeated`() throws {
    let world = try HostileWorld()
    try world.play([HostileWorld.file("f", world.mallory, "her text")])
    world.store.readBadly("/log/", times: 1)
    try world.lookAgain()
    #expect(world.bob.trouble == nil)
    #expect(try world.tree() == ["f": "her text"])
  }

  @Test(arguments: 1...6)
  func `the place that was read last, read badly, is no other history`(times: Int) throws {
    let world = try HostileWorld()
    for number in 0..<3 {
      try world.play([HostileWorld.file("f\(number)", world.mallory, "text \(number)")])
    }
    world.store.readBadly("/log/", times: times)
    for _ in 0..<3 { work(world) }
    world.store.readBadly("/log/", times: 0)
    try world.wait()
    #expect(world.bob.trouble == nil)
    #expect(try world.lostToken() == nil)
    try world.expectUnharmed()
  }
}
