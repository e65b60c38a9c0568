import CairnFolders
import CairnThreads
import CairnZone
import Synchronization

/// Delivers hints to their mounts, many at a time.
struct HintDelivery {
  let table: MountTable
  private var hints: [ZonePart: [Mount.Message]] = [:]

  init(table: MountTable) { self.table = table }

  mutating func changed(_ hint: FolderHint) {
    for (mount, path) in table.hinted(at: hint.path) {
      hints[mount.part, default: []]
        .append(.changed(FolderHint(path, directory: hint.directory)))
    }
  }

  mutating func tree(_ hint: FolderHint) {
    for (mount, path) in table.hinted(at: hint.path) {
      hints[mount.part, default: []].append(.tree(FolderHint(path, directory: hint.directory)))
    }
    for mount in table.mounts(below: hint.path) {
      hints[mount.part, default: []].append(.everything)
    }
  }

  mutating func everything() {
    for part in table.byPart.keys { hints[part, default: []].append(.everything) }
  }

  mutating func everything(
    in root: WatchRoots.Root?, _ change: (inout MountSnapshot.Watching) -> Void
  ) {
    guard let root else { return }
    for mount in table.mounts(in: root) {
      mount.snapshot.withLock { change(&$0.watching) }
      hints[mount.part, default: []].append(.everything)
    }
  }

  func note(in root: WatchRoots.Root, _ change: (inout MountSnapshot.Watching) -> Void) {
    for mount in table.mounts(in: root) { mount.snapshot.withLock { change(&$0.watching) } }
  }

  /// Notes that a directory cannot be watched; the mounts scan it at intervals.
  mutating func refuse(_ path: [UInt8], in root: WatchRoots.Root) {
    for (mount, part) in table.parts(of: path, in: root) {
      mount.snapshot.withLock { $0.watching.refuse(part) }
      hints[mount.part, default: []].append(.watching)
    }
  }

  /// Notes that a directory is watched with everything below it.
  func grant(_ path: [UInt8], in root: WatchRoots.Root) {
    for (mount, part) in table.parts(of: path, in: root) {
      mount.snapshot.withLock { $0.watching.grant(part) }
    }
  }

  mutating func flush() {
    for (part, messages) in hints { table.byPart[part]?.mailbox.hint(messages) }
    hints = [:]
  }
}
