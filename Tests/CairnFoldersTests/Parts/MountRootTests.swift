import Foundation
import Testing

@testable import CairnFolders

/// The folder of a mount: never opened, present, or lost.
struct MountRootTests {
  @Test func `a lost folder keeps its identity until it is found again`() throws {
    let path = NSTemporaryDirectory() + "cairn-root-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: path) }  // In the temporary folder.
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let root = try Descriptor.openRoot(Array(path.utf8), on: SystemDisk())
    let stat = try FileStat.of(root)
    let scanner = Scanner(
      root: root, rootStat: stat, index: try FolderIndex(inMemory: {}), mount: 7, only: nil,
      offLimits: OffLimits(), isMirror: { _, _ in false }, now: { 0 })
    let attached = MountRoot.Attached(
      mount: 7, root: root,
      staging: try StagingAccess(
        root: root, opened: Staging(root: root, names: Staging.FreshNames(token: "t"))),
      scanner: scanner,
      identity: stat, isCopy: true)

    var folder = MountRoot.unattached
    folder.lose()
    folder.find()
    folder.note { $0.isCopy = false }
    #expect(folder.attached == nil && !folder.isLost, "what was never opened can't be lost")
    folder = .attached(attached)
    folder.lose()
    #expect(folder.isLost && folder.attached?.isCopy == true)
    folder.note { $0.isCopy = false }
    #expect(folder.isLost && folder.attached?.isCopy == false)
    folder.find()
    #expect(!folder.isLost && folder.attached?.mount == 7 && folder.attached?.isCopy == false)
  }
}
