/// The way past a position without a valid entry: entries behind it prove, by digest, what belongs
/// there.
extension LogCursor {
  /// The result of a search for the entries of a position without a valid one.
  enum Search { case found, missing, nothing }

  /// The state of the epoch in force: no record of its end; an object in place of the record; or
  /// the next entries are known by it.
  enum End { case open, marked, followed }

  // MARK: A position without a valid entry

  /// Continues behind a position without a valid entry, or ends the task.
  mutating func goRound(_ stop: LogStop, _ context: Context) throws(Exit) {
    switch try search(stop, context) {
    case .found: break
    case .missing:
      try refuseUnfounded(context)
      let outcome = missing(stop.sequence)
      // A newcomer cannot distinguish lost entries from ones that never existed.
      guard isAnchored(at: stop.sequence), case .trouble(let trouble, _) = outcome else {
        throw .ended(outcome)
      }
      throw .ended(.disputed(trouble))
    case .nothing:
      guard let raise = try standingRaise(stop, context) else {
        // Nobody may remove an entry that others built on.
        let isBuiltOn = try isProven(behind: stop.sequence, context)
        throw .ended(hold(stop, isBuiltOn: isBuiltOn, context.header))
      }
      expected.take(raise, at: stop.sequence)
    }
    work.phase = .reading
  }

  /// Finds the entries for a position without a valid one, so that replay can continue. An object
  /// with a device's signature gives way only to another entry of the same device: nobody else
  /// could have replaced it.
  /// - Returns: whether they were found, are missing, or nothing says that there are any.
  mutating func search(_ stop: LogStop, _ context: Context) throws(Exit) -> Search {
    guard context.header.kind == .owned, !expected.tells(stop.sequence) else { return .nothing }
    let proofs = try self.proofs(behind: stop.sequence, context)
    if proofs.isEmpty {
      // Only to report a problem with the end-of-epoch record.
      _ = try end(context)
      return .nothing
    }
    var isDenied = false
    for proof in proofs {
      switch try walk(proof, from: stop.sequence) {
      case .leads(let way):
        expected.take(way)
        return .found
      case .denied: isDenied = true
      case .missing: isDenied = isDenied || stop.commit != nil
      case .newer:
        // An existing entry that only a newer Cairn can read is not missing.
        if stop.holder != .rubbish, try object(.object(stop.sequence)) != .nothing {
          isDenied = true
        }
      }
    }
    return isDenied ? .nothing : .missing
  }

  /// Reads an ended epoch from the entry that ended it, as its record says. Holders of its key may
  /// have replaced their entries since.
  mutating func followEnd(_ context: Context) throws(Exit) -> End {
    let header = context.header
    guard header.kind == .owned, context.canReadOn, try object(.mark) != .nothing else {
      return .open
    }
    // Another object there is not ignored: it is reported at the end of the log.
    guard let end = try end(context, holds: false) else { return .marked }
    guard !expected.tells(header.sequence + 1) else { return .followed }
    guard case .leads(let way) = try walk(proof(of: end, context), from: header.sequence + 1) else {
      return .marked
    }
    expected.take(way)
    // The raise is valid, whatever a holder of the old key puts behind it.
    expected.take(end.entry, at: end.signed.sequence)
    return .followed
  }

  /// Returns a valid entry that raises the epoch although an entry behind it, under the key of the
  /// ended epoch, names another one: any writer could put such an entry at any time. The raise is
  /// valid in three cases. It is the owner's, and then nobody else counts. Its record exists, which
  /// was put after its author had checked the position behind. Or the inviter's anchor confirms the
  /// log; without the anchor, nothing of the log is accepted.
  private mutating func standingRaise(
    _ stop: LogStop, _ context: Context
  ) throws(Exit) -> LogEntry? {
    guard let other = stop.contradictor, let commit = stop.commit, commit.nextKey != nil,
      let bytes = stop.found.bytes, let digest = stop.digest
    else { return nil }
    let raise = LogEntry(digest: digest, bytes: bytes)
    let owner = context.header.owner
    if commit.author.user == owner && other != owner && !stop.isRevoked { return raise }
    if isAnchored(at: stop.sequence + 1) { return raise }
    return try end(context, holds: false)?.entry == raise ? raise : nil
  }

  // MARK: Proofs

