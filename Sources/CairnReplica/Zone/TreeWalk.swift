public import CairnZone

/// A walk through a tree of names, in batches: it holds at most a page of each directory on the
/// way. A directory comes before its contents, and names are in the order of their bytes.
/// Concurrent changes are visited in their state at that time.
public struct TreeWalk {
  /// A page of names in a directory.
  public struct Page: Sendable {
    /// The children, in the order of their names.
    public var children: [(name: [UInt8], id: RecordID)]
    /// The name after which there may be more; nil: there are none.
    public var rest: [UInt8]?

    /// Creates a page.
    public init(children: [(name: [UInt8], id: RecordID)], rest: [UInt8]?) {
      self.children = children
      self.rest = rest
    }
  }

  private struct Level {
    var directory: RecordID
    var path: [[UInt8]]
    var children: ArraySlice<(name: [UInt8], id: RecordID)> = []
    /// The beginning of the next page; nil: there is none.
    var rest: [UInt8]? = []
  }

  private var levels: [Level]

  /// Starts in a directory.
  public init(from directory: RecordID, path: [[UInt8]]) {
    levels = [Level(directory: directory, path: path)]
  }

  /// Continues.
  /// - Parameters:
  ///   - count: The maximum number of names.
  ///   - page: Returns the names in a directory after a given one.
  ///   - visit: Receives each name with its path, and returns whether its contents come next.
  /// - Returns: false if there is nothing left.
  /// - Throws: errors of the closures.
  public mutating func go(
    _ count: Int, page: (RecordID, [UInt8]) throws -> Page,
    visit: (RecordID, [[UInt8]]) throws -> Bool
  ) throws -> Bool {
    var left = count
    while var level = levels.popLast() {
      guard let (name, id) = level.children.popFirst() else {
        guard let rest = level.rest else { continue }
        let next = try page(level.directory, rest)
        level.children = next.children[...]
        level.rest = next.rest
        levels.append(level)
        continue
      }
      levels.append(level)
      let path = level.path + [name]
      // A folder inside itself cannot come from a sound tree, and must not stop the walk.
      if try visit(id, path), path.count < 10_000 {
        levels.append(Level(directory: id, path: path))
      }
      left -= 1
      if left == 0 { return true }
    }
    return false
  }
}
