import CairnFolders
import CairnZone
import Foundation
import Synchronization
import Testing

@testable import CairnReplica

/// The end of a share doesn't wait for a large file that is being received.
@Suite struct EndWatchTests {
  @Test(arguments: [1, 3])
  func `a removed person sees the removal before a large file has arrived`(
    files: Int
  ) throws {
    let disk = FailingDisk()
    let world = try HostileWorld(disk: disk)
    let size = 20 << 20
    for number in 0..<files {
      var random = SystemRandomNumberGenerator()
      var rest = size / files / 8
      let content = try world.mallory.ingest { room in
        let count = min(room.count / 8, rest)
        for place in 0..<count {
          room.storeBytes(of: random.next(), toByteOffset: place * 8, as: UInt64.self)
        }
        rest -= count
        return count * 8
      }
      var file = try HostileWorld.file("large\(number)", world.mallory, "")
      file.content = content
      try world.mallory.save([file], bringing: [])
    }
    let removed = Mutex(false)
    let before = disk.written.load(ordering: .relaxed)
    disk.after(bytes: before + 1) { [world = Unchecked(world)] in
      do { try world.value.removeBob() } catch { Issue.record(error) }
      removed.withLock { $0 = true }
    }
    var turn: MountEngine.Turn?
    for _ in 0..<100 where turn != .ended(.removed) {
      world.hintZone()
      do { turn = try world.turn() } catch {}
    }
    #expect(turn == .ended(.removed) && removed.withLock { $0 })
    let written = disk.written.load(ordering: .relaxed) - before
    #expect(written < 16 << 20, "\(written) bytes of \(size)")
    #expect(try world.tree().isEmpty)
  }

  /// `@unchecked Sendable`: one thread uses all of it, in the middle of the engine's call.
  private struct Unchecked: @unchecked Sendable {
    let value: HostileWorld
    init(_ value: HostileWorld) { self.value = value }
  }
}
