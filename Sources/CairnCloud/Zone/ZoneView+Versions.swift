public import CairnZone

/// What records were: the zone as it was at a place of its log, and what happened since.
extension ZoneView {
  /// The version of a record that stood after the entry at a place of the log; nil if it wasn't
  /// there then.
  public func version(of id: RecordID, at place: UInt64) throws -> RecordVersion? {
    try state.version(of: id, at: place)
  }

  /// The versions of a record, the latest first.
  /// - Parameters:
  ///   - id: The record, which may be deleted.
  ///   - began: Only those that began before that place of the log.
  ///   - limit: How many at most.
  /// - Returns: them.
  /// - Throws: `IndexFailure` if the index can't be read.
  public func versions(
    of id: RecordID, before began: UInt64 = .max, limit: Int
  ) throws -> [RecordVersion] {
    var found: [RecordVersion] = []
    if let record = try state.record(id), record.changed.sequence < began {
      found.append(RecordVersion(record: record))
    }
    return try found + state.formerVersions(of: id, before: began, limit: limit - found.count)
  }

  /// Whether the record had that content in a version that began before that place of the log.
  public func hadContent(
    _ content: ContentID, record id: RecordID, before place: UInt64
  ) throws -> Bool {
    try state.hadContent(content, record: id, before: place)
  }

  /// The versions of a record that stood after a place of the log, the one that stood at it first.
  public func versions(of id: RecordID, since place: UInt64) throws -> [RecordVersion] {
    try state.formerVersions(of: id, endedAfter: place)
      + (state.record(id).map { [RecordVersion(record: $0)] } ?? [])
  }

  /// What stood under a name in a directory, at a place of the log.
  public func child(
    of parent: RecordID, named name: FileName, at place: UInt64
  ) throws -> RecordID? {
    try state.child(of: parent, named: name, at: place)
  }

  /// Some of what was in a directory at a place of the log, in the order of the names' bytes.
  /// - Parameters:
  ///   - parent: The directory.
  ///   - place: The place of the log.
  ///   - name: The name after which to begin; empty: with the first.
  ///   - limit: How many at most.
  /// - Returns: names and ids.
  /// - Throws: `IndexFailure` if the index can't be read.
  public func children(
    of parent: RecordID, at place: UInt64, after name: [UInt8], limit: Int
  ) throws -> [(name: [UInt8], id: RecordID)] {
    try state.children(of: parent, at: place, afterName: name, limit: limit)
  }

  /// The last version that stood at a place of the tree and was moved away from it, or deleted
  /// there.
  public func lastVersion(thatLeft place: Place) throws -> RecordVersion? {
    try state.lastVersion(thatLeft: place)
  }

  /// The place of the log at which it was at a time, in nanoseconds since 1970, by what authors
  /// said of the time; 0: before the first entry.
  public func place(at time: Int64) throws -> UInt64 { try state.place(at: time) }

  /// Who signed the entry at a place of the log, and when by their clock; nil if that isn't known.
  public func stamp(at place: UInt64) throws -> Stamp? { try state.stamp(at: place) }

  /// What happened to records, the newest first.
  /// - Parameters:
  ///   - place: What was had already; what comes before it is told.
  ///   - deletionsOnly: Only what was deleted.
  ///   - limit: How many at most.
  /// - Returns: which record, at which entry, and whether it was deleted there.
  /// - Throws: `IndexFailure` if the index can't be read.
  public func events(
    before place: EventPlace, deletionsOnly: Bool, limit: Int
  ) throws -> [(record: RecordID, sequence: UInt64, isGone: Bool)] {
    try state.events(before: place, deletionsOnly: deletionsOnly, limit: limit)
  }

  /// What an entry of the log did to a record; nil if nothing.
  public func event(of id: RecordID, at sequence: UInt64) throws -> RecordEvent? {
    try state.event(of: id, at: sequence)
  }

  /// The restore or rewind that an entry of the log was a part of, by the place of its first entry;
  /// nil if it was part of none, or this device didn't read it.
  public func act(at sequence: UInt64) throws -> UInt64? { try state.act(at: sequence) }

  /// The versions of files that ended after a place of the log, in the order in which they did.
  /// - Parameters:
  ///   - place: What was had already; without a record, all of that entry.
  ///   - limit: How many at most.
  /// - Returns: them.
  /// - Throws: `IndexFailure` if the index can't be read.
  public func endedFiles(after place: EventPlace, limit: Int) throws -> [RecordVersion] {
    try state.endedFiles(after: place, limit: limit)
  }

  /// The entries after a place of the log that put another zone into the place of records, or took
  /// such a zone back: what they deleted and made is elsewhere, and isn't gone or new.
  public func nestings(after place: UInt64) throws -> Set<UInt64> {
    try state.nestings(after: place)
  }

  /// The entry with which the past was closed that this person doesn't see; nil for who sees all.
  public var closing: ClosedPast? { header.closing(before: header.firstEpoch(of: user)) }

  /// How many versions that are over can be had yet, and of how many files that are deleted.
  /// - Parameter place: Only those that ended after that place of the log.
  /// - Returns: both numbers.
  /// - Throws: `IndexFailure` if the index can't be read.
  public func pastSummary(endedAfter place: UInt64 = 0) throws -> (versions: Int, deleted: Int) {
    try state.pastSummary(endedAfter: place)
  }

  /// Who signed the first entry behind a place of the log of which that is known, and when by their
  /// clock; nil if it isn't of any.
  public func firstStamp(after place: UInt64) throws -> Stamp? {
    try state.firstStamp(after: place)
  }
}
