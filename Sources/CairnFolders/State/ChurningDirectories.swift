import CairnPlan
import CairnZone

/// The directories of a mount in which programs create and delete thousands of files, by the index
/// at one moment (`Churn`).
final class ChurningDirectories {
  private static let candidates = Array(Churn.candidates)
  private let tree: FolderTree
  private let roots: Set<RecordID>
  /// A Boolean value for each directory that indicates whether it is one of them, or inside of one.
  private var inside: [RecordID: Bool] = [.root: false]

  init(in tree: FolderTree) throws {
    self.tree = tree
    var roots: Set<RecordID> = []
    for row in try tree.directories(named: Self.candidates) {
      guard let place = (row.local?.node ?? row.synced)?.place else { continue }
      let isChurn = try Churn.isChurn(place.name, stands: row.local != nil) { beside in
        try tree.child(at: Place(parent: place.parent, name: beside)) != nil
      }
      if isChurn { roots.insert(row.id) }
    }
    self.roots = roots
  }

  /// Returns whether a file is, or was, in one of them.
  func hold(_ file: RecordID) throws -> Bool {
    guard !roots.isEmpty else { return false }
    var path: [RecordID] = []
    var next = try parent(of: file)
    var answer = false
    while let directory = next, path.count < 100_000 {
      if let known = inside[directory] {
        answer = known
        break
      }
      path.append(directory)
      if roots.contains(directory) {
        answer = true
        break
      }
      next = try parent(of: directory)
    }
    for directory in path { inside[directory] = answer }
    return answer
  }

  private func parent(of id: RecordID) throws -> RecordID? {
    let row = try tree.node(id)
    return (row?.local?.node ?? row?.synced)?.place.parent
  }

  /// Returns the number of files and symbolic links in them now.
  func files() throws -> Int {
    var count = 0
    var seen: Set<RecordID> = []
    var stack = Array(roots)
    while let directory = stack.popLast() {
      guard seen.insert(directory).inserted else { continue }
      for row in try tree.children(of: directory) {
        if row.local?.node.isDirectory == true { stack.append(row.id) } else { count += 1 }
      }
    }
    return count
  }
}
