import CairnContainer
import CairnControl
import CairnFolders
import CairnStore
import CairnZone
import Foundation
import Testing

@testable import CairnDaemon

/// The errors after which the daemon gives up interrupted commands that mirror folders.
struct IntendedMountsTests {
  @Test func `a temporary error doesn't undo a command`() {
    let errors: [any Error] = [
      Failures.noThreads, ControlError(.interrupted, "The daemon is ending."),
      ControlError(.networkUnavailable, "The container is away."),
      FolderError(.full, [], "full"), FolderError(.failed, [], "failed"),
      StoreError(code: .unreachable, cause: "away"),
    ]
    for error in errors { #expect(!IntendedMounts.isFinal(error), "\(error)") }
    #expect(IntendedMounts.isFinal(FolderError(.notFound, [], "gone")))
    #expect(IntendedMounts.isFinal(ControlError(.constraintViolation, "No name is free.")))
  }

  @Test func `a folder on a missing disk still needs its earlier mark`() throws {
    let disk = NSTemporaryDirectory() + "cairn-disk-\(UUID())"
    let item = MountIntent.Item(part: ZonePart(ZoneID(.zero)), path: Array("\(disk)/folder".utf8))
    let missing = FolderError(.notFound, item.path, "gone")
    #expect(!IntendedMounts.isLost(item, missing))
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    #expect(IntendedMounts.isLost(item, missing))
    #expect(!IntendedMounts.isLost(item, FolderError(.denied, item.path, "denied")))
    #expect(!IntendedMounts.isLost(item, FolderError(.failed, item.path, "failed")))
    try FileManager.default.removeItem(atPath: disk)
  }

  /// A failure that isn't final keeps the intent, and the folder with its mark is there already.
  @Test func `other mounts leave the folder of an unfinished command alone`() throws {
    let root = NSTemporaryDirectory() + "cairn-home-\(UUID())"
    let mounts = Mounts(EndedShares(try Home(environment: ["CAIRN_HOME": root])))
    let part = ZonePart(ZoneID(.zero))
    #expect(throws: ControlError.self) {
      try mounts.intending([part], while: { true }) {
        #expect(mounts.isExpected(part))
        throw ControlError(.networkUnavailable, "The container is away.")
      }
    }
    #expect(mounts.isExpected(part), "the daemon completes the command later")
    mounts.intending([part], while: { false }) {}
    #expect(!mounts.isExpected(part))
  }
}
