// SPDX-License-Identifier: GPL-2.0-only
import CairnSystem
import Glibc

/// The walk: a directory is watched first and listed afterwards, so that nothing is missed in
/// between.
extension Watcher {
  /// The result of adding a directory to the table.
  private enum Admission {
    /// No readable directory of ours has this name: nothing, a file, a symlink, another mount. If
    /// one appears, or its mode changes, an event reports it.
    case absent
    /// It was in the table already.
    case known(Int32, descriptor: Int32)
    /// It is in the table now, or at a new place.
    case admitted(Int32, descriptor: Int32)
    /// It is a root of its own.
    case taken
    /// The kernel has no watch left.
    case refused
    /// The kind of the name is unknown. This may be temporary, and no event reports it.
    case failed
  }

  /// Watches a root and reports it, or reports why not, unless that was the last report.
  func begin(_ root: Int, _ asked: Trial.Root) throws {
    let path = asked.path
    guard path.first == UInt8(ascii: "/") else {
      return writer.failed(root: root, message: Watcher.refusal(path, "not absolute"))
    }
    let descriptor = Watcher.openDirectory(path)
    guard descriptor >= 0 else {
      return miss(root, asked, Watcher.refusal(path, Errno(code: errno).message))
    }
    defer { close(descriptor) }
    guard let identity = Watcher.identity(descriptor: descriptor) else {
      return miss(root, asked, Array("cannot examine ".utf8) + path)
    }
    switch library.watch(directory: descriptor) {
    case .failure(let error) where error.code == ENOSPC:
      if asked.told != .limit {
        writer.ready(root: root, directories: 0)
        writer.limit(root: root, path: [])
      }
      trial.miss(root, Trial.Root(path: path, isFlat: asked.isFlat, told: .limit))
    case .failure(let error): miss(root, asked, Watcher.refusal(path, error.message))
    case .success(let watch) where tree.contains(watch):
      let other = tree.place(of: watch).map { " as part of root \($0.root)" } ?? ""
      miss(root, asked, Watcher.refusal(path, "it is watched already\(other)"))
    case .success(let watch):
      roots[root] = Root(path: path, identity: identity, isFlat: asked.isFlat)
      tree.insertRoot(root, watch: watch, identity: identity)
      let directories = asked.isFlat ? 1 : try walk(watch, descriptor: descriptor)
      writer.ready(root: root, directories: directories)
      tellLimits()
    }
  }

  /// Handles a root that cannot be watched now.
  private func miss(_ root: Int, _ asked: Trial.Root, _ message: [UInt8]) {
    if asked.told != .failure(message) { writer.failed(root: root, message: message) }
    trial.miss(
      root, Trial.Root(path: asked.path, isFlat: asked.isFlat, told: .failure(message)))
  }

  private static func refusal(_ path: [UInt8], _ reason: String) -> [UInt8] {
    Array("cannot watch ".utf8) + path + Array(": \(reason)".utf8)
  }

  /// Watches a root again, now or later. Returns false if it is not the same folder.
  func rewatch(_ root: Int, _ asked: Root) throws -> Bool {
    let later = Trial.Root(path: asked.path, isFlat: asked.isFlat)
    let descriptor = Watcher.openDirectory(asked.path)
    guard descriptor >= 0 else {
      guard Watcher.mayPass(errno) else { return false }
      trial.miss(root, later)
      return true
    }
    defer { close(descriptor) }
    guard let identity = Watcher.identity(descriptor: descriptor) else {
      trial.miss(root, later)
      return true
    }
    guard identity == asked.identity else { return false }
    switch library.watch(directory: descriptor) {
    case .success(let watch) where !tree.contains(watch):
      tree.insertRoot(root, watch: watch, identity: asked.identity)
      if !asked.isFlat { _ = try walk(watch, descriptor: descriptor) }
    case .success: writer.limit(root: root, path: [])
    case .failure:
      writer.limit(root: root, path: [])
      trial.miss(root, Trial.Root(path: asked.path, isFlat: asked.isFlat, told: .limit))
    }
    return true
  }

