import CairnPlan
import CairnZone
import Foundation
import GRDB

/// A reference that this device has taken up: another mount stands in its place.
struct ReferenceRow: Hashable, Sendable {
  /// The reference's record.
  var id: RecordID
  /// What the other mount mirrors.
  var part: ZonePart
  /// The directory's or file's record before it went to the other zone, and after it came back.
  var record: RecordID
  /// Where it stood when zone and disk last agreed.
  var place: Place

  /// Whether a single file stands there.
  var isFile: Bool { !part.isWhole }
}

/// Nodes that go from one mount to another, with all that is known about them, so that nothing has
/// to be read again.
extension FolderTree {
  static let referenceSchema = """
    CREATE TABLE reference (
      mount INTEGER NOT NULL, id BLOB NOT NULL, part BLOB NOT NULL, record BLOB NOT NULL,
      parent BLOB NOT NULL, name BLOB NOT NULL, PRIMARY KEY (mount, id)) WITHOUT ROWID
    """

  func references() throws -> [ReferenceRow] {
    let statement = try db.cachedStatement(
      sql: "SELECT id, part, record, parent, name FROM reference WHERE mount = ?")
    return try Row.fetchAll(statement, arguments: [mount]).map { row in
      func bytes(_ column: Int) -> [UInt8] {
        let data: Data = row[column]
        return [UInt8](data)
      }
      guard let id = RecordID(bytes: bytes(0)), let part = ZonePart(bytes: bytes(1)),
        let record = RecordID(bytes: bytes(2)),
        let parent = RecordID(bytes: bytes(3)), let name = FileName(bytes(4))
      else {
        throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "unreadable reference")
      }
      return ReferenceRow(
        id: id, part: part, record: record, place: Place(parent: parent, name: name))
    }
  }

  func put(_ row: ReferenceRow) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO reference VALUES (?, ?, ?, ?, ?, ?)",
      arguments: [
        mount, Data(row.id.bytes), Data(row.part.bytes), Data(row.record.bytes),
        Data(row.place.parent.bytes), Data(row.place.name.bytes),
      ])
  }

  func removeReference(_ id: RecordID) throws {
    try db.execute(
      sql: "DELETE FROM reference WHERE mount = ? AND id = ?", arguments: [mount, Data(id.bytes)])
  }

  // MARK: Out

  /// Gives the nodes below a directory, or one file, to another mount. A node of which only one
  /// side is below it is parted: it is new for one mount and gone for the other.
  func moveOut(_ row: ReferenceRow, to inner: FolderTree) throws {
    if row.isFile { return try moveFile(from: row.record, to: row.part.base, at: nil, in: inner) }
    try collect(below: row.record)
    for id in try allDirty() {
      guard id != row.record, let node = try node(id), let synced = node.synced else { continue }
      let isLocal = try isCollected(id)
      let isSynced = try leads(synced.place.parent, to: row.record)
      guard isLocal != isSynced else { continue }
      if isSynced, node.local == nil {
        try collect(id)
        continue
      }
      try part(node, localTo: isLocal ? inner : self, syncedTo: isLocal ? self : inner, row.record)
      try uncollect(id)
    }
    try moveCollected(to: inner, row.record, becomes: .root)
    try remove(row.record)
    try clearDirty(row.record)
  }

  /// Takes the nodes of another mount, whose root becomes the directory `record` here, or whose one
  /// file becomes the node at that place.
  func moveIn(_ row: ReferenceRow, from inner: FolderTree) throws {
    if row.isFile {
      return try inner.moveFile(from: row.part.base, to: row.record, at: row.place, in: self)
    }
    try inner.collectAll()
    for id in try collectedHere() {
      guard let here = try node(id), let there = try inner.node(id) else { continue }
      var joined = here
      if joined.local == nil { joined.local = there.local.map { Self.mapped($0, row.record) } }
      joined.synced = there.synced.map { Self.mapped($0, .root, row.record) } ?? here.synced
      try put(joined)
      try markDirty(id)
      try inner.remove(id)
      try inner.uncollect(id)
    }
    try inner.moveCollected(to: self, .root, becomes: row.record)
  }

  private func moveFile(
    from old: RecordID, to new: RecordID, at place: Place?, in other: FolderTree
  ) throws {
    guard var node = try node(old) else { return }
    try remove(old)
    try clearDirty(old)
    guard let name = (node.local?.node ?? node.synced)?.place.name else { return }
    let place = place ?? Place(parent: .root, name: name)
    node.id = new
    node.local?.node.place = place
    node.synced?.place = place
    try other.put(node)
    try other.markDirty(new)
  }

  private func part(
    _ node: NodeRow, localTo: FolderTree, syncedTo: FolderTree, _ directory: RecordID
  ) throws {
    var local = NodeRow(id: node.id, local: node.local, synced: nil)
    var synced = NodeRow(id: node.id, local: nil, synced: node.synced)
    if localTo.mount != mount {
      local.local = local.local.map { Self.mapped($0, directory, .root) }
    } else {
      synced.synced = synced.synced.map { Self.mapped($0, directory, .root) }
    }
    try remove(node.id)
    try localTo.put(local)
    try syncedTo.put(synced)
    for tree in [localTo, syncedTo] { try tree.markDirty(node.id) }
  }

  private static func mapped(_ node: Node, _ from: RecordID, _ to: RecordID) -> Node {
    var node = node
    if node.place.parent == from { node.place.parent = to }
    return node
  }

  private static func mapped(
    _ local: NodeRow.Local, _ from: RecordID, _ to: RecordID
  ) -> NodeRow.Local {
    var local = local
    local.node = mapped(local.node, from, to)
    return local
  }

  private static func mapped(_ local: NodeRow.Local, _ to: RecordID) -> NodeRow.Local {
    mapped(local, .root, to)
  }

  /// Whether what both sides agreed on puts the directory below the other, or is it.
  private func leads(_ directory: RecordID, to top: RecordID) throws -> Bool {
    var step = directory
    for _ in 0..<100_000 {
      if step == top { return true }
      guard step != .root, let row = try node(step),
        let parent = (row.synced ?? row.local?.node)?.place.parent
      else { return false }
      step = parent
    }
    return false
  }
}

