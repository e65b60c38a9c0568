import CairnIdentity
import CairnReplica
import CairnZone

/// A directory or file that moves to another zone, with a reference in its place.
public struct Nestling: Sendable {
  /// Its record.
  public var record: RecordID
  /// The absolute path on this device.
  public var path: [UInt8]

  /// Creates a value.
  public init(_ record: RecordID, path: [UInt8]) {
    self.record = record
    self.path = path
  }
}

/// The zone for the records.
public enum NestingTarget: Sendable {
  /// A new zone with that title, shared at once; or not yet, because more is added to it.
  case new(title: String, isShared: Bool)
  /// An existing zone of this person.
  case zone(Zone)
}

/// The move of records from one zone to another one of the same owner. The other zone gets them
/// completely. Then one commit in the outer zone deletes them and puts references in their place:
/// that commit is the move. It owns nothing, and must not know the account.
struct NestingWork {
  let outer: Zone
  let nestings: [Nesting]
  /// The ids of the records in the other zone.
  var arriving = ArrivingIDs()

  /// The names of several parts in their zone; nil for parts of whole zones.
  private typealias Names = [RecordID: FileName]

  /// The current subtrees in the outer zone.
  static func subtrees(of records: [RecordID], in outer: Zone) throws -> [Subtree] {
    try outer.read { view in try records.map { try Subtree($0, in: view) } }
  }

  /// Refuses records that cannot be shared, or not together.
  static func check(_ subtrees: [Subtree]) throws {
    let tops = Set(subtrees.map(\.top.id))
    for subtree in subtrees {
      guard !subtree.holdsReferences else {
        throw CloudError(
          .alreadyShared, "a folder in it is shared already", remedy: "stop that share first")
      }
      guard subtree.top.type == .directory || subtree.top.type == .file else {
        throw CloudError(
          .invalidArguments, "only folders and files can be shared", remedy: "name one of those")
      }
      guard subtree.below.allSatisfy({ !tops.contains($0.id) }) else {
        throw CloudError(
          .invalidArguments, "one of them is inside of another one", remedy: "name the outer one")
      }
    }
  }

  // MARK: Into the other zone

  /// The first changes of a new zone: all its contents.
  func batches(of subtrees: [Subtree]) throws -> [Subtree.Batch] {
    let names = try Self.names(for: subtrees, isTaken: { _ in false })
    let changes = zip(nestings, subtrees).flatMap { nesting, subtree in
      records(of: nesting, subtree, names).map { RecordChange(creating: $0) }
    }
    return try Subtree.batches(changes, of: subtrees)
  }

  /// Adds the records to an existing zone. Records with a taken name get another one.
  func add(_ subtrees: [Subtree], to zone: Zone) throws {
    var rest: [Subtree.Batch] = []
    try whileOvertaken {
      try zone.pull()
      let (batches, sequence) = try zone.read { view in
        let names = try Self.names(for: subtrees) { try view.child(of: .root, named: $0) != nil }
        let changes = zip(nestings, subtrees).flatMap { nesting, subtree in
          records(of: nesting, subtree, names).map { RecordChange(creating: $0) }
        }
        let batches = try Subtree.batches(changes, of: subtrees) { try view.hasChunk($0) }
        return (batches, view.header.sequence)
      }
      guard let first = batches.first else { return }
      try zone.commit(first.records, bringing: first.chunks, expecting: sequence)
      rest = Array(batches.dropFirst())
    }
    for batch in rest {
      try whileOvertaken { _ = try zone.save(batch.records, bringing: batch.chunks) }
    }
  }

  private func records(
    of nesting: Nesting, _ subtree: Subtree, _ names: Names
  ) -> [Record] {
    guard let name = names[subtree.top.id] ?? subtree.top.place?.name else { return [] }
    return subtree.records(in: nesting.part, named: name).map(arriving.renamed)
  }

  /// A unique name for each.
  private static func names(
    for subtrees: [Subtree], isTaken: (FileName) throws -> Bool
  ) throws -> Names {
    var (names, given): (Names, Set<FileName>) = ([:], [])
    for subtree in subtrees {
      let name = try subtree.top.place?.name.free { try given.contains($0) || isTaken($0) }
      guard let name else {
        throw CloudError(
          .constraintViolation, "no name is free in the share for one of them",
          remedy: "rename it")
      }
      given.insert(name)
      names[subtree.top.id] = name
    }
    return names
  }

