import CairnIdentity
import CairnReplica
import CairnStore
public import CairnZone

/// Moves typed records between zones of this person. One commit adds all of them to the new zone,
/// and a later one deletes them from the old zone, so that other people see all of them or none.
/// The account notes the move before, and this device continues an interrupted one.
public struct RecordMoves: Sendable {
  let container: Container

  /// Creates a value for a container.
  public init(_ container: Container) { self.container = container }

  private var account: Zone { container.accountZone }
  private var device: DeviceID { container.account.device.id }

  /// Moves records and all records that refer to them, under their ids. Records that they refer to
  /// and that stay are copied. A moved record that the other zone has already gets only the fields
  /// that it lacks there. Their content stays where it is stored.
  /// - Parameters:
  ///   - records: The records.
  ///   - source: Their zone, which this person owns.
  ///   - target: Another zone of this person.
  /// - Throws: `CloudError`. If the container couldn't be used any more in the middle,
  ///   `resume` does the rest.
  public func move(_ records: [RecordID], from source: Zone, to target: Zone) throws {
    try container.requireAccount()
    try readOwned(source)
    try readOwned(target)
    guard source.id != target.id else {
      throw CloudError(
        .invalidArguments, "the records are in that zone already", remedy: "name another zone")
    }
    let resumed = try resumed()
    if isDone(records, resumed, from: source, to: target) { return }
    try source.pull()
    try target.pull()
    let move = RecordMove(
      nonce: .random(), source: source.id, target: target.id,
      records: try ids(of: records, in: source), through: source.header.sequence,
      joined: target.header.sequence, founding: nil)
    try AccountZone.note(move, nil, in: account)
    try perform(move)
  }

  /// Moves records like `move`, to a new zone that is shared at once.
  /// - Parameters:
  ///   - records: The records.
  ///   - source: Their zone, which this person owns.
  ///   - title: The title of the share, and the name of the zone.
  /// - Returns: The new zone.
  /// - Throws: The errors of `move`.
  public func share(_ records: [RecordID], of source: Zone, title: String) throws -> Zone {
    try container.requireAccount()
    try readOwned(source)
    let title = try Sharing.checked(title)
    let resumed = try resumed()
    let done = resumed.last { $0.founding?.title == title && isDone(records, [$0], from: source) }
    if let done, let zone = try container.zone(done.target) { return zone }
    try source.pull()
    let nonce = Bytes16.random()
    let id = ZoneID.derive(owner: container.account.user, nonce: nonce)
    var keys = Keyring()
    keys.insert(.random(epoch: 1))
    let move = RecordMove(
      nonce: .random(), source: source.id, target: id, records: try ids(of: records, in: source),
      through: source.header.sequence, joined: 1, founding: .init(nonce: nonce, title: title))
    let entry = AccountZone.Entry(
      zone: id, founder: container.account.user, owner: container.account.user, scope: .private,
      keys: keys)
    try AccountZone.note(move, entry, in: account)
    try perform(move)
    guard let zone = try container.zone(id) else {
      throw CloudError(
        .zoneNotFound, "the new zone was deleted meanwhile", remedy: "share the records again")
    }
    return zone
  }

  /// Continues the moves that this device began. Call it after the start of a program. A move that
  /// can't be completed now remains noted.
  /// - Throws: `CloudError` if the account can't be read.
  public func resume() throws { _ = try resumed() }

  /// Continues the moves that this device began.
  /// - Returns: The completed moves.
  private func resumed() throws -> [RecordMove] {
    try AccountZone.moves(begunBy: device, in: account).filter { move in
      do {
        try perform(move, isResumed: true)
        return true
      } catch is CloudError {
        return false
      } catch is StoreError {
        return false
      }
    }
  }

  // MARK: Checks

  /// Reads a zone, and refuses one of another person.
  private func readOwned(_ zone: Zone) throws {
    if zone.scope == .private { try zone.pull() }
    guard zone.scope == .private, zone.header.owner == container.account.user else {
      throw CloudError(
        .serverRejectedRequest, "records move only between zones of the same owner",
        remedy: "save copies of them in the other zone")
    }
  }

