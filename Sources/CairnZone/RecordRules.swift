/// The rules for record changes: the effect of each change on its record. They compute the state
/// after the commit; `RecordRules+Tree.swift` checks that it is a tree.
///
/// Changes are checked in the commit's order, so that every reader gives the same reason.
struct RecordRules<State: ZoneState> {
  /// The zone before the commit.
  let state: State
  /// The stamp for the changed records.
  let stamp: Stamp
  /// The new chunks of the commit.
  let newChunks: Set<ChunkName>
  /// The attributes that the zone carries beside the executable bit and the time.
  let carried: CarriedAttributes

  /// The total size of added contents.
  private(set) var added: UInt64 = 0
  /// The total size of removed or replaced contents.
  private(set) var removed: UInt64 = 0
  /// The new or changed records.
  private(set) var saved: [RecordID: Record] = [:]
  /// The deleted records, with their last state.
  private(set) var deleted: [RecordID: Record] = [:]
  /// The new or moved records.
  private(set) var placed: [RecordID] = []
  /// The former places of moved records.
  private(set) var left: [RecordID: Place] = [:]
  /// The deleted directories.
  private(set) var deletedDirectories: [RecordID] = []
  /// The chunks that were looked up and exist in the zone.
  private var knownChunks: Set<ChunkName> = []

  init(
    state: State, stamp: Stamp, newChunks: Set<ChunkName>, carried: CarriedAttributes = []
  ) {
    self.state = state
    self.stamp = stamp
    self.newChunks = newChunks
    self.carried = carried
  }

  /// Creates the root of a new zone.
  mutating func makeRoot() {
    saved[.root] = Record(
      id: .root, type: .directory, place: nil,
      attributes: Attributes(isExecutable: false, modified: 0), created: stamp, changed: stamp)
  }

  /// Applies all changes, then checks the resulting tree.
  mutating func apply(_ changes: [RecordChange]) throws {
    saved.reserveCapacity(saved.count + changes.count)
    for change in changes {
      guard change.id != .root else {
        throw Refused(
          .invalidArguments, .root, "A zone's root can't be made, changed, moved or deleted.")
      }
      guard saved[change.id] == nil, deleted[change.id] == nil else {
        throw Refused(.invalidArguments, change.id, "The commit changes one record twice.")
      }
      switch change.act {
      case .create(let type): try create(change, as: type)
      case .update: try update(change)
      case .delete: try delete(change)
      }
    }
    try checkTree()
  }

  private mutating func create(_ change: RecordChange, as type: RecordType) throws {
    guard try state.record(change.id) == nil else {
      throw Refused(.constraintViolation, change.id, "The new record's id is in use.")
    }
    try checkAspects(of: change, for: type)
    switch type {
    case .file:
      try require(change.content != nil, change, "A new file needs content.")
      try require(change.place != nil, change, "A new file needs a directory and a name.")
    case .directory:
      try require(change.place != nil, change, "A new directory needs a directory and a name.")
    case .symlink:
      try require(change.target != nil, change, "A new symlink needs a target.")
      try require(change.place != nil, change, "A new symlink needs a directory and a name.")
    case .reference:
      try require(change.target != nil, change, "A new reference needs a target.")
      try require(change.place != nil, change, "A new reference needs a directory and a name.")
    case .typed(let name):
      try require(!name.isEmpty, change, "The type of a record needs a name.")
    }
    let record = Record(
      id: change.id, type: type, place: change.place, content: change.content,
      target: change.target,
      attributes: AttributeRules(type: type, carried: carried).attributes(
        after: change.attributes ?? Attributes(isExecutable: false, modified: 0), from: nil),
      fields: change.fields.compactMapValues { $0 }, created: stamp, changed: stamp)
    try count(record.contents, insteadOf: [])
    saved[change.id] = record
    if change.place != nil { placed.append(change.id) }
  }

