// SPDX-License-Identifier: GPL-2.0-only
import CairnSystem
import Glibc

/// Keeps a watch on every directory below the roots and turns what inotify says into hints.
/// It owns the table of directories; what the caller does with a hint it must not know.
final class Watcher {
  /// A folder that the caller asked for.
  struct Root {
    let path: [UInt8]
    let identity: DirectoryIdentity
    /// Whether nothing below the folder's own entries is of interest.
    let isFlat: Bool
  }

  let library: InotifyLibrary
  let writer: EventWriter
  var tree = DirectoryTree()
  var roots: [Int: Root] = [:]
  /// Directories that could not be entered because they were being moved.
  var stale: Set<Int32> = []
  /// Roots whose path doesn't lead to them any more.
  var strayed: Set<Int> = []
  /// What failed for a reason that may pass.
  var trial = Trial()
  /// Roots of which the caller was told that there was no watch left for all.
  var short: Set<Int> = []
  /// When that is tried again, in milliseconds of the monotonic clock; nil if nothing is.
  private var nextTrial: Int?
  /// Watches that are out of the table and still to be ended.
  var doomed: Set<Int32> = []

  init(library: InotifyLibrary, writer: EventWriter) {
    self.library = library
    self.writer = writer
  }

  func obey(_ command: Command) throws {
    switch command {
    case .watch(let root, let path, let isFlat):
      release(root)
      try begin(root, Trial.Root(path: path, isFlat: isFlat))
    case .directory(let root, let inode, let path): try see(inode, at: path, in: root)
    case .unwatch(let root):
      release(root)
      writer.unwatched(root: root)
      try drain()
    case .sync(let token):
      try drain()
      writer.synced(token: token)
    }
  }

  /// How long nothing is to be done, in milliseconds; nil if until something happens.
  var patience: Int32? {
    nextTrial.map { Int32(clamping: max(0, $0 - Watcher.milliseconds())) }
  }

  /// Tries again what failed, if it is time.
  func tryAgain() throws {
    if nextTrial == nil { nextTrial = trial.delay.map { Watcher.milliseconds() + $0 } }
    guard let time = nextTrial, time <= Watcher.milliseconds() else { return }
    let failed = trial.take()
    for (root, asked) in failed.roots {
      release(root)
      try begin(root, asked)
    }
    for (parent, names) in failed.names where tree.contains(parent) {
      for name in names where tree.contains(parent) { try settle(name, in: parent) }
    }
    try askForWatches()
    try finish()
    trial.end()
    nextTrial = trial.delay.map { Watcher.milliseconds() + $0 }
    try writer.flush()
    try drain()
  }

  /// Tries the names again for which there was no watch left, until that is so once more, and says
  /// of which roots all is watched now.
  private func askForWatches() throws {
    trial.forgetRefused { !tree.contains($0) }
    tries: for (parent, names) in trial.refused {
      for name in names where tree.contains(parent) {
        guard try settle(name, in: parent) else { break tries }
      }
    }
    let still = Set(trial.refused.keys.compactMap { tree.place(of: $0)?.root })
    for root in short.subtracting(still) {
      guard let watch = tree.watch(ofRoot: root) else { continue }
      writer.ready(root: root, directories: tree.count(below: watch))
    }
    short.formIntersection(still)
  }

  /// Handles all events that happened before the call: until the queue is seen empty or as many
  /// were taken as it can hold, so that it ends however busy the folders are.
  func drain() throws {
    var taken = 0
    var isLast = false
    while !doomed.isEmpty || (!isLast && taken < library.queueBound) {
      let batch = nextBatch()
      isLast = batch.isLast
      taken += batch.events.count
      if batch.isOverflowed {
        try rebuild()
      } else {
        try handle(batch)
        try finish()
      }
      try writer.flush()
      endWatches()
      if library.deadRecords(live: tree.count + doomed.count) > 50_000 {
        throw EarlyExit.startOver("too many directories have come and gone")
      }
    }
  }

  private func nextBatch() -> EventBatch {
    var batch = EventBatch()
    take(into: &batch, atMost: 4096)
    // A directory that left: the other half of its rename comes at once, or it went outside.
    let deadline = Watcher.milliseconds() + 5
    while batch.isOpen, case let left = deadline - Watcher.milliseconds(), left > 0 {
      var wait = pollfd(fd: library.descriptor, events: Int16(POLLIN), revents: 0)
      if batch.isLast, poll(&wait, 1, Int32(left)) <= 0 { break }
      take(into: &batch, atMost: 4096)
    }
    return batch
  }

  private func take(into batch: inout EventBatch, atMost count: Int) {
    batch.isLast = false
    for _ in 0..<count {
      guard let event = library.next() else {
        batch.isLast = true
        return
      }
      if !isOwnFolder(event.name, in: event.watch) {
        batch.append(event)
      } else if event.has(IN_DELETE | IN_MOVED_FROM) {
        // With nothing else in it, this is all that is heard of a root that is deleted: the kernel
        // tells of itself only when nobody has it open any more.
        batch.append(event.aboutDirectory)
      }
    }
  }

  /// Whether this is Cairn's own folder at a root, which nobody is told about.
  func isOwnFolder(_ name: [UInt8], in watch: Int32) -> Bool {
    name.elementsEqual(".cairn".utf8) && tree.rootNumber(watch) != nil
  }

  /// Whether this is a root of which only the entries are of interest.
  func isFlat(_ watch: Int32) -> Bool {
    tree.rootNumber(watch).flatMap { roots[$0]?.isFlat } ?? false
  }

