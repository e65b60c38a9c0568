import CairnControl

/// The paths at which directories of a file system are visible, by mountinfo(5). A bind mount shows
/// a directory without its parents; a search for the parents of a path needs to know them.
struct MountViews: Sendable {
  private let views: [KernelMounts.Line]

  /// Returns the kernel's present table; empty if it is unavailable.
  static func now() -> MountViews { MountViews(KernelMounts.text()) }

  /// Parses the kernel's table; lines of another form are skipped.
  init(_ table: [UInt8]) { views = KernelMounts.lines(table) }

  /// Returns the other paths that may lead to the same directory, with other parents than this
  /// path. File systems mounted over them are not considered: the caller compares the directories.
  func others(of path: [UInt8]) -> [[UInt8]] {
    // Of two at the same point the later one is visible.
    let own = views.filter { WatchRoots.isInside(path, $0.point) }.enumerated()
      .max { ($0.element.point.count, $0.offset) < ($1.element.point.count, $1.offset) }?.element
    guard let own, own.root != [UInt8(ascii: "/")] else { return [] }
    let inner = Self.joined(own.root, WatchRoots.relative(path, to: own.point))
    return views.filter {
      $0.device == own.device && $0.root != own.root && WatchRoots.isInside(own.root, $0.root)
    }
    .map { Self.joined($0.point, WatchRoots.relative(inner, to: $0.root)) }
  }

  /// Returns the mount points below a path.
  func points(below path: [UInt8]) -> [[UInt8]] {
    views.map(\.point).filter { $0 != path && WatchRoots.isInside($0, path) }
  }

  private static func joined(_ folder: [UInt8], _ rest: [UInt8]) -> [UInt8] {
    if rest.isEmpty { return folder }
    return folder == [UInt8(ascii: "/")] ? folder + rest : folder + [UInt8(ascii: "/")] + rest
  }
}
