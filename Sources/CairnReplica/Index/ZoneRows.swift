import CairnIndex
import CairnZone

/// The rows of one zone in an index file, inside one transaction. The tables of a zone are types
/// over it.
public struct ZoneRows {
  let db: IndexConnection
  /// The number of the zone in the first column of each table; 0 for a zone without a row.
  let number: Int64

  /// A query with the zone as its first parameter.
  public func query(_ sql: String) throws -> Query {
    var query = try Query(db, sql)
    query.bind(number)
    return query
  }

  /// Returns whether a query about the zone has a row.
  public func has(_ query: consuming Query) throws -> Bool { try query.next() }

  /// The ids in the first column.
  func recordIDs(_ query: consuming Query) throws -> [RecordID] {
    var ids: [RecordID] = []
    while try query.next() {
      guard let id = query.id(0) else { throw IndexRow.damaged("record id") }
      ids.append(id)
    }
    return ids
  }
}
