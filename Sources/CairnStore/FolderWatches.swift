import CairnSystem
import Glibc

/// The followers of folders below one root, and their inotify watches. Others may use the same
/// inotify instance, so it ends no watch itself. It knows no threads and sends no hints; it only
/// returns the followers to hint, and the watches that it no longer needs.
///
/// A missing folder is followed by a watch on its nearest ancestor, until the next component
/// appears there.
struct FolderWatches {
  typealias Hint = @Sendable () -> Void

  private struct Follower {
    let folder: FolderPath
    let hint: Hint
    var watch: Int32?
    /// The number of the folder's components that the watch has reached.
    var depth = 0
  }

  private struct Watched {
    /// Followers of this folder itself.
    var targets: Set<Int> = []
    /// Followers of a folder beneath, by the next component on the way there.
    var waiting: [String: Set<Int>] = [:]
    /// A Boolean value that indicates whether this is the root. If the root leaves its path, no
    /// folder in it reports that.
    var isRoot = false

    var isEmpty: Bool { targets.isEmpty && waiting.isEmpty && !isRoot }
    var everybody: Set<Int> { waiting.values.reduce(targets) { $0.union($1) } }
  }

  private struct OpenFolder: ~Copyable {
    let folder: Descriptor
    let depth: Int
  }

  private let root: String
  /// An object that identifies the root.
  private let mark: ObjectKey?
  private let inotify: Int32
  private var followers: [Int: Follower] = [:]
  private var watched: [Int32: Watched] = [:]
  private var nextFollower = 0
  private var rootWatch: Int32?
  /// Followers without a watch: their root disappeared, or the system provided no watch.
  private(set) var lost: Set<Int> = []
  /// The watches that were needed until now.
  private var ended: Set<Int32> = []

  init(root: String, mark: ObjectKey? = nil, inotify: Int32) {
    self.root = root
    self.mark = mark
    self.inotify = inotify
  }

  /// The number of needed watches.
  var watchCount: Int { watched.count }

  /// All needed watches.
  var all: [Int32] { Array(watched.keys) }

  /// Returns whether a watch is needed.
  func needs(_ watch: Int32) -> Bool { watched[watch] != nil }

  /// Returns the watches that are no longer needed, once each.
  mutating func takeEnded() -> Set<Int32> {
    defer { ended = [] }
    return ended
  }

  func hints(of ids: Set<Int>) -> [Hint] {
    ids.sorted().compactMap { followers[$0]?.hint }
  }

  mutating func add(_ folder: FolderPath, _ hint: @escaping Hint) throws(StoreError) -> Int {
    nextFollower += 1
    let id = nextFollower
    followers[id] = Follower(folder: folder, hint: hint)
    do throws(StoreError) {
      try resolve(id)
    } catch {
      remove(id)
      throw error
    }
    return id
  }

  /// Removes a follower.
  /// - Returns: Its hint, so that the caller can release it without a lock.
  @discardableResult
  mutating func remove(_ id: Int) -> Hint? {
    detach(id)
    let follower = followers.removeValue(forKey: id)
    lost.remove(id)
    if followers.isEmpty { unwatchRoot() }
    return follower?.hint
  }

  /// Handles one event. Returns the followers to hint.
  mutating func note(watch: Int32, kinds: UInt32, name: String?) -> Set<Int> {
    if kinds.has(CAIRN_EVENT_OVERFLOW) { return lookAgain(Set(followers.keys)) }
    guard let folder = watched[watch] else { return [] }
    if kinds.has(CAIRN_EVENT_DROPPED) || kinds.has(CAIRN_EVENT_MOVED) {
      // The folder moved.
      watched[watch] = nil
      ended.insert(watch)
      if folder.isRoot { rootWatch = nil }
      let affected = folder.isRoot ? Set(followers.keys) : folder.everybody
      for id in affected where followers[id]?.watch == watch { followers[id]?.watch = nil }
      return lookAgain(affected)
    }
    guard kinds.has(CAIRN_EVENT_APPEARED), let name else { return [] }
    var hinted = folder.targets.filter { id in
      // Unfinished files concern nobody.
      name != "tmp" || followers[id]?.folder.components.isEmpty == false
    }
    for id in folder.waiting[name] ?? [] where reaches(id) { hinted.insert(id) }
    return hinted
  }

  /// Tries to watch again for followers without a watch.
  /// - Returns: the followers that have a watch again; with `all`, also the others, because no
  ///   event tells them.
  mutating func lookAgainForLost(all: Bool = false) -> Set<Int> {
    let before = lost
    let found = before.filter { reaches($0) }
    return all ? before : found
  }

  private mutating func lookAgain(_ ids: Set<Int>) -> Set<Int> {
    for id in ids { _ = reaches(id) }
    return ids
  }

