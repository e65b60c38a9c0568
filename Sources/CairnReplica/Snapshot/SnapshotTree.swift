import CairnIndex
import CairnZone

/// The check whether a zone's records from a snapshot are a tree, like every state that entries
/// make. Each record was checked alone before; only the index can check all of them together.
struct SnapshotTree {
  private let state: IndexedZone

  init(_ state: IndexedZone) { self.state = state }

  /// Returns whether there is a root, everything with a place is reached from it through
  /// directories only, no two have one name, and none is both deleted and there.
  /// - Throws: errors of SQLite.
  func isWhole() throws -> Bool {
    var query = try state.rows.query(
      """
      WITH RECURSIVE reached (id) AS (
        SELECT id FROM record WHERE zone = ?1 AND id = ?2 AND parent IS NULL
        UNION
        SELECT r.id FROM reached
          JOIN record p ON p.zone = ?1 AND p.id = reached.id AND p.type = ?3
          JOIN record r ON r.zone = ?1 AND r.parent = reached.id
      )
      SELECT (SELECT count(*) FROM reached)
          = (SELECT count(*) FROM record WHERE zone = ?1 AND parent IS NOT NULL) + 1
        AND NOT EXISTS (
          SELECT 1 FROM record WHERE zone = ?1 AND parent IS NOT NULL
          GROUP BY parent, name HAVING count(*) > 1)
        AND NOT EXISTS (
          SELECT 1 FROM tombstone t JOIN record r ON r.zone = t.zone AND r.id = t.id
          WHERE t.zone = ?1)
      """)
    query.bind(RecordID.root)
    query.bind(IndexRow.text(.directory))
    return try query.next() && query.integer(0) == 1
  }
}
