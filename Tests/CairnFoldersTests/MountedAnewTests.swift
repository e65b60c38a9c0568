import CairnZone
import Foundation
import Testing

@testable import CairnFolders
@testable import CairnReplica

/// A disk that was pulled out, or gave up after an error, and was mounted again while the machine
/// went on. It has lost as much as in a power cut.
@Suite struct MountedAnewTests {
  private let world: HostileWorld
  private let disk = FailingDisk()

  init() throws {
    disk.isMounted(1)
    world = try HostileWorld(disk: disk)
    try write("note", "sent a moment before")
    try sync()
  }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(world.folder)/\(name)"))
  }

  private func sync() throws {
    for _ in 0..<3 {
      try world.lookAgain()
      try world.mallory.pull()
    }
  }

  private func size(_ name: String) throws -> UInt64? {
    let name = try #require(FileName(name))
    return try world.mallory.read { view in
      try view.child(of: .root, named: name).flatMap { try view.record($0)?.content?.size }
    }
  }

  /// The daemon ends at once, and starts again in the same boot of the machine.
  private func restart(mounting: Int?) throws {
    try write("note", "")
    disk.isMounted(mounting)
    try world.restart()
    try sync()
  }

  @Test func `the rest of a file on a disk that was mounted again isn't sent`() throws {
    try restart(mounting: 2)
    #expect(try world.tree()["note"] == "sent a moment before" && size("note") == 20)
    #expect(try world.rescued().map { String(decoding: $0.of, as: UTF8.self) } == ["note"])
    // From here on, and at the next start, the same is an edit.
    try restart(mounting: 2)
    #expect(try world.tree()["note"] == "" && size("note") == 0)
  }

  @Test func `the same disk, mounted as before, has its person's edits`() throws {
    try restart(mounting: 1)
    #expect(try world.tree()["note"] == "" && size("note") == 0)
    #expect(try world.rescued().isEmpty)
  }

  @Test func `a disk has the same name as long as it is mounted, and only a disk has one`() {
    let real = SystemDisk()
    #expect(real.mounting(at: "/") == real.mounting(at: "/"))
    #expect(real.mounting(at: "/proc") == nil)
  }
}
