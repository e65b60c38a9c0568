import CairnPlan
import CairnZone

/// The missing nodes of a scan by size and time, for file systems that don't keep inode numbers.
/// A new entry that looks like exactly one of them is that one, with a new name. A mistake does no
/// harm: the bytes are read, and a directory is listed.
struct Lookalikes {
  private struct Look: Hashable {
    var kind: FileStat.Kind
    var size: UInt64
    var modified: Int64
  }

  private var rows: [Look: [NodeRow]] = [:]

  /// Adds a missing node.
  mutating func add(_ row: NodeRow) {
    guard let local = row.local, local.inode == 0 else { return }
    let shape = local.shape
    let size = shape.kind == .directory ? 0 : shape.size
    rows[Look(kind: shape.kind, size: size, modified: shape.modified), default: []].append(row)
  }

  /// Returns the only missing node that looks like this entry; nil for an empty file.
  func only(like stat: FileStat, at place: Place) -> NodeRow? {
    guard stat.inode == 0, !stat.isEmptyFile else { return nil }
    let size = stat.kind == .directory ? 0 : stat.size
    let found = rows[Look(kind: stat.kind, size: size, modified: stat.modified)] ?? []
    guard found.count == 1, found[0].local?.node.place != place else { return nil }
    return found[0]
  }
}
