import CairnFolders
import CairnThreads
import CairnZone
import Synchronization

/// Delivers hints to their mounts, many at a time.
struct HintDelivery {
  /// The hints of a mount.
  private struct Hints {
    let mount: Mount
    var messages: [Mount.Message] = []
  }

  /// The mounts of each container.
  let tables: [MountTable]
  private var hints: [ObjectIdentifier: Hints] = [:]

  init(tables: [MountTable]) { self.tables = tables }

  private mutating func add(_ message: Mount.Message, for mount: Mount) {
    hints[ObjectIdentifier(mount), default: Hints(mount: mount)].messages.append(message)
  }

  mutating func changed(_ hint: FolderHint) {
    for (mount, path) in tables.flatMap({ $0.hinted(at: hint.path) }) {
      add(.changed(FolderHint(path, directory: hint.directory)), for: mount)
    }
  }

  mutating func tree(_ hint: FolderHint) {
    for (mount, path) in tables.flatMap({ $0.hinted(at: hint.path) }) {
      add(.tree(FolderHint(path, directory: hint.directory)), for: mount)
    }
    for mount in tables.flatMap({ $0.mounts(below: hint.path) }) { add(.everything, for: mount) }
  }

  mutating func everything() {
    for mount in tables.flatMap(\.byPart.values) { add(.everything, for: mount) }
  }

  mutating func everything(
    in root: WatchRoots.Root?, _ change: (inout MountSnapshot.Watching) -> Void
  ) {
    guard let root else { return }
    for mount in tables.flatMap({ $0.mounts(in: root) }) {
      mount.snapshot.withLock { change(&$0.watching) }
      add(.everything, for: mount)
    }
  }

  func note(in root: WatchRoots.Root, _ change: (inout MountSnapshot.Watching) -> Void) {
    for mount in tables.flatMap({ $0.mounts(in: root) }) {
      mount.snapshot.withLock { change(&$0.watching) }
    }
  }

  /// Notes that a directory cannot be watched; the mounts scan it at intervals.
  mutating func refuse(_ path: [UInt8], in root: WatchRoots.Root) {
    for (mount, part) in tables.flatMap({ $0.parts(of: path, in: root) }) {
      mount.snapshot.withLock { $0.watching.refuse(part) }
      add(.watching, for: mount)
    }
  }

  /// Notes that a directory is watched with everything below it.
  func grant(_ path: [UInt8], in root: WatchRoots.Root) {
    for (mount, part) in tables.flatMap({ $0.parts(of: path, in: root) }) {
      mount.snapshot.withLock { $0.watching.grant(part) }
    }
  }

  mutating func flush() {
    for hints in hints.values { hints.mount.mailbox.hint(hints.messages) }
    hints = [:]
  }
}
