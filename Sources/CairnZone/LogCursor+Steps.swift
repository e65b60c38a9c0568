/// The steps of a task. A step ends at its first question without an answer, and begins again
/// later: so an act of the caller that changes the replayed state ends a step.
extension LogCursor {
  /// Plays one step.
  /// - Throws: `Exit`, with the first question without an answer, or the end of the task.
  mutating func advance(_ context: Context) throws(Exit) {
    let header = context.header
    switch work.phase {
    case .beginning: try begin(context)
    case .starting:
      let isStarted = try bool(.start)
      work.phase = isStarted ? .reading : .comparing(header.sequence, isOther: false)
    case .comparing(let agreed, let isOther): try compare(agreed, isOther: isOther, context)
    case .reading: work.phase = try readsOn(context) ? .fetching : .ending
    case .fetching: try fetch(context)
    case .applying(let batch, let epoch):
      let stop = try apply(batch)
      work.phase = .applied(stop, isLast: batch.behind == .nothing, epoch: epoch)
    case .applied(let stop, let isLast, let epoch):
      work.isAtEnd = stop == nil && header.kind == .owned && isLast && header.epoch == epoch
      work.phase = stop.map { .stopped($0) } ?? .reading
    case .behind:
      guard header.kind == .owned, header.sequence > 0 else { return work.phase = .ending }
      let isMissing = owesBehind ? try isProven(behind: header.sequence + 1, context) : false
      owesBehind = isMissing
      work.phase = isMissing ? missingNext(header) : .behindByRecord
    case .behindByRecord:
      let isOpen = work.isOpen && work.checkedEpoch == max(header.epoch, 1)
      let isMissing = isOpen ? false : try end(context) != nil
      work.phase = isMissing ? missingNext(header) : .ending
    case .stopped(let stop): try goRound(stop, context)
    case .ending:
      if header.sequence < work.last {
        _ = try bool(.confirmStart)
        hasReadAll = true
      }
      work.phase = .anchoring
    case .anchoring: try checkAnchor(context)
    }
  }

  // MARK: The last known entry

  private mutating func begin(_ context: Context) throws(Exit) {
    let header = context.header
    switch work.task {
    case .read:
      let isThere = header.sequence > 0 ? try isHeadThere(header) : false
      if isThere { trouble = nil }
      // The entry may have been below a log start.
      work.phase = isThere ? .reading : .starting
    case .checkHead:
      guard header.sequence > 0, try !isHeadThere(header) else {
        trouble = nil
        throw .ended(.done)
      }
      guard try !bool(.isBelowStart) else { throw .ended(.overtaken) }
      work.phase = .comparing(header.sequence, isOther: false)
    case .checkBehind: try checkBehind(context)
    }
  }

  /// Returns whether the last known entry is in the container. The log of a zone that its owner
  /// ended is deleted some day.
  private mutating func isHeadThere(_ header: ZoneHeader) throws(Exit) -> Bool {
    guard !header.isPurged else { return true }
    return try bool(.isThere(header.head, at: header.sequence))
  }

  /// Looks at one more position for the last one on which the container agrees.
  private mutating func compare(
    _ agreed: UInt64, isOther: Bool, _ context: Context
  ) throws(Exit) {
    if agreed > 0, let known = try digest(.digest(agreed)),
      try !bool(.isThere(known, at: agreed))
    {
      let isOther = isOther ? true : try object(.object(agreed)) != .nothing
      work.phase = .comparing(agreed - 1, isOther: isOther)
      return
    }
    let seen = context.header.sequence
    if agreed < seen {
      throw .ended(.trouble(try difference(behind: agreed, isOther: isOther, context), nil))
    }
    trouble = nil
    guard case .read = work.task else { throw .ended(.done) }
    work.phase = .reading
  }

  /// The difference behind the last position on which the container agrees.
  private mutating func difference(
    behind agreed: UInt64, isOther: Bool, _ context: Context
  ) throws(Exit) -> LogTrouble {
    let seen = context.header.sequence
    let isLonger = try isProven(behind: seen, context)
    guard isOther || isLonger else {
      var lost = LogTrouble(.lostEnd, agreed: agreed, seen: seen)
      if context.header.owner != context.user { lost.mayBeEnded = try bool(.mayBeEnded(agreed)) }
      return lost
    }
    // Otherwise an entry is only damaged.
    var leadsElsewhere = false
    if let known = try digest(.digest(agreed)) {
      leadsElsewhere = try digest(.previous(at: agreed + 1)) == known
    }
    return LogTrouble(leadsElsewhere ? .twoHistories : .damaged, agreed: agreed, seen: seen)
  }

  /// Checks that no entry is behind the next position.
  private mutating func checkBehind(_ context: Context) throws(Exit) {
    let next = context.header.sequence + 1
    guard context.header.kind == .owned, context.canReadOn,
      try object(.raw(next + 1)) != .nothing, try isProven(behind: next, context)
    else { throw .ended(.done) }
    // Somebody may have written both since the last check, or spare copies have the missing one.
    guard try object(.object(next)) == .nothing,
      try search(LogStop(sequence: next, reason: "is missing"), context) != .found
    else { throw .ended(.overtaken) }
    throw .ended(missing(next))
  }

  // MARK: The next entries

  /// Returns whether there is more to read here for this person.
  private mutating func readsOn(_ context: Context) throws(Exit) -> Bool {
    let header = context.header
    guard header.sequence < work.last else { return false }
    if let site = header.site {
      guard try bool(.passes(site)) else { return false }
    }
    guard !context.canReadOn else { return true }
    return try bool(.findKey)
  }

  private mutating func fetch(_ context: Context) throws(Exit) {
    let epoch = max(context.header.epoch, 1)
    let batch = work.isAtEnd ? LogBatch() : try self.batch()
    guard !batch.entries.isEmpty else { return work.phase = .behind }
    let end = work.checkedEpoch == epoch ? nil : try followEnd(context)
    work.checkedEpoch = epoch
    work.isOpen = end == .open && batch.behind == .nothing
    work.phase = end == .followed ? .reading : .applying(batch, epoch: epoch)
  }

  private mutating func missingNext(_ header: ZoneHeader) -> Work.Phase {
    work.isAtEnd = false
    return .stopped(LogStop(sequence: header.sequence + 1, reason: "It is missing."))
  }

  // MARK: The end

  /// Checks that the log contains the inviter's anchor. Otherwise nothing of it may be trusted.
  private mutating func checkAnchor(_ context: Context) throws(Exit) {
    guard let anchor else { throw .ended(.done) }
    let header = context.header
    if header.sequence < anchor.sequence {
      guard header.sequence < work.last, context.canReadOn else { throw .ended(.done) }
      throw .ended(try bool(.isElsewhere) ? .elsewhere : .disputed(nil))
    }
    guard try digest(.digest(anchor.sequence)) == anchor.digest else {
      throw .ended(.disputed(nil))
    }
    self.anchor = nil
    throw .ended(.done)
  }
}
