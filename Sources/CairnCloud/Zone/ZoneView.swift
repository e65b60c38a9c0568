public import CairnZone

/// A consistent view onto a zone's records, valid inside `Zone.read` only.
public struct ZoneView {
  let state: IndexedZone
  /// This device: whose own changes need no explanation.
  public let device: DeviceID
  let user: UserID
  let isReadOnly: Bool

  /// How far the log is folded, and the share.
  public var header: ZoneHeader { state.header }

  /// Whether this person may create, change and delete records.
  public var mayWrite: Bool { !isReadOnly && state.header.mayWrite(user) }

  /// The record, unless it is unknown or deleted.
  public func record(_ id: RecordID) throws -> Record? { try state.record(id) }

  /// The record with that name in that directory.
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

  /// Some of the records in a directory, in the order of their names' bytes.
  /// - Parameters:
  ///   - parent: The directory.
  ///   - name: The name after which to begin; empty: with the first.
  ///   - limit: How many at most.
  /// - Returns: names and ids.
  /// - Throws: `IndexFailure` if the index can't be read.
  public func children(
    of parent: RecordID, after name: [UInt8], limit: Int
  ) throws -> [(name: [UInt8], id: RecordID)] {
    try state.children(of: parent, afterName: name, limit: limit)
  }

  /// The digest of the entry at a place of the log, as it was folded; nil for a place that wasn't.
  /// With the place it is what a reader remembers of how far they have come.
  public func head(at sequence: UInt64) throws -> Bytes32? {
    sequence > state.header.sequence ? nil : try state.digest(at: sequence)
  }

  /// The place in the log of the commit that deleted the record; nil if none did.
  public func deletion(of id: RecordID) throws -> UInt64? { try state.deletion(of: id) }

  /// Whether the record had that content at some time.
  public func hadContent(_ content: ContentID, record: RecordID) throws -> Bool {
    try state.hadContent(content, record: record)
  }

  /// Whether the record had that content, and had it later than the other one: going back to what a
  /// file was before isn't that.
  public func hadContent(
    _ content: ContentID, after other: ContentID, record: RecordID
  ) throws -> Bool {
    guard let place = try state.lastPlace(of: content, record: record),
      let before = try state.lastPlace(of: other, record: record)
    else { return false }
    return place > before
  }

  /// The places in the log of the commits that gave the record other content since it last had that
  /// one, the latest first; none if it never had it.
  public func contentChanges(of id: RecordID, after content: ContentID) throws -> [UInt64] {
    try state.contentChanges(of: id, after: content)
  }

  /// The device that made the commit at that place of the log; nil if the log doesn't go there.
  public func device(ofCommit sequence: UInt64) throws -> DeviceID? {
    try state.author(at: sequence)?.device
  }

  /// The place in the log of the commit that brought the content which the record has: those that
  /// came after it changed its place or attributes alone. Nil if there is no such record, or it has
  /// no content.
  public func contentBegan(of id: RecordID) throws -> UInt64? {
    try record(id).flatMap { try state.contentBegan(of: $0, id) }
  }

  /// Whether any record had that content at some time.
  public func hasContent(_ content: ContentID) throws -> Bool {
    try state.hasContent(content)
  }

  /// Whether the bytes of a content can be had: the zone has its chunks, or its past does.
  public func hasChunks(of content: Content) throws -> Bool {
    try content.chunks.allSatisfy { try state.isReadable($0) }
  }

  /// The chunks of a content that the zone has from somebody else: what that person brought under
  /// their names nobody has looked at.
  public func borrowed(by content: Content) throws -> [ChunkName: UserID] {
    var found: [ChunkName: UserID] = [:]
    for name in content.chunks where found[name] == nil {
      guard let user = try state.bringer(of: name), user != self.user else { continue }
      found[name] = user
    }
    return found
  }

  /// Records that had that content with that time of modification, in nanoseconds since 1970, at
  /// some time; at most twenty, those that the zone has by now deleted among them.
  public func records(thatHad content: ContentID, modified: Int64) throws -> [RecordID] {
    try state.records(thatHad: content, modified: modified, limit: 20)
  }

  /// The records that stood at a place and were moved away from it, the last one first, at most
  /// twenty; those that the zone has by now deleted among them.
  public func records(thatLeft place: Place) throws -> [RecordID] {
    try state.records(thatLeft: place, limit: 20)
  }

  /// Whether another record than that one stood at a place once, and was moved away from it, or
  /// deleted there.
  public func stood(at place: Place, otherThan id: RecordID) throws -> Bool {
    try state.stood(at: place, otherThan: id)
  }

  /// The ids of records that changed or went after that place in the log, about `limit` of them,
  /// and the place up to which the list is complete.
  public func changes(
    after sequence: UInt64, limit: Int
  ) throws -> (ids: [RecordID], through: UInt64) {
    try state.changes(after: sequence, limit: limit)
  }
}

extension ZoneView {
  /// All typed records of one type, in the order of their ids.
  public func typedRecords(_ type: String) throws -> [Record] { try state.typedRecords(type) }

  /// The sum of the sizes of the files that somebody made, whoever changed them since, in bytes.
  public func bytes(madeBy user: UserID) throws -> UInt64 { try state.bytes(madeBy: user) }

  /// The content of a file and how many bytes it has; nil if it is none, or isn't there.
  public func content(of id: RecordID) throws -> (id: ContentID, size: UInt64)? {
    try state.content(of: id)
  }

  /// How much the zone holds.
  public func summary() throws -> ZoneSummary { try state.summary() }

  /// How many bytes of what the zone has stored are only in versions that were replaced or deleted;
  /// equal pieces count once.
  public func pastBytes() throws -> UInt64 { try state.pastBytes() }
}

/// How much a zone holds.
public struct ZoneSummary: Hashable, Sendable {
  /// Files and symlinks.
  public var files: Int
  /// Directories, without the root.
  public var directories: Int
  /// The sum of the files' sizes.
  public var bytes: Int64
}

extension ZoneView {
  /// What this person may do here.
  public var rights: Set<Right> { state.header.rights(of: user) }

  /// Whether the share's last change was this person's own, as when another device of theirs left.
  public var isShareLastChangedHere: Bool { state.header.share?.changed.user == user }
}