/// The nodes that are about to move: a list in memory, for this transaction.
extension FolderTree {
  private func startCollecting() throws {
    try db.execute(
      sql: "CREATE TEMP TABLE IF NOT EXISTS moving (id BLOB PRIMARY KEY) WITHOUT ROWID")
    try db.execute(sql: "DELETE FROM moving")
  }

  fileprivate func collect(below directory: RecordID) throws {
    try startCollecting()
    try db.execute(
      sql: """
        INSERT INTO moving WITH RECURSIVE below(id) AS (
          SELECT id FROM node INDEXED BY node_place WHERE mount = ?1 AND parent = ?2
          UNION SELECT n.id FROM below b
            JOIN node n INDEXED BY node_place ON n.mount = ?1 AND n.parent = b.id)
        SELECT id FROM below
        """, arguments: [mount, Data(directory.bytes)])
  }

  fileprivate func collectAll() throws {
    try startCollecting()
    try db.execute(
      sql: "INSERT INTO moving SELECT id FROM node WHERE mount = ?", arguments: [mount])
  }

  fileprivate func collect(_ id: RecordID) throws {
    try db.execute(sql: "INSERT OR IGNORE INTO moving VALUES (?)", arguments: [Data(id.bytes)])
  }

  fileprivate func uncollect(_ id: RecordID) throws {
    try db.execute(sql: "DELETE FROM moving WHERE id = ?", arguments: [Data(id.bytes)])
  }

  fileprivate func isCollected(_ id: RecordID) throws -> Bool {
    try Row.fetchOne(
      db, sql: "SELECT 1 FROM moving WHERE id = ?", arguments: [Data(id.bytes)]) != nil
  }

  /// Those that this mount has a node of as well.
  fileprivate func collectedHere() throws -> [RecordID] {
    try Data.fetchAll(
      db, sql: "SELECT m.id FROM moving m JOIN node n ON n.mount = ? AND n.id = m.id",
      arguments: [mount]
    ).compactMap { RecordID(bytes: $0) }
  }

  fileprivate func allDirty() throws -> [RecordID] {
    try Data.fetchAll(db, sql: "SELECT id FROM dirty WHERE mount = ?", arguments: [mount])
      .compactMap { RecordID(bytes: $0) }
  }

  fileprivate func moveCollected(
    to other: FolderTree, _ from: RecordID, becomes to: RecordID
  ) throws {
    let (old, new) = (Data(from.bytes), Data(to.bytes))
    try db.execute(
      sql: """
        UPDATE OR REPLACE node SET mount = ?1,
          parent = CASE parent WHEN ?3 THEN ?4 ELSE parent END,
          synced_parent = CASE synced_parent WHEN ?3 THEN ?4 ELSE synced_parent END
        WHERE mount = ?2 AND id IN (SELECT id FROM moving)
        """, arguments: [other.mount, mount, old, new])
    try db.execute(
      sql: """
        INSERT OR IGNORE INTO dirty (mount, id, side) SELECT ?1, id, side FROM dirty
        WHERE mount = ?2 AND id IN (SELECT id FROM moving) ORDER BY number
        """, arguments: [other.mount, mount])
    try db.execute(
      sql: "DELETE FROM dirty WHERE mount = ? AND id IN (SELECT id FROM moving)",
      arguments: [mount])
    try db.execute(sql: "DELETE FROM moving")
  }
}
