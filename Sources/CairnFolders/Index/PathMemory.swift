import CairnPlan
import CairnZone

/// The paths of nodes inside one transaction that moves no directory. It remembers each directory's
/// path, because most nodes of a batch are in few directories.
final class PathMemory {
  private let tree: FolderTree
  private var folders: [RecordID: [FileNameBytes]?] = [:]

  /// Creates a memory without paths.
  init(_ tree: FolderTree) { self.tree = tree }

  /// Returns the names that lead from the root to the node; nil if it isn't on the disk.
  func path(of row: NodeRow) throws -> [FileNameBytes]? {
    guard let place = row.local?.node.place, place.parent != .parked else {
      return try tree.path(of: row.id)
    }
    return try path(ofFolder: place.parent).map { $0 + [place.name.bytes] }
  }

  private func path(ofFolder id: RecordID) throws -> [FileNameBytes]? {
    if let known = folders[id] { return known }
    let path = try tree.path(of: id)
    folders[id] = .some(path)
    return path
  }
}
