public import CairnZone

/// The versions of records: the zone at a position of its log, and the events since.
extension ZoneView {
  /// The version of a record after the entry at a position of the log; nil if it did not exist
  /// then.
  public func version(of id: RecordID, at place: UInt64) throws -> RecordVersion? {
    try state.history.version(of: id, at: place)
  }

  /// The versions of a record, the latest first.
  /// - Parameters:
  ///   - id: The record, which may be deleted.
  ///   - began: Only versions that began before that position of the log.
  ///   - limit: The maximum number.
  /// - Returns: the versions.
  /// - Throws: `IndexFailure` if the index cannot be read.
  public func versions(
    of id: RecordID, before began: UInt64 = .max, limit: Int
  ) throws -> [RecordVersion] {
    var found: [RecordVersion] = []
    if let record = try state.record(id), record.changed.sequence < began {
      found.append(RecordVersion(record: record))
    }
    return try found + state.versions.former(of: id, before: began, limit: limit - found.count)
  }

  /// Returns whether the record had that content in a version that began before that position of
  /// the log.
  public func hadContent(
    _ content: ContentID, record id: RecordID, before place: UInt64
  ) throws -> Bool {
    try state.history.hadContent(content, record: id, before: place)
  }

  /// The versions of a record since a position of the log, beginning with the one at that position.
  public func versions(of id: RecordID, since place: UInt64) throws -> [RecordVersion] {
    try state.versions.former(of: id, endedAfter: place)
      + (state.record(id).map { [RecordVersion(record: $0)] } ?? [])
  }

  /// The record with a name in a directory, at a position of the log.
  public func child(
    of parent: RecordID, named name: FileName, at place: UInt64
  ) throws -> RecordID? {
    try state.history.child(of: parent, named: name, at: place)
  }

  /// A page of a directory's contents at a position of the log, in the order of the names' bytes.
  /// - Parameters:
  ///   - parent: The directory.
  ///   - place: The position of the log.
  ///   - name: The name before the first one; empty: from the beginning.
  ///   - limit: The maximum number.
  /// - Returns: names and ids.
  /// - Throws: `IndexFailure` if the index cannot be read.
  public func children(
    of parent: RecordID, at place: UInt64, after name: [UInt8], limit: Int
  ) throws -> [(name: [UInt8], id: RecordID)] {
    try state.history.children(of: parent, at: place, afterName: name, limit: limit)
  }

  /// The last version at a place of the tree that was moved away or deleted there, up to an entry
  /// of the log.
  public func lastVersion(
    thatLeft place: Place, by through: UInt64 = .max
  ) throws -> RecordVersion? {
    try state.versions.last(thatLeft: place, by: through)
  }

  /// The position of the log at a time, in nanoseconds since 1970, by the authors' clocks; 0:
  /// before the first entry.
  public func place(at time: Int64) throws -> UInt64 { try state.log.place(at: time) }

  /// The author and time of the entry at a position of the log; nil if unknown.
  public func stamp(at place: UInt64) throws -> Stamp? { try state.log.stamp(at: place) }

  /// The events of records, the newest first.
  /// - Parameters:
  ///   - place: The position that was reached; earlier events follow.
  ///   - deletionsOnly: Only deletions.
  ///   - limit: The maximum number.
  /// - Returns: the record, the entry, and whether it was deleted there.
  /// - Throws: `IndexFailure` if the index cannot be read.
  public func events(
    before place: EventPlace, deletionsOnly: Bool, limit: Int
  ) throws -> [(record: RecordID, sequence: UInt64, isGone: Bool)] {
    try state.history.events(before: place, deletionsOnly: deletionsOnly, limit: limit)
  }

  /// The effect of a log entry on a record; nil if there is none.
  public func event(of id: RecordID, at sequence: UInt64) throws -> RecordEvent? {
    try state.history.event(of: id, at: sequence)
  }

  /// The position of the first entry of the restore or rewind that a log entry belongs to; nil if
  /// there is none, or this device did not read it.
  public func act(at sequence: UInt64) throws -> UInt64? { try state.log.act(at: sequence) }

  /// The versions of files that ended after a position of the log, in the order of their ends.
  /// - Parameters:
  ///   - place: The position that was reached; without a record, all of that entry.
  ///   - limit: The maximum number.
  /// - Returns: the versions.
  /// - Throws: `IndexFailure` if the index cannot be read.
  public func endedFiles(after place: EventPlace, limit: Int) throws -> [RecordVersion] {
    try state.versions.endedFiles(after: place, limit: limit)
  }

  /// The entries after a position of the log that replaced records by another zone, or brought such
  /// a zone back. The deleted records are elsewhere, and the created ones are not new.
  public func nestings(after place: UInt64) throws -> Set<UInt64> {
    try state.history.nestings(after: place)
  }

  /// The history cutoff for this person; nil if they see everything.
  public var closing: ClosedPast? { header.closing(before: header.firstEpoch(of: user)) }

  /// The number of readable past versions, and of deleted files among them.
  /// - Parameter place: Only versions that ended after that position of the log.
  /// - Returns: both numbers.
  /// - Throws: `IndexFailure` if the index cannot be read.
  public func pastSummary(endedAfter place: UInt64 = 0) throws -> (versions: Int, deleted: Int) {
    try state.history.summary(endedAfter: place)
  }

  /// The author and time of the first entry with known ones after a position of the log; nil if
  /// there is none.
  public func firstStamp(after place: UInt64) throws -> Stamp? {
    try state.log.firstStamp(after: place)
  }
}