  private func handle(_ received: EventBatch) throws {
    var batch = received
    for (index, event) in batch.events.enumerated() where !batch.isHandled(index) {
      guard tree.contains(event.watch) else { continue }
      if event.name.isEmpty {
        handleSelf(event)
      } else if event.has(IN_MODIFY) {
        hint(.writing, event)
      } else if event.has(IN_CLOSE_WRITE) {
        hint(.written, event)
      } else {
        hint(.changed, event)
        guard event.isDirectory, !isFlat(event.watch) else { continue }
        if event.has(IN_MOVED_FROM), let arrival = batch.takeArrival(of: index) {
          try move(from: event, to: arrival)
        } else {
          try handleDirectory(event)
        }
      }
    }
  }

  /// What is said of a watched directory itself; only a root has nobody above it to say so.
  private func handleSelf(_ event: InotifyEvent) {
    if let root = tree.rootNumber(event.watch) {
      if event.has(IN_ATTRIB) { hint(.changed, event) }
      if event.has(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT) {
        release(root)
        writer.lost(root: root)
      }
    } else if event.has(IN_IGNORED) {
      // The watch has ended by itself; what the table still holds below it may be alive.
      doomed.formUnion(tree.remove(event.watch).filter { $0 != event.watch })
    }
  }

  private func handleDirectory(_ event: InotifyEvent) throws {
    let known = tree.child(of: event.watch, named: event.name)
    if event.has(IN_DELETE | IN_MOVED_FROM) { trial.settle(event.name, in: event.watch) }
    if event.has(IN_CREATE | IN_MOVED_TO) {
      try settle(event.name, in: event.watch)
    } else if event.has(IN_DELETE), let known {
      // Not ended: the watch is dead, or is that of a later directory of this name, whose
      // creation is in the queue and will find the same watch.
      _ = tree.remove(known)
    } else if event.has(IN_MOVED_FROM), let known {
      tree.setAdrift(known)
    } else if event.has(IN_ATTRIB), known == nil {
      // It may have become readable.
      try settle(event.name, in: event.watch)
    }
  }

  /// A rename of a directory among watched ones. The disk decides which directory it was: while
  /// the table was made, it may have seen names that the queue only tells of now.
  private func move(from: InotifyEvent, to: InotifyEvent) throws {
    let known = tree.child(of: from.watch, named: from.name)
    trial.settle(from.name, in: from.watch)
    guard tree.contains(to.watch), !isFlat(to.watch) else {
      if tree.contains(to.watch) { hint(.changed, to) }
      if let known { tree.setAdrift(known) }
      return
    }
    hint(.changed, to)
    guard let known else {
      try settle(to.name, in: to.watch)
      return
    }
    if identity(of: to.name, in: to.watch) == tree.identity(known) {
      let before = tree.place(of: known)?.root
      guard tree.move(known, to: to.watch, name: to.name) else {
        throw EarlyExit.startOver("the directories moved too fast")
      }
      if let place = tree.path(of: known), place.root != before {
        tellTree(known, place)
      }
      return
    }
    try settle(to.name, in: to.watch)
    if tree.child(of: from.watch, named: from.name) == known,
      identity(of: from.name, in: from.watch) != tree.identity(known)
    {
      tree.setAdrift(known)
    }
  }

  /// After a batch: what left and was not seen again is outside; what was missed is looked for.
  func finish() throws {
    for watch in stale {
      stale.remove(watch)
      if tree.contains(watch) { try revisit(watch) }
    }
    for root in strayed where roots[root] != nil {
      release(root)
      writer.lost(root: root)
    }
    strayed = []
    for watch in tree.adrift { doomed.formUnion(tree.remove(watch)) }
  }

  /// Ends some of the doomed watches; each puts an event into the queue, so not too many at once.
  private func endWatches() {
    let some = Array(doomed.prefix(1000))
    guard !some.isEmpty else { return }
    doomed.subtract(some)
    // One that is in the table again has come back meanwhile.
    library.unwatch(some.filter { !tree.contains($0) })
  }

  /// Forgets a root.
  private func release(_ root: Int) {
    trial.forget(root)
    short.remove(root)
    roots[root] = nil
    if let watch = tree.watch(ofRoot: root) { doomed.formUnion(tree.remove(watch)) }
  }

  /// After an overflow anything may be missing: all is watched anew before that is reported.
  private func rebuild() throws {
    for (root, _) in roots {
      if let watch = tree.watch(ofRoot: root) { doomed.formUnion(tree.remove(watch)) }
    }
    tree = DirectoryTree()
    stale = []
    trial.forgetNames()
    short = []
    while !doomed.isEmpty {
      endWatches()
      var taken = 0
      while taken < library.queueBound, library.next() != nil { taken += 1 }
    }
    // Nobody reads it before all is watched; what can't be is told after it.
    writer.overflow()
    for (root, asked) in roots where try !rewatch(root, asked) {
      roots[root] = nil
      writer.lost(root: root)
    }
    tellLimits()
  }

  private func hint(_ hint: EventWriter.Hint, _ event: InotifyEvent) {
    let entry = event.name.isEmpty ? nil : event.name
    // What is adrift has no path; it is listed anew when its place is known.
    guard let place = tree.path(of: event.watch, entry: entry) else { return }
    // What is said of a root itself is said of an entry of the directory above it.
    let directory = entry == nil ? 0 : tree.identity(event.watch)?.inode ?? 0
    writer.hint(hint, root: place.root, directory: directory, path: place.path)
  }

  /// Has a watched directory listed.
  func tellTree(_ watch: Int32, _ place: (root: Int, path: [UInt8])) {
    writer.tree(
      root: place.root, directory: tree.identity(watch)?.inode ?? 0, path: place.path)
  }

  private static func milliseconds() -> Int {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec * 1000 + now.tv_nsec / 1_000_000
  }
}
