import CairnIndex
import CairnPlan
import CairnZone

/// One mount's nodes inside one transaction on `folders.sqlite`. Queries name their index: without
/// statistics SQLite takes the primary key for anything with `mount`, and reads all of the mount.
struct FolderTree {
  let db: IndexConnection
  let mount: Int64
  let cache: NodeCache

  func node(_ id: RecordID) throws -> NodeRow? {
    if let known = cache.row(id, of: mount) { return known }
    let row = try storedNode(id)
    cache.keep(row, id, of: mount)
    return row
  }

  /// Reads a row of the table, whatever the cache has.
  func storedNode(_ id: RecordID) throws -> NodeRow? {
    var query = try query("SELECT * FROM node WHERE mount = ? AND id = ?")
    query.bind(id)
    return try query.next() ? NodeRow(query) : nil
  }

  func child(at place: Place) throws -> NodeRow? { try nodes(at: place).first }

  /// All nodes that the index has at that place; more than one is a mistake to be mended.
  func nodes(at place: Place) throws -> [NodeRow] {
    var query = try query(
      "SELECT * FROM node INDEXED BY node_place WHERE mount = ? AND parent = ? AND name = ?")
    query.bind(place.parent)
    query.bind(place.name.bytes)
    let found = try rows(query)
    for row in found { cache.keep(row, row.id, of: mount) }
    return found
  }

  /// The directory that the index has at that place, whatever else it has there for a moment.
  func directory(at place: Place) throws -> NodeRow? {
    try nodes(at: place).first { $0.local?.node.isDirectory == true }
  }

  /// The record to which these names lead from the root; nil if the index has none there.
  func record(at names: [FileNameBytes]) throws -> RecordID? {
    var id = RecordID.root
    for bytes in names {
      guard let name = FileName(bytes), let next = try child(at: Place(parent: id, name: name))
      else { return nil }
      id = next.id
    }
    return id
  }

  func nodes(inode: UInt64) throws -> [NodeRow] {
    // 0 belongs to none: the file system doesn't keep inode numbers.
    guard inode != 0 else { return [] }
    var query = try query("SELECT * FROM node INDEXED BY node_inode WHERE mount = ? AND inode = ?")
    query.bind(Int64(bitPattern: inode))
    return try rows(query)
  }

  /// Returns whether a missing record had this file's inode, time of birth and content: the person
  /// renamed that file to this place.
  func wasAnother(_ row: NodeRow) throws -> Bool {
    guard let local = row.local else { return false }
    return try nodes(inode: local.inode).contains { other in
      // Without a time of birth the number alone tells nothing: it is given again.
      other.id != row.id && other.local == nil && other.gone?.birth == local.birth
        && other.synced?.kind == local.node.kind
    }
  }

  func children(of parent: RecordID) throws -> [NodeRow] {
    var query = try query("SELECT * FROM node INDEXED BY node_place WHERE mount = ? AND parent = ?")
    query.bind(parent)
    return try rows(query)
  }

  func childIDs(of parent: RecordID) throws -> [RecordID] {
    var query = try query(
      "SELECT id FROM node INDEXED BY node_place WHERE mount = ? AND parent = ?")
    query.bind(parent)
    return try ids(query)
  }

  /// Names that are on the disk in a directory, after that one, in the order of their bytes.
  func children(
    of parent: RecordID, after name: FileNameBytes, limit: Int
  ) throws -> [(name: FileNameBytes, id: RecordID)] {
    var query = try query(
      """
      SELECT name, id FROM node INDEXED BY node_place
      WHERE mount = ? AND parent = ? AND name > ? ORDER BY name LIMIT ?
      """)
    query.bind(parent)
    query.bind(name)
    query.bind(Int64(limit))
    var found: [(FileNameBytes, RecordID)] = []
    while try query.next() {
      if let name = query.bytes(0), let id = query.id(1) { found.append((name, id)) }
    }
    return found
  }

  /// The directories that are on the disk in a directory.
  func directories(in parent: RecordID) throws -> [(id: RecordID, name: FileNameBytes)] {
    var query = try query(
      """
      SELECT id, name FROM node INDEXED BY node_directory
      WHERE mount = ? AND kind = 2 AND parent = ?
      """
    )
    query.bind(parent)
    var found: [(RecordID, FileNameBytes)] = []
    while try query.next() {
      if let id = query.id(0), let name = query.bytes(1) { found.append((id, name)) }
    }
    return found
  }

