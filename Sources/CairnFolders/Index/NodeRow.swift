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

  /// Which inode stood there last.
  struct Gone: Hashable, Sendable {
    var inode: UInt64
    var birth: Int64
  }

  var id: RecordID
  var local: Local?
  var synced: Node?
  /// What the node was before it went from the disk, so that it is known again elsewhere.
  var gone: Gone?

  /// Whether the name on the disk still leads to the inode of the last look.
  func isSameInode(as stat: FileStat) -> Bool {
    guard let local, local.inode == stat.inode, local.node.isSameKind(as: stat.kind) else {
      return false
    }
    if local.birth != 0 || stat.birth != 0 { return local.birth == stat.birth }
    return stat.kind == .directory || hasSameBytes(as: stat)
  }

  /// Whether the node was this inode before it went from the disk. Only where inodes have a time of
  /// birth: numbers are given again.
  func wasInode(of stat: FileStat) -> Bool {
    guard let gone, let synced, gone.inode == stat.inode, stat.birth != 0 else { return false }
    return gone.birth == stat.birth && synced.isSameKind(as: stat.kind)
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

/// The columns of the table `node`, by their places: finding them by name costs more than all else.
extension NodeRow {
  private static let idColumn = 1
  private static let localColumn = 2
  private static let statColumn = 9
  private static let syncedColumn = 13

  /// Reads a row of `SELECT * FROM node`.
  init(_ row: Row) throws {
    guard let id = RecordID(bytes: Self.bytes(row, Self.idColumn) ?? []) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "unreadable node in the index")
    }
    self.id = id
    synced = Self.node(row, from: Self.syncedColumn)
    if let node = Self.node(row, from: Self.localColumn) {
      let inode: Int64 = row[Self.statColumn]
      let size: Int64 = row[Self.statColumn + 2]
      local = Local(
        node: node, inode: UInt64(bitPattern: inode), birth: row[Self.statColumn + 1],
        size: UInt64(bitPattern: size), changed: row[Self.statColumn + 3])
    } else if let inode: Int64 = row[Self.statColumn] {
      gone = Gone(inode: UInt64(bitPattern: inode), birth: row[Self.statColumn + 1])
    }
  }

  private static func bytes(_ row: Row, _ column: Int) -> [UInt8]? {
    let data: Data? = row[column]
    return data.map { [UInt8]($0) }
  }

  /// The seven columns of a node, in the order of `columns`.
  private static func node(_ row: Row, from first: Int) -> Node? {
    guard let parent = RecordID(bytes: bytes(row, first) ?? []),
      let name = FileName(bytes(row, first + 1) ?? [])
    else { return nil }
    let number: Int64 = row[first + 2]
    let kind: Node.Kind
    switch number {
    case 1: kind = .file(bytes(row, first + 3).flatMap { ContentID(bytes: $0) })
    case 2: kind = .directory
    default: kind = .symlink(bytes(row, first + 4) ?? [])
    }
    return Node(
      place: Place(parent: parent, name: name), kind: kind,
      attributes: Attributes(isExecutable: row[first + 5], modified: row[first + 6]))
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
      values += [gone.map { Int64(bitPattern: $0.inode) }, gone?.birth, nil, nil]
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
