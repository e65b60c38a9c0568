/// Which directories cairn-watch is asked to watch so that every mount is covered once: a mount
/// inside another one's folder needs nothing of its own. A pure value; it must not know mounts.
struct WatchRoots {
  /// A directory to watch.
  struct Root: Hashable {
    var path: [UInt8]
    /// Only its own entries, not what is below: files that are shared by themselves lie in it.
    var isFlat: Bool
  }

  /// What to tell cairn-watch, in this order.
  enum Command: Hashable {
    case unwatch(Int)
    case watch(Int, Root)
  }

  private(set) var roots: [Int: Root] = [:]
  /// The roots that are watched with all below them, and how many directories that are.
  private(set) var ready: [Int: Int] = [:]
  private var next = 0

  /// Changes the roots to those that cover these folders, and the folders that hold these files.
  mutating func cover(folders: [[UInt8]], files: [[UInt8]]) -> [Command] {
    let wanted = Self.wanted(folders: folders, files: files)
    var commands: [Command] = []
    // First what goes: a directory belongs to one root only.
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

  /// A root is watched from here on.
  mutating func isReady(_ number: Int, directories: Int) {
    if roots[number] != nil { ready[number] = directories }
  }

  /// A root isn't watched any more.
  mutating func forget(_ number: Int) {
    roots[number] = nil
    ready[number] = nil
  }

  /// Forgets the roots that cover this path; returns their numbers.
  mutating func forgetRoots(covering path: [UInt8]) -> [Int] {
    let found = roots.filter { Self.covers($0.value, path) }.map(\.key)
    for number in found { forget(number) }
    return found
  }

  /// The root that is watched with this path, and the number of its directories; nil if none is.
  func ready(covering path: [UInt8]) -> (root: Root, directories: Int)? {
    for (number, root) in roots where Self.covers(root, path) {
      if let directories = ready[number] { return (root, directories) }
    }
    return nil
  }

  /// The root that is asked to be watched with all that is in this folder, and what leads from it
  /// to the folder; nil if none is.
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
    // Whatever is around another folder comes before it.
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

  /// The path and all directories above it up to "/", the longest first.
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

  /// Whether the path is the folder, or lies in it.
  static func isInside(_ path: [UInt8], _ folder: [UInt8]) -> Bool {
    path == folder || path.starts(with: folder == top ? top : folder + top)
  }

  /// What is left of a path within a folder that it lies in.
  static func relative(_ path: [UInt8], to folder: [UInt8]) -> [UInt8] {
    Array(path.dropFirst(folder == top ? 1 : folder.count + 1))
  }

  /// The directory of an absolute path.
  static func parent(of path: [UInt8]) -> [UInt8] {
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")), slash > 0 else {
      return [UInt8(ascii: "/")]
    }
    return Array(path[..<slash])
  }
}