  private mutating func update(_ change: RecordChange) throws {
    guard let before = try state.record(change.id) else {
      throw Refused(.unknownItem, change.id, "The record to change isn't there.")
    }
    var record = before
    try require(change.hasAspects, change, "The change changes nothing.")
    try checkAspects(of: change, for: record.type)
    if let place = change.place, place != record.place {
      left[change.id] = record.place
      record.place = place
      placed.append(change.id)
    }
    if let content = change.content { record.content = content }
    if let target = change.target { record.target = target }
    if let attributes = change.attributes {
      record.attributes = AttributeRules(type: record.type, carried: carried).attributes(
        after: attributes, from: record.attributes)
    }
    for (field, value) in change.fields { record.fields[field] = value }
    record.changed = stamp
    if change.content != nil || !change.fields.isEmpty {
      try count(record.contents, insteadOf: before.contents)
    }
    saved[change.id] = record
  }

  private mutating func delete(_ change: RecordChange) throws {
    guard let record = try state.record(change.id) else {
      throw Refused(.unknownItem, change.id, "The record to delete isn't there.")
    }
    try require(!change.hasAspects, change, "A deletion can't change anything else.")
    try count([], insteadOf: record.contents)
    deleted[change.id] = record
    if record.type == .directory { deletedDirectories.append(change.id) }
  }

  /// Checks the aspects of a record against its type.
  private mutating func checkAspects(
    of change: RecordChange, for type: RecordType
  ) throws {
    let isTyped = if case .typed = type { true } else { false }
    try require(!isTyped || change.place == nil, change, "A typed record has no place.")
    try require(!isTyped || change.attributes == nil, change, "A typed record has no attributes.")
    try require(isTyped || change.fields.isEmpty, change, "Only a typed record has fields.")
    try require(
      change.place?.name.isReserved != true, change,
      "The names “.cairn” and “.cairnignore.local” are those of Cairn's own files, and no record's."
    )
    if let target = change.target {
      try require(
        type == .symlink || type == .reference, change, "Only symlinks and references point.")
      try require(
        type != .reference || ZonePart(bytes: target) != nil, change,
        "A reference names a zone and a record.")
      try require(
        type != .symlink || (1...4095).contains(target.count) && !target.contains(0), change,
        "The target of a symlink has 1 to 4095 bytes and no NUL.")
    }
    if let attributes = change.attributes, let problem = attributes.problem(for: type) {
      throw Refused(.invalidArguments, change.id, problem)
    }
    if let content = change.content {
      try require(type == .file, change, "Only a file has content.")
      try check(content, change)
    }
    for case let value? in change.fields.values {
      if let problem = value.problem { throw Refused(.invalidArguments, change.id, problem) }
      for asset in value.assets { try check(asset, change) }
    }
  }

  private mutating func check(_ content: Content, _ change: RecordChange) throws {
    try require(
      content.chunks.isEmpty == (content.size == 0), change,
      "The size of the content doesn't fit its chunks.")
    // Such a content is impossible, and no reader may take its size for a number of bytes.
    try require(
      content.size <= UInt64(content.chunks.count) * ChunkEntry.maximumSize, change,
      "The content claims more bytes than its chunks can have.")
    try checkChunks(of: content, in: change.id)
  }

  private mutating func checkChunks(of content: Content, in id: RecordID) throws {
    for chunk in content.chunks
    where !newChunks.contains(chunk) && !knownChunks.contains(chunk) {
      guard try state.hasChunk(chunk) else {
        throw Refused(
          .referenceViolation, id, "The content refers to a chunk that the zone doesn't have.")
      }
      knownChunks.insert(chunk)
    }
  }

  /// Counts added and removed bytes.
  private mutating func count(_ new: [Content], insteadOf old: [Content]) throws(Refused) {
    for content in new {
      let (sum, overflows) = added.addingReportingOverflow(content.size)
      guard !overflows else { throw Refused(.limitExceeded, nil, "The files are too large.") }
      added = sum
    }
    // Removed bytes were counted when they were added, so this cannot overflow in an honest zone.
    for content in old { removed = removed.addingReportingOverflow(content.size).partialValue }
  }

  private func require(
    _ holds: Bool, _ change: RecordChange, _ reason: @autoclosure () -> String
  ) throws(Refused) {
    guard holds else { throw Refused(.invalidArguments, change.id, reason()) }
  }
}

extension RecordChange {
  /// A Boolean value that indicates whether the change has any aspect beside its act.
  var hasAspects: Bool {
    place != nil || content != nil || target != nil || attributes != nil || !fields.isEmpty
  }
}
