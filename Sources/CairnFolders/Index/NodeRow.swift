import CairnPlan
import CairnZone
import Foundation
import GRDB

/// A node of a mount: what the disk showed last, and what both sides last agreed on.
struct NodeRow: Hashable, Sendable {
  /// What the disk showed, with what tells whether it still is the same.
  struct Local: Hashable, Sendable {
    var node: Node
    var inode: UInt64
    var birth: Int64
    var size: UInt64
    var changed: Int64
  }

  var id: RecordID
  var local: Local?
  var synced: Node?

  /// Whether the name on the disk still leads to the inode of the last look.
  func isSameInode(as stat: FileStat) -> Bool {
    guard let local, local.inode == stat.inode, local.node.isSameKind(as: stat.kind) else {
      return false
    }
    if local.birth != 0 || stat.birth != 0 { return local.birth == stat.birth }
    return stat.kind == .directory || hasSameBytes(as: stat)
  }

  /// Whether size and time are those of the last look.
  func hasSameBytes(as stat: FileStat) -> Bool {
    guard let local else { return false }
    return local.size == stat.size && local.node.attributes.modified == stat.modified
  }

  /// Whether nothing at all changed since the last look.
  func isUnchanged(_ stat: FileStat) -> Bool {
    guard let local, isSameInode(as: stat), hasSameBytes(as: stat) else { return false }
    return local.changed == stat.changed
      && local.node.attributes.isExecutable == stat.isExecutable
  }
}

extension Node {
  func isSameKind(as kind: FileStat.Kind) -> Bool {
    switch (self.kind, kind) {
    case (.file, .file), (.directory, .directory), (.symlink, .symlink): true
    default: false
    }
  }

  var isDirectory: Bool { kind == .directory }
}

extension NodeRow.Local {
  init(_ node: Node, _ stat: FileStat) {
    self.init(
      node: node, inode: stat.inode, birth: stat.birth, size: stat.size, changed: stat.changed)
  }
}

/// The columns of the table `node`.
extension NodeRow {
  init(_ row: Row) throws {
    guard let id = RecordID(bytes: Self.bytes(row, "id") ?? []) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "unreadable node in the index")
    }
    self.id = id
    synced = Self.node(row, prefix: "synced_")
    if let node = Self.node(row, prefix: "") {
      let inode: Int64 = row["inode"]
      let size: Int64 = row["size"]
      local = Local(
        node: node, inode: UInt64(bitPattern: inode), birth: row["birth"],
        size: UInt64(bitPattern: size), changed: row["changed"])
    }
  }

  static func bytes(_ row: Row, _ column: String) -> [UInt8]? {
    let data: Data? = row[column]
    return data.map { [UInt8]($0) }
  }

  private static func node(_ row: Row, prefix: String) -> Node? {
    guard let parent = RecordID(bytes: bytes(row, prefix + "parent") ?? []),
      let name = FileName(bytes(row, prefix + "name") ?? [])
    else { return nil }
    let number: Int64 = row[prefix + "kind"]
    let kind: Node.Kind
    switch number {
    case 1: kind = .file(bytes(row, prefix + "content").flatMap { ContentID(bytes: $0) })
    case 2: kind = .directory
    default: kind = .symlink(bytes(row, prefix + "target") ?? [])
    }
    return Node(
      place: Place(parent: parent, name: name), kind: kind,
      attributes: Attributes(
        isExecutable: row[prefix + "executable"], modified: row[prefix + "modified"]))
  }

  /// The values of all columns but `mount`, in the table's order.
  var columns: [(any DatabaseValueConvertible)?] {
    var values: [(any DatabaseValueConvertible)?] = [Data(id.bytes)]
    values += Self.columns(local?.node)
    if let local {
      values += [
        Int64(bitPattern: local.inode), local.birth, Int64(bitPattern: local.size), local.changed,
      ]
    } else {
      values += [nil, nil, nil, nil]
    }
    values += Self.columns(synced)
    return values
  }

  private static func columns(_ node: Node?) -> [(any DatabaseValueConvertible)?] {
    guard let node else { return [nil, nil, nil, nil, nil, nil, nil] }
    var content: Data?
    var target: Data?
    let kind: Int
    switch node.kind {
    case .file(let id):
      kind = 1
      content = id.map { Data($0.bytes) }
    case .directory:
      kind = 2
    case .symlink(let bytes):
      kind = 3
      target = Data(bytes)
    }
    return [
      Data(node.place.parent.bytes), Data(node.place.name.bytes), kind, content, target,
      node.attributes.isExecutable, node.attributes.modified,
    ]
  }
}
