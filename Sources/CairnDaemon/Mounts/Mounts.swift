import CairnControl
import CairnFolders
import CairnReplica
import CairnThreads
import CairnZone
import Synchronization

/// The mounts of one container on this device: their list and their ends. The reasons for a start
/// or an end are unknown here.
///
/// The daemon's locks, in the order in which one may be taken while another is held:
///
/// 1. `HomePlaces.making`: a command makes mirrors of folders, or one out of another.
/// 2. `Mirrors.changing`: a zone gets or loses its folder, or goes to another database.
/// 3. `PeopleWatch.followed`: a check of the people; with none of the two above.
/// 4. `FolderWatching.starting`: the watch program starts or ends.
/// 5. Locks that nobody waits under, and under which only later ones are taken:
///    `FolderWatching.state`, `Mounts.state`, `Departures.state`, `AccountProblems.state`,
///    `EventLog.state`, `EndedShares.entries`, `Mount.snapshot`, and those of mailboxes and
///    waiters.
///
/// A mount's actor takes none of the first two, so a thread that holds them may wait for it.
final class Mounts: Sendable {
  private struct State {
    var table = MountTable()
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
  /// The watched directories of all containers of the home.
  private let watching: FolderWatching

  init(
    _ ended: EndedShares, transfers: TransferPool = TransferPool(),
    watching: FolderWatching = FolderWatching()
  ) {
    self.ended = ended
    self.transfers = transfers
    self.watching = watching
  }

  // MARK: Which there are

  /// All mounts, as a value.
  var table: MountTable { state.withLock(\.table) }

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
    watching.leave(self)
  }

  // MARK: Watching

  /// Starts to watch the folders.
  /// - Parameter executable: The path of the watch program, if it doesn't run already.
  /// - Throws: The error of a program that can't be started.
  func startWatching(_ executable: String) throws { try watching.join(self, executable) }

  /// Calls back when everything that happened in the folders before this call was told to the
  /// mounts.
  func afterHints(_ body: @escaping @Sendable () -> Void) { watching.afterHints(body) }

  /// Has all mounts watched, and nothing else. What is watched already is looked at by `new` mounts
  /// right away; the others look when their directories are.
  func watch(_ new: [Mount] = []) { watching.watch(new) }

  /// Has the folder of a mount watched that was away: what was watched may be another one.
  func watchAgain(_ mount: Mount) { watching.watchAgain(mount) }

  /// A look of a mount has seen these directories, named by their paths in its folder: they are to
  /// be watched, though no event told of them.
  func saw(_ directories: [FolderHint], in mount: Mount) { watching.saw(directories, in: mount) }
}
