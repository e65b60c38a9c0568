import CairnIndex
import CairnZone

/// What a look at the disk remembered of a node, so that the next one can tell whether it still is
/// the same.
struct NodeShape: Hashable, Sendable {
  var kind: FileStat.Kind
  var isExecutable: Bool
  var modified: Int64
  var inode: UInt64
  var birth: Int64
  var size: UInt64
  var changed: Int64

  /// Whether this is the same inode.
  func isSameInode(as stat: FileStat) -> Bool {
    guard inode == stat.inode, kind == stat.kind, kind != .other else { return false }
    if birth != 0 || stat.birth != 0 { return birth == stat.birth }
    return stat.kind == .directory || hasSameBytes(as: stat)
  }

  /// Whether size and time are the same.
  func hasSameBytes(as stat: FileStat) -> Bool { size == stat.size && modified == stat.modified }

  /// Whether nothing at all changed.
  func isUnchanged(_ stat: FileStat) -> Bool {
    isSameInode(as: stat) && hasSameBytes(as: stat) && changed == stat.changed
      && isExecutable == stat.isExecutable
  }
}

extension FolderTree {
  /// What is in a directory by the index, by name; nil for a name that two nodes have. A whole row
  /// costs several times as much, and most are as they were.
  func shapes(in parent: RecordID) throws -> [FileNameBytes: NodeShape?] {
    var query = try query(
      """
      SELECT name, kind, coalesce(shown_executable, executable),
        coalesce(shown_modified, modified), inode, birth, size, changed
      FROM node INDEXED BY node_place WHERE mount = ? AND parent = ?
      """)
    query.bind(parent)
    var found: [FileNameBytes: NodeShape?] = [:]
    while try query.next() {
      guard let name = query.bytes(0) else { continue }
      let kind: FileStat.Kind
      switch query.integer(1) {
      case 1: kind = .file
      case 2: kind = .directory
      default: kind = .symlink
      }
      let shape = NodeShape(
        kind: kind, isExecutable: query.integer(2) != 0, modified: query.integer(3),
        inode: UInt64(bitPattern: query.integer(4)), birth: query.integer(5),
        size: UInt64(bitPattern: query.integer(6)), changed: query.integer(7))
      // Two nodes of one name are a mistake, which the matcher mends.
      if found.updateValue(shape, forKey: name) != nil { found[name] = .some(nil) }
    }
    return found
  }
}