  /// Watches as deep as folders exist. Returns true if the follower should check: the folder itself
  /// was reached, or nothing can be watched any more.
  private mutating func reaches(_ id: Int) -> Bool {
    let before = lost.contains(id)
    do throws(StoreError) {
      try resolve(id)
      lost.remove(id)
      return before || followers[id].map { $0.depth == $0.folder.components.count } ?? false
    } catch {
      // Without a watch, the follower is hinted, and its check reports the error.
      detach(id)
      lost.insert(id)
      return !before
    }
  }

  private mutating func resolve(_ id: Int) throws(StoreError) {
    guard let follower = followers[id] else { return }
    let folder = follower.folder
    // Each round continues from a folder that appeared between the check and the watch.
    for _ in 0..<64 {
      let found = try deepest(folder)
      let depth = found.depth
      let watch = cairn_inotify_watch_folder(inotify, found.folder.raw)
      if watch == -ENOENT { continue }
      guard watch >= 0 else { throw watchFailure(-watch) }
      attach(id, watch, depth)
      guard depth < folder.components.count else { return }
      var status = cairn_stat()
      guard cairn_stat_at(found.folder.raw, folder.components[depth], &status) == 0 else { return }
    }
    throw StoreError(
      code: .unreachable,
      cause: "The folder \(folder) in \(root) comes and goes, and cannot be watched.")
  }

  /// The deepest existing folder on the way.
  private mutating func deepest(_ folder: FolderPath) throws(StoreError) -> OpenFolder {
    let raw = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard raw >= 0 else { throw .rootFailure(errno, root: root, key: nil) }
    let rootFolder = Descriptor(owning: raw)
    try DirectoryStore.check(mark, in: rootFolder.raw, root, for: nil)
    try watchRoot(rootFolder.raw)
    for depth in stride(from: folder.components.count, to: 0, by: -1) {
      let path = folder.path(depth: depth)
      let found = Descriptor.openBeneath(rootFolder.raw, path, O_RDONLY | O_DIRECTORY)
      if found >= 0 { return OpenFolder(folder: Descriptor(owning: found), depth: depth) }
      guard found == -ENOENT else { throw .system(-found, "watch \(path)", root: root) }
    }
    return OpenFolder(folder: rootFolder, depth: 0)
  }

  private mutating func watchRoot(_ folder: Int32) throws(StoreError) {
    guard rootWatch == nil else { return }
    let watch = cairn_inotify_watch_folder(inotify, folder)
    guard watch >= 0 else { throw watchFailure(-watch) }
    rootWatch = watch
    watched[watch, default: Watched()].isRoot = true
  }

  private mutating func unwatchRoot() {
    guard let watch = rootWatch else { return }
    rootWatch = nil
    watched[watch] = nil
    ended.insert(watch)
  }

  private func watchFailure(_ number: Int32) -> StoreError {
    guard number == ENOSPC else { return .system(number, "watch a folder", root: root) }
    return StoreError(
      code: .unsupported,
      cause: "The system gives this user no more inotify watches for \(root). "
        + "Raise fs.inotify.max_user_watches (see sysctl.d(5)).")
  }

  private mutating func attach(_ id: Int, _ watch: Int32, _ depth: Int) {
    guard let follower = followers[id] else { return }
    if follower.watch == watch && follower.depth == depth { return }
    // The new role first: the same folder must not lose its watch in between. (Both roles exist
    // only if somebody moves folders.)
    enter(id, watch, depth, follower.folder)
    if follower.watch != watch { leave(id, follower) }
    followers[id]?.watch = watch
    followers[id]?.depth = depth
  }

  private mutating func enter(_ id: Int, _ watch: Int32, _ depth: Int, _ folder: FolderPath) {
    if depth == folder.components.count {
      watched[watch, default: Watched()].targets.insert(id)
    } else {
      watched[watch, default: Watched()].waiting[folder.components[depth], default: []].insert(id)
    }
  }

  private mutating func detach(_ id: Int) {
    guard let follower = followers[id] else { return }
    leave(id, follower)
    followers[id]?.watch = nil
  }

  private mutating func leave(_ id: Int, _ follower: Follower) {
    guard let watch = follower.watch, var folder = watched[watch] else { return }
    folder.targets.remove(id)
    if follower.depth < follower.folder.components.count {
      let next = follower.folder.components[follower.depth]
      folder.waiting[next]?.remove(id)
      if folder.waiting[next]?.isEmpty == true { folder.waiting[next] = nil }
    }
    watched[watch] = folder.isEmpty ? nil : folder
    if folder.isEmpty { ended.insert(watch) }
  }
}

extension UInt32 {
  fileprivate func has<Kind: BinaryInteger>(_ kind: Kind) -> Bool { self & UInt32(kind) != 0 }
}