  /// Returns the ids of everything that moves.
  private func ids(of records: [RecordID], in source: Zone) throws -> [RecordID] {
    let graph = try source.read { try RecordGraph(records, in: $0) }
    let found = Set(graph.moved.map(\.id))
    guard let missing = records.first(where: { !found.contains($0) }) else {
      guard !found.isEmpty else {
        throw CloudError(.invalidArguments, "no record is named", remedy: "name one")
      }
      return graph.moved.map(\.id)
    }
    throw CloudError(
      .unknownItem, "there is no record \(missing) in the zone", record: missing,
      remedy: "fetch the records again")
  }

  /// Returns whether one of these moves is the one that is asked for: its caller didn't learn of
  /// its end.
  private func isDone(
    _ records: [RecordID], _ moves: [RecordMove], from source: Zone, to target: Zone? = nil
  ) -> Bool {
    moves.contains { move in
      move.source == source.id && target.map { $0.id == move.target } ?? true
        && !records.isEmpty && Set(records).isSubset(of: move.records)
    }
  }

  // MARK: The move

  private func perform(_ move: RecordMove, isResumed: Bool = false) throws {
    guard let source = try container.zone(move.source), let target = try container.zone(move.target)
    else { return try AccountZone.forget(move, in: account) }
    if let founding = move.founding {
      try container.found(
        target, founding.nonce, named: founding.title,
        // With the same packs closed, its contents aren't stored again.
        share: [.title(founding.title)] + (source.closedPacks().map { [.zone(.retire($0))] } ?? []))
    }
    guard !source.header.isPurged, !target.header.isPurged else {
      return try AccountZone.forget(move, in: account)
    }
    let tried = target.entriesTried
    do {
      try carry(move, from: source, to: target)
    } catch let error as CloudError {
      // If nothing can be in the other zone, nothing has happened.
      if !isResumed, target.entriesTried == tried { try undo(move, target) }
      throw error
    }
    try AccountZone.forget(move, in: account)
  }

  private func undo(_ move: RecordMove, _ target: Zone) throws {
    if move.founding != nil {
      try container.ownership.purge(target)
      try container.participation.forgetEverything(of: target)
    }
    try AccountZone.forget(move, in: account)
  }

  private func carry(_ first: RecordMove, from source: Zone, to target: Zone) throws {
    var (move, through) = (first, first.through)
    // The past of the records stays in the zone that they leave.
    if let record = move.records.first {
      try container.formers.follow(record, from: source, to: target)
    }
    try whileOvertaken {
      try source.pull()
      let graph = try source.read { try RecordGraph(move.records, in: $0) }
      let new = Set(graph.moved.map(\.id)).subtracting(move.records)
      if !new.isEmpty {
        move.records += new.sorted()
        try AccountZone.note(move, nil, in: account)
      }
      var step = RecordMoveStep(move: move, graph: graph, device: device, through: through)
      try step.readChanges(of: source)
      try put(step, into: target)
      through = graph.sequence
      guard !graph.moved.isEmpty else { return }
      // Changes that others made meanwhile are carried first.
      try source.commit(
        graph.moved.map { RecordChange(id: $0.id, act: .delete) }, expecting: graph.sequence)
    }
  }

  private func put(_ step: RecordMoveStep, into target: Zone) throws {
    try whileOvertaken {
      try target.pull()
      let (changes, chunks, sequence) = try target.read { view in
        let changes = try step.changes(in: view)
        return (
          changes, try step.graph.chunks(for: changes) { try view.hasChunk($0) },
          view.header.sequence
        )
      }
      guard !changes.isEmpty else { return }
      try target.commit(changes, bringing: chunks, expecting: sequence)
    }
  }
}

extension Container {
  /// The moves of typed records between this person's zones.
  public var recordMoves: RecordMoves { RecordMoves(self) }
}
