import CairnIndex
import CairnPlan
import CairnZone

/// A reference that this device applied: another mount is in its place.
struct ReferenceRow: Hashable, Sendable {
  /// The reference's record.
  var id: RecordID
  /// The part of a zone that the other mount mirrors.
  var part: ZonePart
  /// The directory's or file's record before it went to the other zone, and after it came back.
  var record: RecordID
  /// The place on which zone and disk last agreed.
  var place: Place
  /// A Boolean value that indicates whether it is a file.
  var isFile: Bool
  /// A Boolean value that indicates whether the nodes returned to this mount. The row stays until
  /// the other mount is ended, and its folder in this one is removed.
  var isBack = false
}

/// Nodes that move from one mount to another with all their data, so that nothing is read again.
extension FolderTree {
  /// Returns the references that this device applied: with `isBack` those whose nodes returned,
  /// otherwise all others.
  func references(isBack: Bool = false) throws -> [ReferenceRow] {
    var query = try query(
      "SELECT id, part, record, parent, name, file FROM reference WHERE mount = ? AND back = ?")
    query.bind(Int64(isBack ? 1 : 0))
    var found: [ReferenceRow] = []
    while try query.next() {
      guard let id = query.id(0), let part = query.bytes(1).flatMap({ ZonePart(bytes: $0) }),
        let record = query.id(2), let parent = query.id(3),
        let name = FileName(query.bytes(4) ?? [])
      else { throw IndexDamage("reference") }
      found.append(
        ReferenceRow(
          id: id, part: part, record: record, place: Place(parent: parent, name: name),
          isFile: query.integer(5) == 1, isBack: isBack))
    }
    return found
  }

  func put(_ row: ReferenceRow) throws {
    var query = try query("INSERT OR REPLACE INTO reference VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    query.bind(row.id)
    query.bind(row.part.bytes)
    query.bind(row.record)
    query.bind(row.place.parent)
    query.bind(row.place.name.bytes)
    query.bind(Int64(row.isFile ? 1 : 0))
    query.bind(Int64(row.isBack ? 1 : 0))
    try query.run()
  }

  func removeReference(_ id: RecordID) throws {
    try run("DELETE FROM reference WHERE mount = ? AND id = ?", id)
  }

  /// Returns all records with a row.
  func allIDs() throws -> [RecordID] { try ids(query("SELECT id FROM node WHERE mount = ?")) }

  // MARK: Out

  /// Gives the nodes below a directory, or one file, to another mount. If only the local or only
  /// the synced place of a row is below the directory, the row becomes two: a new one in the mount
  /// of the local place, and a deleted one in the other.
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
    try takeDirty(row.record)
  }

  /// Takes the nodes of another mount. Its root becomes the directory `record` here, or its one
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

  /// Deletes the agreement about everything below a directory.
  func forgetSynced(below directory: RecordID) throws {
    var next = try childIDs(of: directory)
    while let id = next.popLast() {
      guard var row = try node(id) else { continue }
      row.synced = nil
      try put(row)
      try markDirty(id)
      next += try childIDs(of: id)
    }
  }

  private func moveFile(
    from old: RecordID, to new: RecordID, at place: Place?, in other: FolderTree
  ) throws {
    guard var node = try node(old) else { return }
    try remove(old)
    try takeDirty(old)
    guard let name = (node.local?.node ?? node.synced)?.place.name else { return }
    let place = place ?? Place(parent: .root, name: name)
    node.id = new
    node.local?.node.place = place
    node.synced?.place = place
    // The other zone may carry other attributes.
    node.local = node.local?.withoutMetadata
    node.synced = node.synced?.withoutMetadata
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
    // The other zone may carry other attributes.
    var node = node.withoutMetadata
    if node.place.parent == from { node.place.parent = to }
    return node
  }

  private static func mapped(
    _ local: NodeRow.Local, _ from: RecordID, _ to: RecordID
  ) -> NodeRow.Local {
    var local = local
    local.node = mapped(local.node, from, to)
    local.shown.extended = nil
    return local
  }

  private static func mapped(_ local: NodeRow.Local, _ to: RecordID) -> NodeRow.Local {
    mapped(local, .root, to)
  }

  /// Returns whether the agreed tree has the directory below the other, or is it.
  private func leads(_ directory: RecordID, to top: RecordID) throws -> Bool {
    let way = try Ascent(from: directory) { id in
      try node(id).flatMap { ($0.synced ?? $0.local?.node)?.place }
    }
    return directory == top || way.directories.contains(top)
  }
}

/// The nodes that are about to move: a list in memory, for this transaction.
extension FolderTree {
  private func startCollecting() throws {
    try db.run("CREATE TEMP TABLE IF NOT EXISTS moving (id BLOB PRIMARY KEY) WITHOUT ROWID")
    try db.run("DELETE FROM moving")
  }

  fileprivate func collect(below directory: RecordID) throws {
    try startCollecting()
    try run(
      """
      INSERT INTO moving WITH RECURSIVE below(id) AS (
        SELECT id FROM node INDEXED BY node_place WHERE mount = ?1 AND parent = ?2
        UNION SELECT n.id FROM below b
          JOIN node n INDEXED BY node_place ON n.mount = ?1 AND n.parent = b.id)
      SELECT id FROM below
      """, directory)
  }

  fileprivate func collectAll() throws {
    try startCollecting()
    try query("INSERT INTO moving SELECT id FROM node WHERE mount = ?").run()
  }

  fileprivate func collect(_ id: RecordID) throws {
    var query = try Query(db, "INSERT OR IGNORE INTO moving VALUES (?)")
    query.bind(id)
    try query.run()
  }

  fileprivate func uncollect(_ id: RecordID) throws {
    var query = try Query(db, "DELETE FROM moving WHERE id = ?")
    query.bind(id)
    try query.run()
  }

  fileprivate func isCollected(_ id: RecordID) throws -> Bool {
    var query = try Query(db, "SELECT 1 FROM moving WHERE id = ?")
    query.bind(id)
    return try query.next()
  }

  /// Returns those that have a node in this mount, too.
  fileprivate func collectedHere() throws -> [RecordID] {
    try ids(query("SELECT m.id FROM moving m JOIN node n ON n.mount = ? AND n.id = m.id"))
  }

  fileprivate func allDirty() throws -> [RecordID] {
    try ids(query("SELECT id FROM dirty WHERE mount = ?"))
  }

  fileprivate func moveCollected(
    to other: FolderTree, _ from: RecordID, becomes to: RecordID
  ) throws {
    var nodes = try query(
      """
      UPDATE OR REPLACE node SET mount = ?2, mode = NULL, synced_mode = NULL,
        extended = NULL, synced_extended = NULL, shown_extended = NULL,
        parent = CASE parent WHEN ?3 THEN ?4 ELSE parent END,
        synced_parent = CASE synced_parent WHEN ?3 THEN ?4 ELSE synced_parent END
      WHERE mount = ?1 AND id IN (SELECT id FROM moving)
      """)
    nodes.bind(other.mount)
    nodes.bind(from)
    nodes.bind(to)
    try nodes.run()
    cache.forgetAll()
    var dirty = try query(
      """
      INSERT OR IGNORE INTO dirty (mount, id, side) SELECT ?2, id, side FROM dirty
      WHERE mount = ?1 AND id IN (SELECT id FROM moving) ORDER BY number
      """)
    dirty.bind(other.mount)
    try dirty.run()
    try query("DELETE FROM dirty WHERE mount = ? AND id IN (SELECT id FROM moving)").run()
    try db.run("DELETE FROM moving")
  }
}