  /// Returns whether a signed entry, a record or an anchor proves that the log continues behind a
  /// position.
  mutating func isProven(behind sequence: UInt64, _ context: Context) throws(Exit) -> Bool {
    if try !standing(behind: sequence, context).isEmpty || isAnchored(at: sequence) { return true }
    return try end(context).map { $0.signed.sequence > sequence } ?? false
  }

  /// The proofs of a log's continuation at a position, the strongest first: the inviter's anchor,
  /// the end of the epoch, later entries.
  private mutating func proofs(
    behind sequence: UInt64, _ context: Context
  ) throws(Exit) -> [Proof] {
    var found: [Proof] = []
    if let anchor, isAnchored(at: sequence) {
      found.append(Proof(sequence: anchor.sequence, digest: anchor.digest, isTrusted: true))
    }
    if let end = try end(context, holds: false), end.signed.sequence > sequence {
      found.append(proof(of: end, context))
    }
    return found + (try standing(behind: sequence, context))
  }

  private func isAnchored(at sequence: UInt64) -> Bool {
    anchor.map { $0.sequence >= sequence } ?? false
  }

  /// All objects give way to an end of the epoch by the owner.
  private func proof(of end: EpochEndRecord.End, _ context: Context) -> Proof {
    let header = context.header
    let owner = header.genesis == nil ? context.founder : header.owner
    return Proof(
      sequence: end.signed.sequence - 1, digest: end.signed.previous,
      isTrusted: end.signed.author.user == owner && !end.signed.isRevoked)
  }

  /// The entries behind a position that name their predecessors, the nearest first; those of
  /// revoked devices are last.
  private mutating func standing(
    behind sequence: UInt64, _ context: Context
  ) throws(Exit) -> [Proof] {
    let found = try signed(behind: sequence).filter { context.header.believes($0.author) }
    return (found.filter { !$0.isRevoked } + found.filter(\.isRevoked)).map {
      Proof(sequence: $0.sequence - 1, digest: $0.previous)
    }
  }

  /// The entry that ended the epoch in force, if it is in its position. Then the log is not at its
  /// end, whatever was removed before it.
  /// - Parameters:
  ///   - context: The replayed state.
  ///   - holds: Whether another object under the record's name ends the task.
  /// - Returns: the content of the record; nil if there is none.
  /// - Throws: `Exit`.
  mutating func end(
    _ context: Context, holds: Bool = true
  ) throws(Exit) -> EpochEndRecord.End? {
    guard context.header.kind == .owned, context.canReadOn else { return nil }
    let record = try endRecord()
    if holds, case .garbage(let found) = record {
      throw .ended(holdByGarbage(found, context.header))
    }
    return record.end
  }

  /// Reports that the end-of-epoch record for the epoch in force holds the next position, if its
  /// author may not end the epoch and nothing leads to it.
  private mutating func refuseUnfounded(_ context: Context) throws(Exit) {
    guard let end = try end(context, holds: false),
      !context.header.rights(of: end.signed.author.user).contains(.administer)
    else { return }
    let reason = "It marks the end of an epoch by somebody who may not end it."
    throw .ended(holdByMark(reason, try object(.mark), context.header))
  }

  // MARK: Telling

  /// Notes the object that holds a position.
  private mutating func hold(
    _ stop: LogStop, isBuiltOn: Bool = false, by name: Name? = nil, _ header: ZoneHeader
  ) -> Outcome {
    var found = LogTrouble(.held, agreed: stop.sequence - 1, seen: stop.sequence)
    found.reason = stop.reason
    found.holder = isBuiltOn ? .entry : stop.holder
    found.unseen = stop.unseen
    found.isPublic = header.kind == .public
    held = stop.found
    return .trouble(found, name ?? .position(stop.sequence))
  }

  private mutating func holdByMark(
    _ reason: String, _ found: LogObject, _ header: ZoneHeader
  ) -> Outcome {
    let stop = LogStop(
      sequence: header.sequence + 1, reason: reason, found: found, holder: .rubbish)
    return hold(stop, by: .mark, header)
  }

  /// Notes an object that has the name of the end-of-epoch record, and marks no end.
  /// - Returns: the trouble.
  public mutating func holdByGarbage(_ found: LogObject, _ header: ZoneHeader) -> Outcome {
    holdByMark("It marks no end of an epoch.", found, header)
  }

  func missing(_ sequence: UInt64) -> Outcome {
    .trouble(LogTrouble(.damaged, agreed: sequence - 1, seen: sequence), .position(sequence))
  }
}
