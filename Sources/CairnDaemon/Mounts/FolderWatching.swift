import CairnFolders
import CairnThreads
import Synchronization

/// The watched directories of a daemon: one cairn-watch for the mounts of all its containers. A
/// user has few inotify instances, so a container has none of its own.
///
/// It delivers the program's events to the mounts as hints, and knows no container.
final class FolderWatching: Sendable {
  /// The mounts of one container.
  private struct Member {
    weak var mounts: Mounts?
  }

  private struct State {
    var members: [Member] = []
    var roots = WatchRoots()
    var process: WatchProcess?
    /// The reason that no watch program runs, if it is known; nil while one runs.
    var outage: String??
    /// The waiters for the hints about earlier events, by their numbers.
    var barriers: [Int: @Sendable () -> Void] = [:]
    var lastBarrier = 0

    /// The mounts of each container.
    var tables: [MountTable] { members.compactMap { $0.mounts?.table } }
  }

  private let state = Mutex(State())
  /// Held while the program starts or ends: two containers may begin at once.
  private let starting = Mutex(())

  // MARK: Beginning and end

  /// Adds the mounts of a container. The first ones start the watch program.
  /// - Parameters:
  ///   - mounts: The mounts.
  ///   - executable: The path of the program.
  /// - Throws: `WatchError` if it can't be started.
  func join(_ mounts: Mounts, _ executable: String) throws {
    try starting.withLock { _ in
      if state.withLock({ $0.process == nil }) {
        let process = try WatchProcess(executable: executable) { [weak self] in self?.take($0) }
        state.withLock { $0.process = process }
      }
      state.withLock { $0.members.append(Member(mounts: mounts)) }
    }
  }

  /// Removes the mounts of a container. With the last ones, the program ends.
  func leave(_ mounts: Mounts) {
    starting.withLock { _ in
      let process = state.withLock { state -> WatchProcess? in
        state.members.removeAll { $0.mounts == nil || $0.mounts === mounts }
        guard state.members.isEmpty else { return nil }
        defer { (state.process, state.roots, state.outage) = (nil, WatchRoots(), nil) }
        return state.process
      }
      // Its thread may be about to tell something: not under the other lock.
      process?.stop()
    }
    watch()
  }

  // MARK: Watching

