import CairnControl
import CairnFolders
import CairnReplica
import CairnThreads
import CairnZone
import Synchronization

/// The mounts of one container on this device: their list, their watched directories, and their
/// ends. The reasons for a start or an end are unknown here.
///
/// The daemon's locks, in the order in which one may be taken while another is held:
///
/// 1. `HomePlaces.making`: a command makes mirrors of folders, or one out of another.
/// 2. `Mirrors.changing`: a zone gets or loses its folder, or goes to another database.
/// 3. `PeopleWatch.followed`: a check of the people; with none of the two above.
/// 4. Locks that nobody waits under, and under which only later ones are taken: `Mounts.state`,
///    `Departures.state`, `AccountProblems.state`, `EventLog.state`, `EndedShares.entries`,
///    `Mount.snapshot`, and those of mailboxes and waiters.
///
/// A mount's actor takes none of the first two, so a thread that holds them may wait for it.
final class Mounts: Sendable {
  private struct State {
    var table = MountTable()
    var roots = WatchRoots()
    var process: WatchProcess?
    /// The reason that no watch program runs, if it is known; nil while one runs.
    var outage: String??
    /// The waiters for the hints about earlier events, by their numbers.
    var barriers: [Int: @Sendable () -> Void] = [:]
    var lastBarrier = 0
    /// The parts that are about to get a mount of their own, or have just lost it. No other mount
    /// shows them.
    var leftOut: Set<ZonePart> = []
    /// The parts that a command is about to mirror.
    var expected: Set<ZonePart> = []
  }

  private let state = Mutex(State())
  /// The threads for the transfers of all mounts of the home.
  let transfers: TransferPool
  /// The reports about paths whose share ended.
  let ended: EndedShares

  init(_ ended: EndedShares, transfers: TransferPool = TransferPool()) {
    self.ended = ended
    self.transfers = transfers
  }

  // MARK: Which there are

  /// All mounts, in the order of their paths.
  var all: [Mount] { state.withLock { $0.table.all } }

  /// One of them, whichever.
  var any: Mount? { state.withLock { $0.table.byPart.values.first } }

  /// The mount of a part of a zone.
  subscript(part: ZonePart) -> Mount? { state.withLock { $0.table.byPart[part] } }

  /// The mounts of a zone and of its parts, that of the whole zone first.
  func of(_ zone: ZoneID) -> [Mount] { state.withLock { $0.table.mounts(of: zone) } }

  /// The mount of a zone; if only parts of it are mirrored, one of those.
  func first(of zone: ZoneID) -> Mount? { of(zone).first }

  /// The mount that a path is in, and the path within it.
  func find(_ path: [UInt8]) -> (mount: Mount, relative: [UInt8])? {
    state.withLock { $0.table.mount(at: path) }
  }

  // MARK: Beginning and end

  /// Enters a mount, which works from here on; it begins when its folder is watched.
  func insert(_ mount: Mount) {
    state.withLock { state in
      state.table.insert(mount)
      state.leftOut.remove(mount.part)
    }
  }

  /// Ends a mount; it is done when this returns. Its folder keeps its files, and stays a mirror
  /// unless `forget` takes its mark and the index's rows away.
  func end(_ mount: Mount, forget: Bool) {
    // Only the caller that ends it may wait for it.
    guard state.withLock({ $0.table.remove(mount.part) }) != nil else { return }
    watch()
    excludeParts(of: mount.zone.id)
    mount.end(forget: forget)
  }

  /// Has no other mount of the zone show these parts while `body` gives them mounts of their own,
  /// or takes them out of the zone.
  func leavingOut<Result>(_ parts: [ZonePart], _ body: () throws -> Result) rethrows -> Result {
    func tell() { for zone in Set(parts.map(\.zone)) { excludeParts(of: zone) } }
    state.withLock { $0.leftOut.formUnion(parts) }
    tell()
    defer {
      state.withLock { $0.leftOut.subtract(parts) }
      tell()
    }
    return try body()
  }

  /// Has no other mount of the zone show this part until it gets a mount of its own. Its place is
  /// elsewhere, although it may have no mount now.
  func leaveOut(_ part: ZonePart) {
    guard state.withLock({ $0.leftOut.insert(part).inserted }) else { return }
    excludeParts(of: part.zone)
  }

  /// Does the same for parts that a noted command mirrors, and has no mount around them take their
  /// folders for directories of its own. If the command is still noted when `body` ends, it is
  /// unfinished: then both continue until a later call.
  func intending<Result>(
    _ parts: [ZonePart], while isNoted: () -> Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    parts.forEach(expect)
    parts.forEach(leaveOut)
    defer {
      if !isNoted() {
        state.withLock { state in
          state.expected.subtract(parts)
          state.leftOut.subtract(parts)
        }
      }
      for zone in Set(parts.map(\.zone)) { excludeParts(of: zone) }
    }
    return try body()
  }

  /// Has no mount around a part take its folder for a directory of its own, until `intending` ends
  /// for it.
  func expect(_ part: ZonePart) { state.withLock { _ = $0.expected.insert(part) } }

  /// Returns whether a command is about to mirror a part.
  func isExpected(_ part: ZonePart) -> Bool { state.withLock { $0.expected.contains(part) } }

  /// Tells the mounts of a zone which of its records have mounts of their own, or are about to.
  func excludeParts(of zone: ZoneID) {
    let siblings = of(zone)
    let more = state.withLock { $0.leftOut.filter { $0.zone == zone }.map(\.base) }
    let bases = Set(siblings.map(\.part.base) + more).subtracting([.root])
    for mount in siblings { mount.exclude(bases.subtracting([mount.part.base])) }
  }

  /// Lets the other mounts that have this path in their folders scan it.
  func hint(at path: [UInt8], except part: ZonePart) {
    for (mount, relative) in state.withLock({ $0.table.hinted(at: path) }) where mount.part != part
    {
      mount.mailbox.hint([.changed(FolderHint(relative))])
    }
  }

  /// Ends everything.
  func stop() {
    let all = state.withLock { $0.table.removeAll() }
    for waiter in all.map({ $0.stop(forget: false) }) { waiter.wait() }
    let process = state.withLock { state in
      defer { state.process = nil }
      return state.process
    }
    // Its thread may be about to tell something: not under the lock.
    process?.stop()
  }

  // MARK: Watching

  /// Starts the watch program.
  func startWatching(_ executable: String) throws {
    let process = try WatchProcess(executable: executable) { [weak self] in self?.take($0) }
    state.withLock { $0.process = process }
  }

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
      let commands = state.roots.cover(
        folders: state.table.folderPaths, files: state.table.filePaths)
      for command in commands {
        switch command {
        case .unwatch(let number): state.process?.unwatch(root: number)
        case .watch(let number, let root):
          state.process?.watch(root: number, path: root.path, isFlat: root.isFlat)
        }
      }
      for mount in new {
        if let outage = state.outage {
          mount.snapshot.withLock { $0.watching = MountSnapshot.Watching(note: outage) }
          if outage != nil { mount.mailbox.hint([.everything]) }
          continue
        }
        guard let (root, directories) = state.roots.ready(covering: mount.path) else { continue }
        // What can't be watched was said of the root.
        let around = root.isFlat ? nil : state.table.mount(at: root.path)?.mount
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
    }
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

  /// Takes what cairn-watch says, and tells the mounts.
  private func take(_ events: [WatchEvent]) {
    var delivery = HintDelivery(table: state.withLock { $0.table })
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
