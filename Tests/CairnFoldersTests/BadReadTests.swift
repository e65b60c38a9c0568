import CairnFolders
import CairnZone
import Foundation
import Testing

@testable import CairnReplica

/// A flipped bit in a read object is no other history. Once the object is read correctly,
/// everything continues by itself, and the bad read leaves no trace.
@Suite struct BadReadTests {
  /// Lets Bob's engine work. It fails as long as reads fail.
  private func work(_ world: HostileWorld) {
    do { try world.wait() } catch {}
  }

  @Test(arguments: 1...6)
  func `a log stays the same after a short time of bad reads`(times: Int) throws {
    let world = try HostileWorld()
    for number in 0..<3 {
      try world.play([HostileWorld.file("f\(number)", world.mallory, "text \(number)")])
    }
    let before = try world.tree()
    try world.mallory.save([HostileWorld.file("new", world.mallory, "her text")], bringing: [])
    world.store.readBadly("/log/", times: times)
    for _ in 0..<3 { work(world) }
    #expect(try world.tree().filter { $0.key != "new" } == before)
    // All reads are good again by now.
    world.store.readBadly("/log/", times: 0)
    try world.wait()
    #expect(world.bob.trouble == nil)
    #expect(try world.lostToken() == nil)
    #expect(try world.tree()["new"] == "her text")
    // A local change is sent.
    try Data("his own".utf8).write(to: URL(filePath: "\(world.folder)/own"))
    try world.lookAgain()
    try world.mallory.pull()
    let name = try #require(FileName("own"))
    #expect(try world.mallory.read { try $0.child(of: .root, named: name) } != nil)
  }

  @Test func `one bad read of the last known entry is repeated`() throws {
    let world = try HostileWorld()
    try world.play([HostileWorld.file("f", world.mallory, "her text")])
    world.store.readBadly("/log/", times: 1)
    try world.lookAgain()
    #expect(world.bob.trouble == nil)
    #expect(try world.tree() == ["f": "her text"])
  }

  @Test(arguments: 1...6)
  func `bad reads of the last known entry make no other history`(times: Int) throws {
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
