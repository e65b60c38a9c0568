import CairnIndex
import CairnZone

/// The metadata of a node at the last scan, by which the next one recognizes it.
struct NodeShape: Hashable, Sendable {
  var kind: FileStat.Kind
  var isExecutable: Bool
  var modified: Int64
  var inode: UInt64
  var birth: Int64
  var size: UInt64
  var changed: Int64

  /// Returns whether this is the same inode.
  func isSameInode(as stat: FileStat) -> Bool {
    guard inode == stat.inode, kind == stat.kind, kind != .other else { return false }
    if birth != 0 || stat.birth != 0 { return birth == stat.birth }
    return stat.kind == .directory || hasSameBytes(as: stat)
  }

  /// Returns whether size and time are the same.
  func hasSameBytes(as stat: FileStat) -> Bool { size == stat.size && modified == stat.modified }

  /// Returns whether nothing at all changed.
  func isUnchanged(_ stat: FileStat) -> Bool {
    isSameInode(as: stat) && hasSameBytes(as: stat) && changed == stat.changed
      && isExecutable == stat.isExecutable
  }
}

extension FolderTree {
  /// Returns the entries of a directory in the index, by name; nil for a name of two nodes. A whole
  /// row costs several times as much, and most entries are unchanged.
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
      // Two nodes with one name are a mistake, which the matcher corrects.
      if found.updateValue(shape, forKey: name) != nil { found[name] = .some(nil) }
    }
    return found
  }
}
