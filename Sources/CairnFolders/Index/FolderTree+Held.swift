import CairnIndex
import CairnPlan
import CairnZone

/// The records that were deleted in a folder, and not in the zone yet.
extension FolderTree {
  /// A record that isn't on the disk any more, in the state on which both sides last agreed.
  struct Deletion: Hashable, Sendable {
    var id: RecordID
    var isDirectory: Bool
  }

  /// Returns the deletions that nobody confirmed. It leaves out those whose place has another entry
  /// now (unless `includingReplaced`), and those that are in the folder of another mount, because
  /// they were moved there. `CROSS` keeps the order of the tables: SQLite's own order reads every
  /// node of every mount for each deletion.
  func deletions(includingReplaced: Bool = false, limit: Int = .max) throws -> [Deletion] {
    let isFree = """
      AND NOT EXISTS (
        SELECT 1 FROM node r INDEXED BY node_place
        WHERE r.mount = ?1 AND r.parent = n.synced_parent AND r.name = n.synced_name
          AND r.kind IS NOT NULL)
      """
    var query = try Query(
      db,
      """
      SELECT n.id, n.synced_kind
      FROM dirty d CROSS JOIN node n ON n.mount = d.mount AND n.id = d.id
      WHERE d.mount = ?1 AND d.side & 4 = 0 AND n.kind IS NULL AND n.synced_kind IS NOT NULL
        \(includingReplaced ? "" : isFree)
        AND NOT EXISTS (
          SELECT 1 FROM mount m CROSS JOIN node o INDEXED BY node_inode
            ON o.mount = m.number AND o.inode = n.inode
          WHERE m.number <> ?1 AND o.kind IS NOT NULL AND o.birth = n.birth AND n.birth <> 0
            AND n.inode <> 0
            AND m.device = (SELECT device FROM mount WHERE number = ?1))
      LIMIT ?2
      """)
    query.bind(mount)
    query.bind(Int64(limit))
    var found: [Deletion] = []
    while try query.next() {
      guard let id = query.id(0) else { continue }
      found.append(Deletion(id: id, isDirectory: query.integer(1) == 2))
    }
    return found
  }

  /// Returns the number of files and symbolic links on which both sides agreed; not counted further
  /// than `limit`.
  func agreedFiles(limit: Int = .max) throws -> Int {
    var query = try query(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM node WHERE mount = ? AND synced_kind IN (1, 3) LIMIT ?)
      """)
    query.bind(Int64(limit))
    return try query.next() ? Int(query.integer(0)) : 0
  }

  /// Returns the number of files and symbolic links in the folder; not counted further than
  /// `limit`.
  func localFiles(limit: Int = .max) throws -> Int {
    var query = try query(
      """
      SELECT count(*) FROM (SELECT 1 FROM node WHERE mount = ? AND kind IN (1, 3) LIMIT ?)
      """)
    query.bind(Int64(limit))
    return try query.next() ? Int(query.integer(0)) : 0
  }

  /// Returns the directories with these names, also those that are gone from the disk and not from
  /// the zone. It reads every directory, and no file that wasn't changed.
  func directories(named names: [FileName]) throws -> [NodeRow] {
    let places = names.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
    var query = try query(
      """
      SELECT * FROM node INDEXED BY node_directory
      WHERE mount = ?1 AND kind = 2 AND name IN (\(places))
      UNION ALL
      SELECT n.* FROM dirty d CROSS JOIN node n ON n.mount = d.mount AND n.id = d.id
      WHERE d.mount = ?1 AND n.kind IS NULL AND n.synced_kind = 2 AND n.synced_name IN (\(places))
      """)
    for name in names { query.bind(name.bytes) }
    return try rows(query)
  }

  /// Returns whether the person confirmed the record's deletion.
  func isConfirmed(_ id: RecordID) throws -> Bool {
    var query = try query("SELECT 1 FROM dirty WHERE mount = ? AND id = ? AND side & 4 <> 0")
    query.bind(id)
    return try query.next()
  }

  /// Lets the record's deletion wait, separate from all other changes.
  func letWait(_ id: RecordID) throws {
    try run("UPDATE dirty SET side = side | 8 WHERE mount = ? AND id = ?", id)
  }

  /// Confirms the record's deletion.
  func confirm(_ id: RecordID) throws {
    try run("UPDATE dirty SET side = (side | 4) & ~8 WHERE mount = ? AND id = ?", id)
  }

  /// Ends the waiting of all deletions.
  func stopWaiting() throws {
    try query("UPDATE dirty SET side = side & ~8 WHERE mount = ?").run()
  }

  /// The number of dirty records that wait for a confirmation.
  var waitingCount: Int {
    get throws {
      var query = try query("SELECT count(*) FROM dirty WHERE mount = ? AND side >= 8")
      return try query.next() ? Int(query.integer(0)) : 0
    }
  }

  /// Returns the path on which both sides last agreed.
  func syncedPath(of id: RecordID) throws -> [FileNameBytes] {
    try Ascent(from: id) { id in
      try node(id).flatMap { ($0.local?.node ?? $0.synced)?.place }
    }.names.map(\.bytes)
  }
}
