// SPDX-License-Identifier: GPL-2.0-only

/// The identity of a directory: enough to check whether a name still leads to it.
struct DirectoryIdentity: Equatable {
  let device: UInt64
  let inode: UInt64
  let mount: UInt64
}

/// The table of watched directories: a tree keyed by watch, in which a rename is one step. It owns
/// names and positions, and must not know the disk or the library.
struct DirectoryTree {
  private struct Directory {
    var parent: Int32?
    var name: [UInt8]
    var root: Int?
    var children: [[UInt8]: Int32] = [:]
    var identity: DirectoryIdentity
  }

  private var directories: [Int32: Directory] = [:]
  private var roots: [Int: Int32] = [:]

  /// Directories that left their place and were not seen at another one yet.
  private(set) var adrift: Set<Int32> = []

  /// The number of watched directories.
  var count: Int { directories.count }

  /// The number of directories in a subtree, including its root.
  func count(below watch: Int32) -> Int {
    var count = 0
    var pending = [watch]
    while let next = pending.popLast() {
      count += 1
      if let children = directories[next]?.children.values { pending += children }
    }
    return count
  }

  func contains(_ watch: Int32) -> Bool { directories[watch] != nil }

  /// The number of the root that this directory is; nil if it is none.
  func rootNumber(_ watch: Int32) -> Int? { directories[watch]?.root }

  func watch(ofRoot root: Int) -> Int32? { roots[root] }

  func identity(_ watch: Int32) -> DirectoryIdentity? { directories[watch]?.identity }

  /// Notes the present identity of a directory.
  mutating func identify(_ watch: Int32, _ identity: DirectoryIdentity) {
    directories[watch]?.identity = identity
  }

  func child(of parent: Int32, named name: [UInt8]) -> Int32? {
    directories[parent]?.children[name]
  }

  mutating func insertRoot(_ root: Int, watch: Int32, identity: DirectoryIdentity) {
    precondition(directories[watch] == nil, "watch \(watch) is in the table already")
    directories[watch] = Directory(parent: nil, name: [], root: root, identity: identity)
    roots[root] = watch
  }

  /// Adds a directory. A directory that had its place before becomes adrift.
  mutating func insert(
    _ watch: Int32, parent: Int32, name: [UInt8], identity: DirectoryIdentity
  ) {
    precondition(directories[watch] == nil, "watch \(watch) is in the table already")
    directories[watch] = Directory(parent: nil, name: [], root: nil, identity: identity)
    attach(watch, to: parent, name: name)
  }

  /// Moves a directory with its subtree. Returns false, without any change, if the new place is
  /// below the directory itself.
  mutating func move(_ watch: Int32, to parent: Int32, name: [UInt8]) -> Bool {
    var ancestor: Int32? = parent
    while let at = ancestor {
      if at == watch { return false }
      ancestor = directories[at]?.parent
    }
    detach(watch)
    attach(watch, to: parent, name: name)
    return true
  }

  /// Removes a directory from its place. It and its subtree stay watched, without a path.
  mutating func setAdrift(_ watch: Int32) {
    detach(watch)
    adrift.insert(watch)
  }

  /// Removes a directory with its subtree. Returns their watches.
  mutating func remove(_ watch: Int32) -> [Int32] {
    detach(watch)
    adrift.remove(watch)
    if let root = directories[watch]?.root { roots[root] = nil }
    var removed: [Int32] = []
    var pending = [watch]
    while let next = pending.popLast() {
      guard let directory = directories.removeValue(forKey: next) else { continue }
      removed.append(next)
      pending += directory.children.values
    }
    return removed
  }

  /// The root above a directory, and the names that lead to it; nil for a directory adrift.
  func place(of watch: Int32) -> (root: Int, names: [[UInt8]])? {
    var names: [[UInt8]] = []
    var at = watch
    while let directory = directories[at] {
      if let root = directory.root { return (root, names.reversed()) }
      guard let parent = directory.parent else { return nil }
      names.append(directory.name)
      at = parent
    }
    return nil
  }

  /// The root above the entry `name` of a directory, and its path below that root.
  func path(of watch: Int32, entry name: [UInt8]? = nil) -> (root: Int, path: [UInt8])? {
    guard let place = place(of: watch) else { return nil }
    let names = name.map { place.names + [$0] } ?? place.names
    return (place.root, Array(names.joined(separator: [UInt8(ascii: "/")])))
  }

  private mutating func detach(_ watch: Int32) {
    guard let directory = directories[watch], let parent = directory.parent else { return }
    directories[parent]?.children[directory.name] = nil
    directories[watch]?.parent = nil
  }

  private mutating func attach(_ watch: Int32, to parent: Int32, name: [UInt8]) {
    precondition(directories[parent] != nil, "the parent \(parent) is not in the table")
    if let previous = directories[parent]?.children[name] { setAdrift(previous) }
    directories[parent]?.children[name] = watch
    directories[watch]?.parent = parent
    directories[watch]?.name = name
    adrift.remove(watch)
  }
}
