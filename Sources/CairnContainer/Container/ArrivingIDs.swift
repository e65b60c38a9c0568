import CairnReplica
import CairnZone

/// The ids of records that come into a zone from another one. They keep their ids, unless the zone
/// has other records with these ids: somebody restored or edited them there after they had moved
/// away.
struct ArrivingIDs {
  /// The other ids, by the records that need one.
  private(set) var ids: [RecordID: RecordID] = [:]

  /// Creates a value in which all records keep their ids.
  init() {}

  /// Looks up which records need another id.
  /// - Parameters:
  ///   - records: The ids of the records.
  ///   - view: The zone that they come into.
  ///   - directory: The directory that they are copied to. Records below it came by an earlier,
  ///     interrupted call; nil if there are none.
  /// - Throws: `IndexFailure` if the index can't be read.
  init(
    of records: some Sequence<RecordID>, in view: ZoneView, below directory: RecordID? = nil
  ) throws {
    for record in records {
      var id = record
      while let known = try view.record(id), try !Self.isCopy(known, below: directory, view) {
        id = id.again
      }
      if id != record { ids[record] = id }
    }
  }

  private static func isCopy(
    _ record: Record, below directory: RecordID?, _ view: ZoneView
  ) throws -> Bool {
    guard let directory else { return false }
    guard let place = record.place else { return true }
    let way = try Ascent(from: place.parent) { id in
      id == directory ? nil : try view.record(id)?.place
    }
    return (way.directories.last ?? place.parent) == directory
  }

  /// Returns the id of a record in the zone.
  subscript(_ id: RecordID) -> RecordID { ids[id] ?? id }

  /// Returns a record in its form in the zone.
  func renamed(_ record: Record) -> Record {
    var record = record
    record.id = self[record.id]
    record.place = record.place.map { Place(parent: self[$0.parent], name: $0.name) }
    return record
  }
}

extension RecordID {
  /// The id of the same record where this id is taken. It is derived, so that a repeated call
  /// creates nothing twice.
  var again: RecordID { AccountZone.recordID("again", bytes) }
}