  /// Sets the content of the node's file, as a scan found it; its place stays.
  func setContent(_ content: ContentID, of id: RecordID, _ stat: FileStat) throws {
    var query = try query(
      """
      UPDATE node SET content = ?2, birth = ?5, size = ?6, changed = ?7, access = ?10,
        executable = CASE WHEN shown_executable = ?3 THEN executable ELSE ?3 END,
        shown_executable = CASE WHEN shown_executable = ?3 THEN ?3 END,
        modified = CASE WHEN shown_modified = ?4 THEN modified ELSE ?4 END,
        shown_modified = CASE WHEN shown_modified = ?4 THEN ?4 END,
        mode = CASE WHEN mode IS NULL OR access & 511 = ?10 & 511 THEN mode ELSE ?11 END
      WHERE mount = ?1 AND id = ?8 AND kind = 1 AND inode = ?9
      """)
    query.bind(content.value)
    query.bind(stat.isExecutable ? 1 : 0)
    query.bind(stat.modified)
    query.bind(stat.birth)
    query.bind(Int64(bitPattern: stat.size))
    query.bind(stat.changed)
    query.bind(id)
    query.bind(Int64(bitPattern: stat.inode))
    query.bind(Access(stat).stored)
    query.bind(Int64(stat.carriedMode(isExecutable: stat.isExecutable)))
    try query.run()
    cache.forget(id, of: mount)
  }

  /// Sets the agreed state of an existing node.
  func setSynced(_ node: Node, of id: RecordID) throws {
    var query = try query(
      """
      UPDATE node SET synced_parent = ?2, synced_name = ?3, synced_kind = ?4, synced_content = ?5,
        synced_target = ?6, synced_executable = ?7, synced_modified = ?8, synced_mode = ?9,
        synced_extended = ?10
      WHERE mount = ?1 AND id = ?11
      """)
    NodeRow.bind(node, to: &query)
    query.bind(id)
    try query.run()
    cache.forget(id, of: mount)
  }

  /// Stores the node; one that neither side has any more is dropped.
  func put(_ row: NodeRow) throws {
    if row.local == nil, row.synced == nil { return try remove(row.id) }
    var query = try query("INSERT OR REPLACE INTO node VALUES (\(NodeRow.places))")
    row.bind(to: &query)
    try query.run()
    cache.keep(row.stored, row.id, of: mount)
    if let name = row.local?.node.place.name, nameBeforeConflict(name) != nil {
      cache.noteConflictCopy(in: mount)
    }
  }

  func remove(_ id: RecordID) throws {
    try run("DELETE FROM node WHERE mount = ? AND id = ?", id)
    cache.keep(nil, id, of: mount)
  }

  /// Notes that a node isn't on the disk any more, nor anything that was in it: what the zone has
  /// of them is to be planned. They are known by their inodes if they turn up elsewhere.
  /// - Returns: what was known of them.
  @discardableResult
  func vanish(_ id: RecordID) throws -> [NodeRow.Local] {
    var gone: [NodeRow.Local] = []
    var stack = [id]
    while let id = stack.popLast() {
      stack += try childIDs(of: id)
      guard var row = try node(id), let local = row.local else { continue }
      try rememberAccess(of: row)
      gone.append(local)
      row.gone = NodeRow.Gone(inode: local.inode, birth: local.birth)
      row.local = nil
      // Marked first: a node without any trace left would otherwise be forgotten silently.
      try markDirty(id)
      try put(row)
    }
    return gone
  }

  /// Notes that a node isn't on the disk any more, nor anything that was in it, and that nobody
  /// took them away: what the zone has of them comes again.
  func lose(_ id: RecordID) throws {
    var stack = [id]
    while let id = stack.popLast() {
      stack += try childIDs(of: id)
      guard var row = try node(id) else { continue }
      try rememberAccess(of: row)
      (row.local, row.synced) = (nil, nil)
      try markDirty(id, .remote)
      try put(row)
    }
  }

  /// Gives the nodes in one directory another parent: their directory got another
  /// identity. Nodes that aren't on the disk keep what was agreed on, or what was deleted here
  /// would come back.
  func reparent(from old: RecordID, to new: RecordID) throws {
    var synced = try query(
      """
      UPDATE node INDEXED BY node_place SET synced_parent = ?3
      WHERE mount = ?1 AND parent = ?2 AND synced_parent = ?2
      """)
    synced.bind(old)
    synced.bind(new)
    try synced.run()
    var local = try query(
      "UPDATE node INDEXED BY node_place SET parent = ?3 WHERE mount = ?1 AND parent = ?2")
    local.bind(old)
    local.bind(new)
    try local.run()
    cache.forgetAll()
  }

  /// The names that lead from the root to the node; nil if it isn't on the disk.
  func path(of id: RecordID) throws -> [FileNameBytes]? {
    let way = try Ascent(from: id) { try node($0)?.local?.node.place }
    let names = way.names.map(\.bytes)
    if way.isWhole { return names }
    guard way.directories.last == .parked else { return nil }
    let parked = way.directories.dropLast().last ?? id
    return Staging.parkedPath + [Staging.parkedName(parked)] + names.dropFirst()
  }