  /// Calls back when everything that happened in the folders before this call was told to the
  /// mounts.
  func afterHints(_ body: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.lastBarrier += 1
      state.barriers[state.lastBarrier] = body
      state.process?.sync(token: state.lastBarrier)
    }
  }

  /// Has all mounts watched, and nothing else. What is watched already is looked at by `new` mounts
  /// right away; the others look when their directories are.
  func watch(_ new: [Mount] = []) {
    state.withLock { state in
      let tables = state.tables
      let commands = state.roots.cover(
        folders: tables.flatMap(\.folderPaths), files: tables.flatMap(\.filePaths))
      for command in commands {
        switch command {
        case .unwatch(let number): state.process?.unwatch(root: number)
        case .watch(let number, let root):
          state.process?.watch(root: number, path: root.path, isFlat: root.isFlat)
        }
      }
      for mount in new { Self.begin(mount, state, tables) }
    }
  }

  /// Has a new mount scan its folder, if that is watched already.
  private static func begin(_ mount: Mount, _ state: State, _ tables: [MountTable]) {
    if let outage = state.outage {
      mount.snapshot.withLock { $0.watching = MountSnapshot.Watching(note: outage) }
      if outage != nil { mount.mailbox.hint([.everything]) }
      return
    }
    guard let (root, directories) = state.roots.ready(covering: mount.path) else { return }
    // What can't be watched was said of the root.
    let around =
      root.isFlat ? nil : tables.lazy.compactMap { $0.mount(at: root.path)?.mount }.first
    let watching =
      around === mount
      ? nil
      : around?.snapshot.withLock { snapshot in
        snapshot.watching.within(WatchRoots.relative(mount.path, to: root.path))
      }
    mount.snapshot.withLock {
      $0.watching = watching ?? MountSnapshot.Watching(directories: directories)
    }
    mount.mailbox.hint([.everything])
  }

  /// Has the folder of a mount watched that was away: what was watched may be another one.
  func watchAgain(_ mount: Mount) {
    state.withLock { state in
      for number in state.roots.forgetRoots(covering: mount.path) {
        state.process?.unwatch(root: number)
      }
    }
    watch()
  }

  /// A look of a mount has seen these directories, named by their paths in its folder: they are to
  /// be watched, though no event told of them.
  func saw(_ directories: [FolderHint], in mount: Mount) {
    state.withLock { state in
      guard let (root, way) = state.roots.root(around: mount.folder) else { return }
      let prefix = way.isEmpty ? [] : way + [UInt8(ascii: "/")]
      state.process?.saw(
        directories.map { FolderHint(prefix + $0.path, directory: $0.directory) }, in: root)
    }
  }

  // MARK: Events

  /// Takes what cairn-watch says, and tells the mounts.
  private func take(_ events: [WatchEvent]) {
    var delivery = HintDelivery(tables: state.withLock(\.tables))
    for event in events {
      // Hints about earlier events are delivered before a waiter for them continues.
      if case .synced = event { delivery.flush() }
      state.withLock { Self.take(event, &$0, &delivery) }?()
    }
    delivery.flush()
    // What isn't there any more, or was moved and is back already: a mount that finds its folder
    // gone has it watched when it is back, and one that doesn't never would.
    if events.contains(where: { if case .lost = $0 { true } else { false } }) { watch() }
  }

  /// Notes that nothing is watched. Without a reason, a new program is about to run.
  private static func stop(
    _ reason: String?, _ state: inout State, _ delivery: inout HintDelivery
  ) {
    let isNews = reason != nil && state.outage != .some(reason)
    state.outage = .some(reason)
    state.roots.areNotReady()
    for root in state.roots.roots.values {
      if isNews {
        delivery.everything(in: root) { $0 = MountSnapshot.Watching(note: reason) }
      } else {
        delivery.note(in: root) { $0 = MountSnapshot.Watching(note: reason) }
      }
    }
  }

  private static func trying(_ message: String) -> String {
    "\(message); it is tried again by itself"
  }

  /// Takes one event; returns the functions to call outside of the lock.
  private static func take(
    _ event: WatchEvent, _ state: inout State, _ delivery: inout HintDelivery
  ) -> (@Sendable () -> Void)? {
    switch event {
    case .changed(let root, let hint), .written(let root, let hint), .writing(let root, let hint):
      if let root = state.roots.roots[root] { delivery.changed(hint.absolute(in: root)) }
    case .tree(let root, let hint):
      guard let root = state.roots.roots[root] else { return nil }
      let hint = hint.absolute(in: root)
      delivery.grant(hint.path, in: root)
      delivery.tree(hint)
    case .ready(let root, let directories):
      state.roots.isReady(root, directories: directories)
      delivery.everything(in: state.roots.roots[root]) {
        $0 = MountSnapshot.Watching(directories: directories)
      }
    case .overflow:
      // What can't be watched is said once more.
      for root in state.roots.roots.values {
        delivery.everything(in: root) { $0.grant([]) }
      }
    case .stopped(let message): stop(message.map(trying), &state, &delivery)
    case .restarted:
      state.outage = nil
      delivery.everything()
    case .limit(let root, let path):
      guard let root = state.roots.roots[root] else { return nil }
      delivery.refuse(FolderHint(path).absolute(in: root).path, in: root)
    case .lost(let root):
      delivery.everything(in: state.roots.roots[root]) { $0 = MountSnapshot.Watching() }
      state.roots.forget(root)
      // Or a restarted program would watch it again, under a number that nobody knows.
      state.process?.unwatch(root: root)
    case .failed(let root, let message):
      delivery.everything(in: state.roots.roots[root]) {
        $0 = MountSnapshot.Watching(note: trying(message))
      }
    case .unwatched: break
    case .synced(let token): return state.barriers.removeValue(forKey: token)
    }
    return nil
  }
}

extension FolderHint {
  /// The hint with its path from the root of the file system on.
  fileprivate func absolute(in root: WatchRoots.Root) -> FolderHint {
    FolderHint(
      path.isEmpty ? root.path : root.path + [UInt8(ascii: "/")] + path, directory: directory)
  }
}
