/// What a store really offers, as `StoreProbe` found by trying. It carries findings, no policy
/// but the one question that `cairn init` has to answer.
public struct StoreTraits: Sendable, Equatable {
  /// `link(2)` lets exactly one of many racing writers win.
  public let atomicLink: Bool
  /// `renameat2(RENAME_NOREPLACE)` is offered and lets exactly one of many writers win.
  public let renameNoReplace: Bool
  /// `fsync` of files and of folders succeeds.
  public let durableSync: Bool
  /// inotify sees a link being made, and the file system is a local one, so that it sees other
  /// writers as well. Where this is false, ask for the next key with back-off.
  public let notifies: Bool
  /// The name of the file system (`ext4`, `nfs`, …), or its magic number in hexadecimal.
  public let fileSystem: String

  /// Findings, for a store of another kind or a test.
  public init(
    atomicLink: Bool, renameNoReplace: Bool, durableSync: Bool, notifies: Bool, fileSystem: String
  ) {
    self.atomicLink = atomicLink
    self.renameNoReplace = renameNoReplace
    self.durableSync = durableSync
    self.notifies = notifies
    self.fileSystem = fileSystem
  }

  /// Whether several writers may share this store: one of the two atomic primitives is there.
  public var allowsManyWriters: Bool { atomicLink || renameNoReplace }
}
