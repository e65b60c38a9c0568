public import CairnZone

/// A consistent view of a zone's records, valid only inside `Zone.read`.
public struct ZoneView {
  /// The rows of the zone.
  public let state: IndexedZone
  /// This device, whose own changes need no explanation.
  public let device: DeviceID
  let user: UserID
  let isReadOnly: Bool

  /// The header at the replayed position, including the share.
  public var header: ZoneHeader { state.header }

  /// A Boolean value that indicates whether this person can create, change and delete records.
  public var mayWrite: Bool { !isReadOnly && state.header.mayWrite(user) }

  /// Returns the record; nil if it is unknown or deleted.
  public func record(_ id: RecordID) throws -> Record? { try state.record(id) }

  /// Returns the record with that name in that directory.
  public func child(of parent: RecordID, named name: FileName) throws -> RecordID? {
    try state.child(of: parent, named: name)
  }

  /// All records in that directory.
  public func children(of parent: RecordID) throws -> [RecordID] {
    var ids: [RecordID] = []
    while true {
      let page = try state.children(of: parent, after: ids.last, limit: 1_000)
      ids += page
      if page.count < 1_000 { return ids }
    }
  }

  /// A page of the records in a directory, in the order of their names' bytes.
  /// - Parameters:
  ///   - parent: The directory.
  ///   - name: The name before the first one; empty: from the beginning.
  ///   - limit: The maximum number.
  /// - Returns: names and ids.
  /// - Throws: `IndexFailure` if the index cannot be read.
  public func children(
    of parent: RecordID, after name: [UInt8], limit: Int
  ) throws -> [(name: [UInt8], id: RecordID)] {
    try state.records.children(of: parent, afterName: name, limit: limit)
  }

  /// The digest of the replayed entry at a position of the log; nil if there is none. Together with
  /// the position it is a reader's memory.
  public func head(at sequence: UInt64) throws -> Bytes32? {
    sequence > state.header.sequence ? nil : try state.log.digest(at: sequence)
  }

  /// The position in the log of the commit that deleted the record; nil if none did.
  public func deletion(of id: RecordID) throws -> UInt64? { try state.records.deletion(of: id) }

  /// The person who deleted the record, if that was somebody else; nil if nobody is known to have
  /// deleted it.
  public func otherDeleter(of id: RecordID) throws -> UserID? {
    let deleter = try deletion(of: id).flatMap { try stamp(at: $0) }?.user
    return deleter == user ? nil : deleter
  }

  /// The type of a deleted record; nil if it isn't deleted, or if its deletion is older than the
  /// start of the log here.
  public func deletedType(of id: RecordID) throws -> RecordType? {
    try state.records.deletedType(of: id)
  }

  /// Returns whether the record ever had that content.
  public func hadContent(_ content: ContentID, record: RecordID) throws -> Bool {
    try state.history.hadContent(content, record: record)
  }

  /// Returns whether the record had that content later than the other one, and so did not return to
  /// an earlier one.
  public func hadContent(
    _ content: ContentID, after other: ContentID, record: RecordID
  ) throws -> Bool {
    guard let place = try state.history.lastPlace(of: content, record: record),
      let before = try state.history.lastPlace(of: other, record: record)
    else { return false }
    return place > before
  }

  /// The positions of the commits that gave the record another content since it last had that one,
  /// the latest first; empty if it never had it.
  public func contentChanges(of id: RecordID, after content: ContentID) throws -> [UInt64] {
    try state.history.contentChanges(of: id, after: content)
  }

  /// The device of the commit at that position of the log; nil if the log does not reach it.
  public func device(ofCommit sequence: UInt64) throws -> DeviceID? {
    try state.log.author(at: sequence)?.device
  }

  /// The position of the commit with the record's present content: later ones changed only its
  /// place or attributes. Nil if there is no such record, or it has no content.
  public func contentBegan(of id: RecordID) throws -> UInt64? {
    try record(id).flatMap { try state.history.contentBegan(of: $0, id) }
  }

  /// Returns whether any record ever had that content.
  public func hasContent(_ content: ContentID) throws -> Bool {
    try state.history.hasContent(content)
  }

  /// Returns whether the bytes of a content are readable: the zone or its past has its chunks.
  public func hasChunks(of content: Content) throws -> Bool {
    try content.chunks.allSatisfy { try state.chunks.isReadable($0) }
  }

  /// The chunks of a content that another person added to the zone: nobody has checked their bytes
  /// yet.
  public func borrowed(by content: Content) throws -> [ChunkName: UserID] {
    var found: [ChunkName: UserID] = [:]
    for name in content.chunks where found[name] == nil {
      guard let user = try state.chunks.bringer(of: name), user != self.user else { continue }
      found[name] = user
    }
    return found
  }

  /// Records that ever had that content with that modification time, in nanoseconds since 1970; at
  /// most twenty, including deleted ones.
  public func records(thatHad content: ContentID, modified: Int64) throws -> [RecordID] {
    try state.history.records(thatHad: content, modified: modified, limit: 20)
  }

  /// The records that were moved away from a place, the last one first, at most twenty, including
  /// deleted ones.
  public func records(thatLeft place: Place) throws -> [RecordID] {
    try state.versions.records(thatLeft: place, limit: 20)
  }

  /// Returns whether another record was once at a place, and was moved away or deleted there.
  public func stood(at place: Place, otherThan id: RecordID) throws -> Bool {
    try state.versions.stood(at: place, otherThan: id)
  }

  /// The ids of records that changed or were deleted after that position in the log, about `limit`
  /// of them, and the position up to which the list is complete.
  public func changes(
    after sequence: UInt64, limit: Int
  ) throws -> (ids: [RecordID], through: UInt64) {
    try state.changes(after: sequence, limit: limit)
  }
}

extension ZoneView {
  /// All typed records of one type, in the order of their ids.
  public func typedRecords(_ type: String) throws -> [Record] { try state.records.typed(type) }

  /// The total size of a person's files in bytes, including those that others changed since.
  public func bytes(madeBy user: UserID) throws -> UInt64 { try state.records.bytes(madeBy: user) }

  /// The content of a file and its size; nil if it is no file, or missing.
  public func content(of id: RecordID) throws -> (id: ContentID, size: UInt64)? {
    try state.records.content(of: id)
  }

  /// The amount of data in the zone.
  public func summary() throws -> ZoneSummary { try state.records.summary() }

  /// The stored bytes of the zone that only past versions need; equal chunks count once.
  /// - Parameter retention: The rule for past versions; nil: none of them expires.
  /// - Returns: The bytes, by the reason why they are kept.
  /// - Throws: `IndexFailure` if the index cannot be read.
  public func pastBytes(_ retention: Retention? = nil) throws -> PastBytes {
    try PastSizes(state).bytes(retention)
  }
}

extension ZoneView {
  /// The rights of this person.
  public var rights: Set<Right> { state.header.rights(of: user) }

  /// A Boolean value that indicates whether this person made the share's last change, as when
  /// another device of theirs left.
  public var isShareLastChangedHere: Bool { state.header.share?.changed.user == user }
}
