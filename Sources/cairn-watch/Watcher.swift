// SPDX-License-Identifier: GPL-2.0-only
import CairnSystem
import Glibc

/// Keeps a watch on every directory below the roots, and turns inotify events into hints. It owns
/// the table of directories, and must not know the caller's use of a hint.
final class Watcher {
  /// A folder that the caller asked for.
  struct Root {
    let path: [UInt8]
    let identity: DirectoryIdentity
    /// A Boolean value that indicates whether only the folder's own entries are watched.
    let isFlat: Bool
  }

  let library: InotifyLibrary
  let writer: EventWriter
  var tree = DirectoryTree()
  var roots: [Int: Root] = [:]
  /// Directories that could not be entered because they were being moved.
  var stale: Set<Int32> = []
  /// Roots whose path no longer leads to them.
  var strayed: Set<Int> = []
  /// Failures with a temporary reason.
  var trial = Trial()
  /// Roots with a reported lack of watches.
  var short: Set<Int> = []
  /// The time of the next attempt, in milliseconds of the monotonic clock; nil if there is none.
  private var nextTrial: Int?
  /// Watches that left the table and must be ended.
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

  /// The maximum time to wait, in milliseconds; nil: until an event.
  var patience: Int32? {
    nextTrial.map { Int32(clamping: max(0, $0 - Watcher.milliseconds())) }
  }

  /// Repeats failed actions if it is time.
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

  /// Tries the refused names again until the kernel refuses one, and reports the roots that are now
  /// watched completely.
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

  /// Handles all events from before the call. It stops when the queue is empty or after as many
  /// events as the queue can hold, so it ends even for busy folders.
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
    // A directory left: the other half of its rename comes at once, or it moved outside.
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
        // For an otherwise empty root, this is the only event about its deletion. The kernel
        // reports the root itself only after all descriptors of it are closed.
        batch.append(event.aboutDirectory)
      }
    }
  }

  /// Returns whether this is Cairn's own folder at a root, which is never reported.
  func isOwnFolder(_ name: [UInt8], in watch: Int32) -> Bool {
    name.elementsEqual(".cairn".utf8) && tree.rootNumber(watch) != nil
  }

  /// Returns whether this is a root whose subdirectories are not watched.
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

  /// Handles an event about a watched directory itself. Only a root has no parent to report it.
  private func handleSelf(_ event: InotifyEvent) {
    if let root = tree.rootNumber(event.watch) {
      if event.has(IN_ATTRIB) { hint(.changed, event) }
      if event.has(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT) {
        release(root)
        writer.lost(root: root)
      }
    } else if event.has(IN_IGNORED) {
      // The watch ended by itself. Watches below it in the table may be alive.
      doomed.formUnion(tree.remove(event.watch).filter { $0 != event.watch })
    }
  }

  private func handleDirectory(_ event: InotifyEvent) throws {
    let known = tree.child(of: event.watch, named: event.name)
    if event.has(IN_DELETE | IN_MOVED_FROM) { trial.settle(event.name, in: event.watch) }
    if event.has(IN_CREATE | IN_MOVED_TO) {
      try settle(event.name, in: event.watch)
    } else if event.has(IN_DELETE), let known {
      // Not ended: the watch is dead, or belongs to a later directory with this name, whose
      // creation is in the queue and will find the same watch.
      _ = tree.remove(known)
    } else if event.has(IN_MOVED_FROM), let known {
      tree.setAdrift(known)
    } else if event.has(IN_ATTRIB), known == nil {
      // It may have become readable.
      try settle(event.name, in: event.watch)
    }
  }

  /// Handles a rename of a directory between watched ones. The disk decides which directory it was:
  /// while the table was built, it may have seen names whose events are still in the queue.
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

  /// Ends a batch. Directories that left and did not reappear are outside; missed ones are
  /// searched.
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

  /// Ends some of the doomed watches. Each causes an event, so only a few end at once.
  private func endWatches() {
    let some = Array(doomed.prefix(1000))
    guard !some.isEmpty else { return }
    doomed.subtract(some)
    // A watch that is in the table again came back meanwhile.
    library.unwatch(some.filter { !tree.contains($0) })
  }

  /// Forgets a root.
  private func release(_ root: Int) {
    trial.forget(root)
    short.remove(root)
    roots[root] = nil
    if let watch = tree.watch(ofRoot: root) { doomed.formUnion(tree.remove(watch)) }
  }

  /// Watches everything again after an overflow, and then reports it.
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
    // Nobody reads it before everything is watched. Failures are reported after it.
    writer.overflow()
    for (root, asked) in roots where try !rewatch(root, asked) {
      roots[root] = nil
      writer.lost(root: root)
    }
    tellLimits()
  }

  private func hint(_ hint: EventWriter.Hint, _ event: InotifyEvent) {
    let entry = event.name.isEmpty ? nil : event.name
    // A directory adrift has no path. It is listed again when its place is known.
    guard let place = tree.path(of: event.watch, entry: entry) else { return }
    // An event about a root itself is about an entry of the directory above it.
    let directory = entry == nil ? 0 : tree.identity(event.watch)?.inode ?? 0
    writer.hint(hint, root: place.root, directory: directory, path: place.path)
  }

  /// Reports a watched directory for listing.
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
