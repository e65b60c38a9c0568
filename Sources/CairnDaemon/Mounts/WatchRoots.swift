/// The directories for cairn-watch, so that every mount is watched once: a mount inside another
/// one's folder needs none of its own. A pure value without access to mounts.
struct WatchRoots {
  /// A directory to watch.
  struct Root: Hashable {
    var path: [UInt8]
    /// A Boolean value that indicates whether only its own entries are watched: it contains files
    /// that are shared by themselves.
    var isFlat: Bool
  }

  /// The commands for cairn-watch, in this order.
  enum Command: Hashable {
    case unwatch(Int)
    case watch(Int, Root)
  }

  private(set) var roots: [Int: Root] = [:]
  /// The roots that are watched with everything below, and their numbers of directories.
  private(set) var ready: [Int: Int] = [:]
  private var next = 0

  /// Changes the roots so that they include these folders, and the folders of these files.
  mutating func cover(folders: [[UInt8]], files: [[UInt8]]) -> [Command] {
    let wanted = Self.wanted(folders: folders, files: files)
    var commands: [Command] = []
    // First the removals: a directory belongs to one root only.
    for (number, root) in roots where !wanted.contains(root) {
      commands.append(.unwatch(number))
      forget(number)
    }
    for root in wanted.subtracting(roots.values) {
      next += 1
      roots[next] = root
      commands.append(.watch(next, root))
    }
    return commands
  }

  /// Notes that a root is watched from here on.
  mutating func isReady(_ number: Int, directories: Int) {
    if roots[number] != nil { ready[number] = directories }
  }

  /// Notes that nothing is watched at present; the requests stay.
  mutating func areNotReady() { ready = [:] }

  /// Notes that a root isn't watched any more.
  mutating func forget(_ number: Int) {
    roots[number] = nil
    ready[number] = nil
  }

  /// Forgets the roots that include this path; returns their numbers.
  mutating func forgetRoots(covering path: [UInt8]) -> [Int] {
    let found = roots.filter { Self.covers($0.value, path) }.map(\.key)
    for number in found { forget(number) }
    return found
  }

  /// Returns the watched root that includes this path, and the number of its directories; nil if
  /// there is none.
  func ready(covering path: [UInt8]) -> (root: Root, directories: Int)? {
    for (number, root) in roots where Self.covers(root, path) {
      if let directories = ready[number] { return (root, directories) }
    }
    return nil
  }

  /// Returns the requested root that includes this whole folder, and the path from it to the
  /// folder; nil if there is none.
  func root(around folder: [UInt8]) -> (number: Int, way: [UInt8])? {
    for (number, root) in roots where !root.isFlat && Self.isInside(folder, root.path) {
      return (number, Self.relative(folder, to: root.path))
    }
    return nil
  }

  private static func covers(_ root: Root, _ path: [UInt8]) -> Bool {
    root.isFlat ? parent(of: path) == root.path : isInside(path, root.path)
  }

  private static func wanted(folders: [[UInt8]], files: [[UInt8]]) -> Set<Root> {
    var outermost: Set<[UInt8]> = []
    // A surrounding folder comes before the inner ones.
    for folder in folders.sorted(by: { $0.count < $1.count })
    where !prefixes(of: folder).contains(where: outermost.contains) {
      outermost.insert(folder)
    }
    var wanted = Set(outermost.map { Root(path: $0, isFlat: false) })
    for file in files where !prefixes(of: file).contains(where: outermost.contains) {
      wanted.insert(Root(path: parent(of: file), isFlat: true))
    }
    return wanted
  }

  private static let top = [UInt8(ascii: "/")]

  /// Returns the path and all its parents up to "/", the longest first.
  static func prefixes(of path: [UInt8]) -> [[UInt8]] {
    var found = [path]
    var rest = path[...]
    while let slash = rest.lastIndex(of: UInt8(ascii: "/")), slash > 0 {
      rest = rest[..<slash]
      found.append(Array(rest))
    }
    if path != top { found.append(top) }
    return found
  }

  /// Returns whether the path is the folder, or inside of it.
  static func isInside(_ path: [UInt8], _ folder: [UInt8]) -> Bool {
    path == folder || path.starts(with: folder == top ? top : folder + top)
  }

  /// Returns the rest of a path within a folder that includes it.
  static func relative(_ path: [UInt8], to folder: [UInt8]) -> [UInt8] {
    Array(path.dropFirst(folder == top ? 1 : folder.count + 1))
  }

  /// Returns the parent directory of an absolute path.
  static func parent(of path: [UInt8]) -> [UInt8] {
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")), slash > 0 else {
      return [UInt8(ascii: "/")]
    }
    return Array(path[..<slash])
  }
}
