import CairnIndex
import CairnZone

/// Whether the records of a zone that came out of a snapshot are a tree, as each state is that
/// entries have made. Each of them was looked at by itself before; what all of them together must
/// be only the index can tell.
struct SnapshotTree {
  private let state: IndexedZone

  init(_ state: IndexedZone) { self.state = state }

  /// Whether there is a root, everything that has a place is reached from it through directories
  /// alone, no two have one name, and none is deleted and there.
  /// - Throws: what SQLite says.
  func isWhole() throws -> Bool {
    var query = try state.query(
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
