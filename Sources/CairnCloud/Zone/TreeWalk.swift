public import CairnZone

/// A way through a tree of names, in portions: whoever walks holds no more than a page of each
/// directory on the way. A directory comes before what is in it; names are in the order of their
/// bytes. What changes meanwhile is met as it is then.
public struct TreeWalk {
  /// Some of the names in a directory.
  public struct Page {
    /// In the order of the names.
    public var children: [(name: [UInt8], id: RecordID)]
    /// The name after which there may be more; nil: there are none.
    public var rest: [UInt8]?

    /// Joins the parts.
    public init(children: [(name: [UInt8], id: RecordID)], rest: [UInt8]?) {
      self.children = children
      self.rest = rest
    }
  }

  private struct Level {
    var directory: RecordID
    var path: [[UInt8]]
    var children: ArraySlice<(name: [UInt8], id: RecordID)> = []
    /// Where the next page begins; nil: there is none.
    var rest: [UInt8]? = []
  }

  private var levels: [Level]

  /// Begins in a directory.
  public init(from directory: RecordID, path: [[UInt8]]) {
    levels = [Level(directory: directory, path: path)]
  }

  /// Goes on.
  /// - Parameters:
  ///   - count: How many names at most.
  ///   - page: The names in a directory after that one.
  ///   - visit: Is handed each, with its path; whether what is in it comes next.
  /// - Returns: false if there is nothing left.
  /// - Throws: what the closures throw.
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
      // A folder that is in itself can't come out of a sound tree, and mustn't hold anybody up.
      if try visit(id, path), path.count < 10_000 {
        levels.append(Level(directory: id, path: path))
      }
      left -= 1
      if left == 0 { return true }
    }
    return false
  }
}
