import CairnZone
import Foundation
import Testing

@testable import CairnCloud
@testable import CairnFolders

/// A disk that was pulled out, or gave up after an error, and was mounted again while the machine
/// went on, has lost what a power cut takes.
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

  /// The daemon ends at once, and starts again at the same start of the machine.
  private func restart(mounting: Int?) throws {
    try write("note", "")
    disk.isMounted(mounting)
    try world.restart()
    try sync()
  }

  @Test func `what is left of a file on a disk that was mounted anew isn't sent`() throws {
    try restart(mounting: 2)
    #expect(try world.tree()["note"] == "sent a moment before" && size("note") == 20)
    #expect(try world.rescued().map { String(decoding: $0.of, as: UTF8.self) } == ["note"])
    // From here on, and at the next start, that is an edit.
    try restart(mounting: 2)
    #expect(try world.tree()["note"] == "" && size("note") == 0)
  }

  @Test func `the same disk, mounted as before, has what its person wrote`() throws {
    try restart(mounting: 1)
    #expect(try world.tree()["note"] == "" && size("note") == 0)
    #expect(try world.rescued().isEmpty)
  }

  @Test func `a disk is named alike as long as it is mounted, and only a disk is`() {
    let real = SystemDisk()
    #expect(real.mounting(at: "/") == real.mounting(at: "/"))
    #expect(real.mounting(at: "/proc") == nil)
  }
}