  /// The nodes whose names say that they are conflict copies.
  func idsOfConflictCopies() throws -> [RecordID] {
    var query = try query("SELECT id FROM node WHERE mount = ? AND instr(name, ?) > 0")
    query.bind(Array(" (conflict, ".utf8))
    return try ids(query)
  }

  // MARK: Dirty records

  /// Removes the mark of a dirty record, and returns the sides on which it was dirty.
  @discardableResult
  func takeDirty(_ id: RecordID) throws -> DirtySides {
    var query = try query("DELETE FROM dirty WHERE mount = ? AND id = ? RETURNING side")
    query.bind(id)
    var sides: DirtySides = []
    while try query.next() { sides = DirtySides(rawValue: Int(query.integer(0))) }
    return sides
  }

  /// The dirty records that were marked first, without deletions that wait for a word: directories
  /// come before what is in them. Of one side only, if that is given.
  func dirty(limit: Int, side: DirtySides = [.local, .remote]) throws -> [RecordID] {
    var query = try query(
      """
      SELECT id FROM dirty INDEXED BY dirty_ready WHERE mount = ? AND side < 8 AND side & ?
      ORDER BY number LIMIT ?
      """)
    query.bind(Int64(side.rawValue))
    query.bind(Int64(limit))
    return try ids(query)
  }

  func isDirty(_ id: RecordID) throws -> Bool {
    var query = try query("SELECT 1 FROM dirty WHERE mount = ? AND id = ?")
    query.bind(id)
    return try query.next()
  }

  var dirtyCount: Int {
    get throws {
      var query = try query("SELECT count(*) FROM dirty WHERE mount = ?")
      return try query.next() ? Int(query.integer(0)) : 0
    }
  }

  // MARK: Many nodes

  /// Nodes page by page, in the order of their ids.
  func nodes(after id: RecordID?, limit: Int) throws -> [NodeRow] {
    var query = try query("SELECT * FROM node WHERE mount = ? AND id > ? ORDER BY id LIMIT ?")
    query.bind(id?.bytes ?? [])
    query.bind(Int64(limit))
    return try rows(query)
  }

  /// The latest change of a file's inode, in nanoseconds since 1970; nil if there are no files.
  var newestChange: Int64? {
    get throws {
      var newest = try query("SELECT max(changed) FROM node WHERE mount = ? AND kind = 1")
      return try newest.next() ? newest.number(0) : nil
    }
  }

  /// Has the files read again that were changed shortly before the machine stopped: their bytes may
  /// not have been on the disk, though their sizes and times are those of the last look.
  /// - Parameter doubted: from which change on at least, in nanoseconds since 1970.
  /// - Throws: what SQLite says about the index.
  /// - Returns: the change of an inode, alike, from which on it was; nil if there are no files.
  func forgetRecentContents(doubted: Int64?) throws -> Int64? {
    guard let last = try newestChange else { return nil }
    let start = min(last - CalendarWatch.unwritten, doubted ?? .max)
    let recent = "mount = ?1 AND kind = 1 AND changed >= \(start)"
    for id in try ids(query("SELECT id FROM node WHERE \(recent)")) { try markDirty(id) }
    try query("UPDATE node SET content = NULL WHERE \(recent)").run()
    cache.forgetAll()
    return start
  }

  /// Returns the files that a scan found different from the agreed state, and that were not read
  /// yet; with or without those that have no agreed state.
  func unreadFiles(withNew: Bool) throws -> [NodeRow] {
    let agreed = withNew ? "" : " AND n.synced_content IS NOT NULL"
    return try rows(
      query(
        """
        SELECT n.* FROM dirty d JOIN node n ON n.mount = d.mount AND n.id = d.id
        WHERE d.mount = ? AND n.kind = 1 AND n.content IS NULL\(agreed)
        """))
  }

  // MARK: Statements

  /// A query whose first parameter is the mount.
  func query(_ sql: String) throws -> Query {
    var query = try Query(db, sql)
    query.bind(mount)
    return query
  }

  /// The rows of `SELECT *`.
  func rows(_ query: consuming Query) throws -> [NodeRow] {
    var rows: [NodeRow] = []
    while try query.next() { rows.append(try NodeRow(query)) }
    return rows
  }

  /// The ids in the first column.
  func ids(_ query: consuming Query) throws -> [RecordID] {
    var ids: [RecordID] = []
    while try query.next() {
      if let id = query.id(0) { ids.append(id) }
    }
    return ids
  }

  /// Runs a statement about one record, which is its last parameter.
  func run(_ sql: String, _ id: RecordID) throws {
    var query = try query(sql)
    query.bind(id)
    try query.run()
  }
}