  // MARK: The moment of the move

  /// Replaces the records by references, in one commit. If the outer zone moved on, the other zone
  /// is updated first.
  func link(_ zone: Zone, _ first: [Subtree]) throws {
    var (subtrees, isOvertaken) = (first, false)
    try whileOvertaken {
      if isOvertaken {
        try outer.pull()
        subtrees = try Self.subtrees(of: nestings.map(\.record), in: outer)
        try Self.check(subtrees)
        try align(zone, with: subtrees)
      }
      isOvertaken = true
      var changes = subtrees.flatMap(\.all).map { RecordChange(id: $0.id, act: .delete) }
      changes += zip(nestings, subtrees).map { nesting, subtree in
        RecordChange(
          id: nesting.reference, act: .create(.reference), place: subtree.top.place,
          target: nesting.part.bytes)
      }
      try outer.commit(changes, expecting: subtrees.first?.sequence ?? outer.header.sequence)
    }
  }

  /// Updates the other zone to the current subtrees. Changes by people in a share are never
  /// replaced.
  private func align(_ zone: Zone, with subtrees: [Subtree]) throws {
    var rest: [Subtree.Batch] = []
    try whileOvertaken {
      try zone.pull()
      guard try nestings.allSatisfy(\.founds) || !isTouched(in: zone) else {
        throw CloudError(
          .serverRecordChanged, "somebody in the share changed it while it was being added",
          remedy: "say the same again")
      }
      let (changes, sequence) = try zone.read { view in
        (try self.changes(toward: subtrees, in: view), view.header.sequence)
      }
      guard !changes.isEmpty else { return }
      let batches = try Subtree.batches(changes, of: subtrees)
      try zone.commit(batches[0].records, bringing: batches[0].chunks, expecting: sequence)
      rest = Array(batches.dropFirst())
    }
    for batch in rest {
      try whileOvertaken { _ = try zone.save(batch.records, bringing: batch.chunks) }
    }
  }

  private func changes(
    toward subtrees: [Subtree], in view: ZoneView
  ) throws -> [RecordChange] {
    var (changes, gone): ([RecordChange], [RecordChange]) = ([], [])
    for (nesting, subtree) in zip(nestings, subtrees) {
      let name = try view.record(nesting.part.base)?.place?.name ?? subtree.top.place?.name
      guard let name else { continue }
      let records = subtree.records(in: nesting.part, named: name).map(arriving.renamed)
      for record in records {
        if let known = try view.record(record.id) {
          RecordChange(turning: known, into: record).map { changes.append($0) }
        } else {
          changes.append(RecordChange(creating: record))
        }
      }
      let ids = Set(records.map(\.id))
      gone += try view.state.records.descendants(of: nesting.part.base)
        .filter { !ids.contains($0.id) }
        .map { RecordChange(id: $0.id, act: .delete) }
    }
    return changes + gone
  }

  /// Returns whether a part of the other zone has bytes that the outer one never had: a person in
  /// the share wrote them. The parts `others`, which have places of their own, don't count.
  func isTouched(in zone: Zone, without others: Set<RecordID> = []) throws -> Bool {
    let records = try zone.read { view in
      try nestings.flatMap { nesting in
        try view.record(nesting.part.base) == nil
          ? [] : try Subtree(nesting.part.base, in: view, without: others).all
      }
    }
    let origins = Dictionary(arriving.ids.map { ($1, $0) }) { first, _ in first }
    return try outer.read { view in
      try !records.allSatisfy { record in
        var record = record
        record.id = origins[record.id] ?? record.id
        return try Self.isKnown(record, to: view)
      }
    }
  }

  /// Returns whether a zone has, or had, a record's content in a record with that id.
  static func isKnown(_ record: Record, to view: ZoneView) throws -> Bool {
    switch record.type {
    case .file:
      try record.content.map { try view.hadContent($0.id, record: record.id) } ?? true
    case .symlink:
      try view.versions(of: record.id, limit: 1_000).contains { $0.record.target == record.target }
    default: true
    }
  }
}