  /// Checks the current file at a name, and watches it with its subtree if it is a directory.
  /// Returns false if the kernel has no watch left for it.
  @discardableResult
  func settle(_ name: [UInt8], in parent: Int32) throws -> Bool {
    let descriptor = open(parent)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    let admission = try admit(name, in: parent, descriptor: descriptor)
    switch admission {
    case .absent: break
    case .failed: trial.miss(name, in: parent)
    case .known(_, let child): close(child)
    case .taken:
      tellLimit(name, in: parent)
      trial.miss(name, in: parent)
    case .refused: trial.refuse(name, in: parent)
    case .admitted(let watch, let child):
      defer { close(child) }
      _ = try walk(watch, descriptor: child)
      if let place = tree.path(of: parent, entry: name) { tellTree(watch, place) }
    }
    tellLimits()
    if case .refused = admission { return false }
    trial.settle(name, in: parent)
    return true
  }

  /// Lists a directory that could not be entered earlier.
  func revisit(_ watch: Int32) throws {
    let descriptor = open(watch)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    _ = try walk(watch, descriptor: descriptor)
    if let place = tree.path(of: watch) { tellTree(watch, place) }
    tellLimits()
  }

  /// The identity of the directory that currently has a name; nil if there is none.
  func identity(of name: [UInt8], in parent: Int32) -> DirectoryIdentity? {
    let descriptor = open(parent)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let child = Watcher.openDirectory(name, at: descriptor)
    guard child >= 0 else { return nil }
    defer { close(child) }
    return Watcher.identity(descriptor: child)
  }

  /// Watches everything below an open and watched directory. Returns the number of directories,
  /// including itself. It holds one descriptor per level, and no path.
  private func walk(_ top: Int32, descriptor: Int32) throws -> Int {
    var count = 1
    var levels = [(watch: top, descriptor: descriptor, names: list(top, descriptor)[...])]
    defer { for level in levels.dropFirst() { close(level.descriptor) } }
    while let level = levels.last {
      guard let name = level.names.first else {
        levels.removeLast()
        if !levels.isEmpty { close(level.descriptor) }
        continue
      }
      levels[levels.count - 1].names.removeFirst()
      switch try admit(name, in: level.watch, descriptor: level.descriptor) {
      case .absent: break
      case .failed: trial.miss(name, in: level.watch)
      case .taken:
        tellLimit(name, in: level.watch)
        trial.miss(name, in: level.watch)
      case .refused: trial.refuse(name, in: level.watch)
      case .known(let watch, let child), .admitted(let watch, let child):
        trial.settle(name, in: level.watch)
        count += 1
        levels.append((watch, child, list(watch, child)[...]))
      }
    }
    return count
  }

  private func admit(_ name: [UInt8], in parent: Int32, descriptor: Int32) throws -> Admission {
    let child = Watcher.openDirectory(name, at: descriptor)
    guard child >= 0 else { return Watcher.mayPass(errno) ? .failed : .absent }
    var isKept = false
    defer { if !isKept { close(child) } }
    guard let identity = Watcher.identity(descriptor: child) else { return .failed }
    guard let above = tree.identity(parent), identity.device == above.device,
      identity.mount == above.mount
    else { return .absent }
    if let known = tree.child(of: parent, named: name), tree.identity(known) == identity {
      isKept = true
      return .known(known, descriptor: child)
    }
    let watch: Int32
    switch library.watch(directory: child) {
    case .success(let new): watch = new
    case .failure(let error): return error.code == ENOSPC ? .refused : .failed
    }
    if tree.contains(watch) {
      // A root below another root belongs to the inner one only.
      if tree.rootNumber(watch) != nil { return .taken }
      guard tree.move(watch, to: parent, name: name) else {
        throw EarlyExit.startOver("the directories moved too fast")
      }
      tree.identify(watch, identity)
    } else {
      tree.insert(watch, parent: parent, name: name, identity: identity)
    }
    isKept = true
    return .admitted(watch, descriptor: child)
  }

