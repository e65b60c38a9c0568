import CairnControl
import CairnFolders
import CairnThreads
import CairnZone
import Synchronization

extension Daemon {
  /// Calls back when everything that happened in the folders before this call was told to the
  /// mounts.
  func afterHints(_ body: @escaping @Sendable () -> Void) {
    let token = barriers.withLock { barriers in
      barriers.next += 1
      barriers.waiting[barriers.next] = body
      return barriers.next
    }
    watch.withLock { $0?.sync(token: token) }
  }

  /// Has all mounts watched, and nothing else. What is watched already is looked at by `new` mounts
  /// right away; the others look when their directories are.
  func watchMounts(_ new: [Mount] = []) {
    watchRoots.withLock { roots in
      let table = mounts.withLock { $0 }
      let commands = roots.cover(folders: table.folderPaths, files: table.filePaths)
      watch.withLock { process in
        for command in commands {
          switch command {
          case .unwatch(let number): process?.unwatch(root: number)
          case .watch(let number, let root):
            process?.watch(root: number, path: root.path, isFlat: root.isFlat)
          }
        }
      }
      for mount in new {
        guard let directories = roots.directories(covering: mount.path) else { continue }
        mount.watching.withLock { $0 = Mount.Watching(directories: directories) }
        mount.mailbox.hint([.everything])
      }
    }
  }

  /// Has the folder of a mount watched that was away: what was watched may be another one.
  func watchAgain(_ mount: Mount) {
    watchRoots.withLock { roots in
      watch.withLock { process in
        for number in roots.forgetRoots(covering: mount.path) { process?.unwatch(root: number) }
      }
    }
    watchMounts()
  }

  /// Takes what cairn-watch says, and tells the mounts.
  func take(_ events: [WatchEvent]) {
    var delivery = HintDelivery(table: mounts.withLock { $0 })
    for event in events {
      switch event {
      case .changed(let root, let hint), .written(let root, let hint), .writing(let root, let hint):
        if let hint = absolute(hint, in: root) { delivery.changed(hint) }
      case .tree(let root, let hint):
        if let hint = absolute(hint, in: root) { delivery.tree(hint) }
      case .ready(let root, let directories):
        let found = watchRoots.withLock { roots in
          roots.isReady(root, directories: directories)
          return roots.roots[root]
        }
        delivery.everything(in: found) { $0 = Mount.Watching(directories: directories) }
      case .overflow, .restarted: delivery.everything()
      case .limit(let root, _):
        delivery.note(in: watchRoots.withLock { $0.roots[root] }) { watching in
          watching.unwatched += 1
          watching.note =
            "the kernel's limit of watches is reached; raise fs.inotify.max_user_watches"
        }
      case .lost(let root):
        let found = watchRoots.withLock { roots in
          defer { roots.forget(root) }
          return roots.roots[root]
        }
        delivery.everything(in: found) { _ in }
      case .failed(let root, let message):
        delivery.everything(in: watchRoots.withLock { $0.roots[root] }) { $0.note = message }
      case .unwatched: break
      case .synced(let token):
        // Hints go before a barrier that comes after them.
        delivery.flush()
        barriers.withLock { $0.waiting.removeValue(forKey: token) }?()
      }
    }
    delivery.flush()
  }

  private func absolute(_ hint: FolderHint, in root: Int) -> FolderHint? {
    guard let root = watchRoots.withLock({ $0.roots[root] }) else { return nil }
    let path = hint.path.isEmpty ? root.path : root.path + [UInt8(ascii: "/")] + hint.path
    return FolderHint(path, directory: hint.directory)
  }
}

/// Hints on their way to the mounts that they are for, many at a time.
private struct HintDelivery {
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
    in root: WatchRoots.Root?, _ change: (inout Mount.Watching) -> Void
  ) {
    guard let root else { return }
    for mount in table.mounts(in: root) {
      mount.watching.withLock { change(&$0) }
      hints[mount.part, default: []].append(.everything)
    }
  }

  func note(in root: WatchRoots.Root?, _ change: (inout Mount.Watching) -> Void) {
    guard let root else { return }
    for mount in table.mounts(in: root) { mount.watching.withLock { change(&$0) } }
  }

  mutating func flush() {
    for (part, messages) in hints { table.byPart[part]?.mailbox.hint(messages) }
    hints = [:]
  }
}
