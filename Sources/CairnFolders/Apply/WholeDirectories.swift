import CairnPlan
import CairnZone

/// The directories that the steps of a batch remove with everything in them. Each can be moved
/// aside as a whole, instead of file by file. It must not know the disk.
struct WholeDirectories {
  /// A directory whose whole contents are removed.
  struct Directory {
    let id: RecordID
    /// The known entries of this directory and of each one in it.
    var contents: [RecordID: [RecordID]] = [:]
    /// All its nodes in the order of their steps: an entry comes before its directory.
    var nodes: [RecordID] = []
  }

  private var expected: [RecordID: Node] = [:]
  private var directories: [RecordID: Directory] = [:]
  /// The topmost directory of each node.
  private var tops: [RecordID: RecordID] = [:]
  private var aside: Set<RecordID> = []

  /// Creates a value without directories.
  init() {}

  /// Finds the directories. An empty one needs no move.
  /// - Parameters:
  ///   - steps: The steps; the removal of an entry comes before that of its directory.
  ///   - children: Returns the entries of a directory that the index knows.
  /// - Throws: Any error of `children`.
  init(_ steps: [FolderStep], _ children: (RecordID) throws -> [RecordID]) throws {
    var contents: [RecordID: [RecordID]] = [:]
    var order: [RecordID] = []
    for case .remove(let id, let node) in steps {
      expected[id] = node
      order.append(id)
      guard node.isDirectory else { continue }
      let entries = try children(id)
      let isWhole = entries.allSatisfy { entry in
        expected[entry].map { !$0.isDirectory || contents[entry] != nil } ?? false
      }
      if isWhole { contents[id] = entries }
    }
    for id in order.reversed() {
      guard let entries = contents[id], tops[id] != nil || !entries.isEmpty else { continue }
      let top = tops[id] ?? id
      tops[id] = top
      directories[top, default: Directory(id: top)].contents[id] = entries
      for entry in entries { tops[entry] = top }
    }
    for id in order {
      if let top = tops[id] { directories[top]?.nodes.append(id) }
    }
  }

  /// Returns the topmost directory that contains a node, or is it, for the first of its nodes only.
  mutating func takeDirectory(with id: RecordID) -> Directory? {
    tops[id].flatMap { directories.removeValue(forKey: $0) }
  }

  /// Returns the node that the plan expects.
  func expected(_ id: RecordID) -> Node? { expected[id] }

  /// Notes that a directory was moved aside.
  mutating func noteAside(_ directory: Directory) { aside.formUnion(directory.nodes) }

  /// Returns whether a node was moved aside with its directory.
  func isAside(_ id: RecordID) -> Bool { aside.contains(id) }
}