  /// The names in an open directory that may be directories.
  private func list(_ watch: Int32, _ descriptor: Int32) -> [[UInt8]] {
    var names: [[UInt8]] = []
    var buffer = [UInt8](repeating: 0, count: 32768)
    while true {
      let filled = cairn_read_dir(descriptor, &buffer, buffer.count)
      // Names before the error are handled now, the rest when the directory is listed again.
      if filled < 0 { fail(to: watch) }
      if filled <= 0 { return names }
      buffer.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        var offset = 0
        var inode: UInt64 = 0
        var type: UInt8 = 0
        var text: UnsafePointer<CChar>?
        while cairn_dirent_next(base, Int(filled), &offset, &inode, &type, &text) == 1,
          let start = text
        {
          guard type == UInt8(DT_DIR) || type == UInt8(DT_UNKNOWN) else { continue }
          let name = Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
          if !isOwnFolder(name, in: watch) { names.append(name) }
        }
      }
    }
  }

  private func tellLimit(_ name: [UInt8], in parent: Int32) {
    guard let place = tree.path(of: parent, entry: name) else { return }
    writer.limit(root: place.root, path: place.path)
  }

  /// Reports the names without a watch, after `ready` and `tree`, which say that everything is
  /// watched.
  func tellLimits() {
    for (parent, name) in trial.takeUntold() {
      tellLimit(name, in: parent)
      if let root = tree.place(of: parent)?.root { short.insert(root) }
    }
  }

  /// Opens a directory of the table from its root on, name by name. Returns a negative number if it
  /// is missing: it is being moved, and is checked again after the next events.
  func open(_ watch: Int32) -> Int32 {
    guard let place = tree.place(of: watch), let root = roots[place.root] else {
      stale.insert(watch)
      return -1
    }
    var descriptor = Watcher.openDirectory(
      root.path, extra: place.names.isEmpty ? 0 : Watcher.nameOnly)
    guard descriptor >= 0 else {
      if Watcher.mayPass(errno) { fail(to: watch) } else { strayed.insert(place.root) }
      return -1
    }
    guard let top = tree.watch(ofRoot: place.root), isStill(top, descriptor) else {
      let isUnknown = Watcher.identity(descriptor: descriptor) == nil
      close(descriptor)
      if isUnknown { fail(to: watch) } else { strayed.insert(place.root) }
      return -1
    }
    for (index, name) in place.names.enumerated() where descriptor >= 0 {
      let isInner = index + 1 < place.names.count
      let next = Watcher.openDirectory(
        name, at: descriptor, extra: isInner ? Watcher.nameOnly : 0)
      if next < 0, Watcher.mayPass(errno) { fail(to: watch) }
      close(descriptor)
      descriptor = next
    }
    guard descriptor >= 0 else {
      stale.insert(watch)
      return -1
    }
    guard isStill(watch, descriptor) else {
      let isUnknown = Watcher.identity(descriptor: descriptor) == nil
      close(descriptor)
      if isUnknown { fail(to: watch) } else { stale.insert(watch) }
      return -1
    }
    return descriptor
  }

  /// Returns whether an open directory is the watched one. Its inode number is a hint: a file
  /// system may give it another number after a rename. The kernel gives one directory one watch.
  private func isStill(_ watch: Int32, _ descriptor: Int32) -> Bool {
    guard let found = Watcher.identity(descriptor: descriptor) else { return false }
    guard found != tree.identity(watch) else { return true }
    guard case .success(let other) = library.watch(directory: descriptor) else { return false }
    guard other == watch else {
      if !tree.contains(other) { doomed.insert(other) }
      return false
    }
    tree.identify(watch, found)
    return true
  }

  /// Notes a directory of the table that cannot be read for a temporary reason.
  private func fail(to watch: Int32) {
    stale.insert(watch)
    trial.fail()
  }

  /// Returns whether a failed open may succeed later without an event.
  private static func mayPass(_ code: Int32) -> Bool {
    ![ENOENT, ENOTDIR, ELOOP, EACCES, EPERM, ENAMETOOLONG].contains(code)
  }

  /// O_PATH, which the Glibc module lacks. It needs no permission to read the directory.
  private static let nameOnly: Int32 = 0o10000000

  private static func openDirectory(
    _ path: [UInt8], at directory: Int32 = AT_FDCWD, extra: Int32 = 0
  ) -> Int32 {
    (path + [0]).withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { path in
        guard let start = path.baseAddress else { return -1 }
        return openat(
          directory, start, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | extra)
      }
    }
  }

  private static func identity(descriptor: Int32) -> DirectoryIdentity? {
    var stat = cairn_stat()
    guard cairn_stat_fd(descriptor, &stat) >= 0 else { return nil }
    return DirectoryIdentity(device: stat.dev, inode: stat.ino, mount: stat.mnt_id)
  }
}
