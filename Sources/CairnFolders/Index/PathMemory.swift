import CairnPlan
import CairnZone

/// The paths of nodes inside one transaction. It remembers each directory's path, so that the cost
/// of a node doesn't grow with its depth. `forget` must be called after a directory moved.
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
    return try path(of: place.parent).map { $0 + [place.name.bytes] }
  }

  /// Returns the names that lead from the root to a directory; nil if it isn't on the disk.
  func path(of directory: RecordID) throws -> [FileNameBytes]? {
    var way: [(id: RecordID, name: FileNameBytes)] = []
    var next = directory
    while next != .root {
      if let known = folders[next] {
        guard let known else { return nil }
        return remember(way, below: known)
      }
      guard let place = try tree.node(next)?.local?.node.place, place.parent != .parked,
        way.count < Ascent.most
      else {
        // It is parked, or nowhere.
        let path = try tree.path(of: directory)
        folders[directory] = .some(path)
        return path
      }
      way.append((next, place.name.bytes))
      next = place.parent
    }
    return remember(way, below: [])
  }

  private func remember(
    _ way: [(id: RecordID, name: FileNameBytes)], below top: [FileNameBytes]
  ) -> [FileNameBytes] {
    var path = top
    for (id, name) in way.reversed() {
      path.append(name)
      folders[id] = .some(path)
    }
    return path
  }

  /// Forgets all paths.
  func forget() { folders = [:] }

  /// Forgets the path of a directory that is gone.
  func forget(_ directory: RecordID) { folders[directory] = nil }
}
