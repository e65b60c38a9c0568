import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// Compares the log in the container with earlier reads, and reports differences. It owns nothing.
struct LogConsistency {
  private let replica: ZoneReplica

  init(_ replica: ZoneReplica) { self.replica = replica }

  private var header: ZoneHeader { replica.header }
  private var keys: Keyring { replica.keys }
  private var folder: ZoneFolder { replica.folder }
  private var store: any ObjectStore { replica.store }
  private var zone: ZoneID { replica.zone }
  private var index: IndexFile { replica.index }
  private var account: Account { replica.account }
  private var people: People { replica.people }

  /// Checks that the last known entry is still in the container, before anything is read behind it.
  /// Without a known entry, or if it is missing, the reader begins at the highest log start,
  /// because the entry may have been below it.
  /// - Parameters:
  ///   - last: The highest allowed position of a log start.
  ///   - vain: Log starts that the log did not confirm.
  /// - Throws: `CloudError` that reports a loss of the container.
  func checkHistory(upTo last: UInt64, except vain: Set<ObjectKey>) throws {
    let isInPlace = try header.sequence > 0 && isHeadInPlace()
    if !isInPlace, try SnapshotBootstrap(replica).take(upTo: last, except: vain) { return }
    replica.trouble = try isInPlace ? nil : look()
    if let trouble = replica.trouble { throw trouble.error }
  }

  /// Checks before a write that the log ends after the last known entry. A very recent check is not
  /// repeated: `LogAppend` finds changes between a check and the put afterwards. For a public log
  /// nothing is checked then.
  /// - Throws: `CloudError`; if there is a log start above that entry, it must be read first.
  func checkEnd() throws {
    guard header.kind == .public || !replica.looks.sawEnd(header.sequence, by: WallClock.now) else {
      return
    }
    if replica.ahead.width > 1 {
      let last = header.sequence > 0 ? try replica.place(header.sequence) : nil
      replica.ahead.drop()
      replica.ahead.ask([last, try replica.place(header.sequence + 2)].compactMap { $0 })
    }
    defer { replica.ahead.drop() }
    try checkHead()
    try checkNothingBehind()
  }

  /// Checks that the last known entry is there.
  /// - Throws: like `checkEnd`.
  func checkHead() throws {
    guard try !isHeadInPlace() else { return replica.trouble = nil }
    guard try SnapshotBootstrap(replica).counts(.zero, at: header.sequence) == nil else {
      throw ZoneReplica.moved
    }
    replica.trouble = try look()
    if let trouble = replica.trouble { throw trouble.error }
  }

  private func isHeadInPlace() throws -> Bool {
    // The log of a zone that its owner ended is deleted some day.
    guard header.sequence > 0, !header.isPurged else { return true }
    return try replica.entry(with: header.head, at: header.sequence) != nil
  }

  /// Checks that no entry is behind the end of the log. Otherwise an entry is missing, and a put
  /// there would hide that from all later readers.
  private func checkNothingBehind() throws {
    let next = header.sequence + 1
    guard header.kind == .owned, let behind = try replica.place(next + 1),
      try replica.find(at: behind) != .nothing,
      try LogRecovery(replica).isProven(behind: next)
    else { return }
    // Somebody may have written both since the last check, or spare copies have the missing one.
    guard try replica.find(next) == .nothing else { throw ZoneReplica.moved }
    let way = try LogRecovery(replica).goRound(
      ZoneReplica.Stopped(sequence: next, reason: "is missing"))
    throw way == .found ? ZoneReplica.moved : try missing(next).error
  }

  /// Finds the last position on which the container agrees, and the difference behind it.
  private func look() throws -> LogTrouble? {
    let seen = header.sequence
    var agreed = seen
    var isOther = false
    while agreed > 0 {
      let known = try index.read { db in
        try IndexedZone(db, zone: zone, header: header).log.digest(at: agreed)
      }
      guard let known else { break }
      if try replica.entry(with: known, at: agreed) != nil { break }
      isOther = try isOther || replica.find(agreed) != .nothing
      agreed -= 1
    }
    guard agreed < seen else { return nil }
    let isLonger = try LogRecovery(replica).isProven(behind: seen)
    guard isOther || isLonger else {
      var lost = LogTrouble(.lostEnd, agreed: agreed, seen: seen)
      if header.owner != account.user {
        lost.mayBeEnded = try agreed == 0 && isNothingLeft() || isShutOut()
      }
      return lost
    }
    return LogTrouble(
      try leadsElsewhere(after: agreed) ? .twoHistories : .damaged, agreed: agreed, seen: seen)
  }

  /// Returns whether the end-of-epoch record says that somebody with the right went on without this
  /// person. Then their own last entry may be below a log start.
  private func isShutOut() throws -> Bool {
    guard let key = keys[max(header.epoch, 1)],
      let copies = try replica.find(at: folder.end(of: key)).bytes.flatMap({ LogCopies($0) }),
      copies.place > header.sequence, let entry = copies.entries.last,
      let raise = try replica.opened(entry, at: copies.place, keys)
    else { return false }
    return raise.commit.nextKey != nil && raise.newKey == nil
      && header.rights(of: raise.commit.author.user).contains(.administer)
  }

  /// Returns whether the container has nothing of the zone any more.
  private func isNothingLeft() throws -> Bool {
    do throws(StoreError) {
      return try store.list("\(folder.path)/", after: nil, limit: 1).isEmpty
    } catch {
      // Without lists nobody knows.
      guard error.code == .unlisted else { throw CloudError(error) }
      return false
    }
  }

  /// Notices another user of this device's keys: an entry with its signature that this run did not
  /// write, after the log was read to its end.
  func noticeClone(_ commit: Commit, at sequence: UInt64) {
    guard replica.looks.hasReadAll, commit.author == account.author, commit.run != people.use.run
    else {
      return
    }
    people.use.notice(ClonedDevice(zone: zone, sequence: sequence))
  }

  /// Returns whether a different signed entry follows the one at `agreed`. Otherwise an entry is
  /// only damaged.
  private func leadsElsewhere(after agreed: UInt64) throws -> Bool {
    let known = try index.read { db in
      try IndexedZone(db, zone: zone, header: header).log.digest(at: agreed)
    }
    guard let known, let bytes = try replica.fetch(agreed + 1) else { return false }
    do {
      return try replica.open(bytes, at: agreed + 1, keys: keys).commit.previous == known
    } catch is EntryRefused { return false }
  }

  /// Checks that the log contains the inviter's anchor.
  /// - Parameter isWhole: Whether the log was read to its end.
  /// - Throws: `CloudError` if it does not: then nothing of it may be trusted.
  func checkAnchor(isWhole: Bool) throws {
    guard let anchor = replica.anchor else { return }
    if header.sequence < anchor.sequence {
      guard isWhole, replica.canReadOn else { return }
      if let found = try replica.elsewhere() { throw found.error }
    } else {
      let digest = try index.read { db in
        try IndexedZone(db, zone: zone, header: header).log.digest(at: anchor.sequence)
      }
      if digest == anchor.digest { return replica.anchor = nil }
    }
    throw disputed
  }

  /// The error for a log without the inviter's anchor.
  var disputed: CloudError {
    CloudError(
      .assetNotAvailable,
      "disputed: the log of the share in this container isn't the one that the inviter had "
        + "read, as of its entry \(replica.anchor?.sequence ?? 0)",
      remedy: "tell the inviter; nothing was accepted")
  }

  /// The first position whose entry is still needed: that of the log start's checkpoint, while the
  /// container has the pointer to it. Lower entries are neither missed, copied nor put back.
  var lowestNeeded: UInt64 {
    get throws {
      guard let floor = header.floor,
        try Floors(folder: folder, store: store).stands(floor, keys)
      else { return 1 }
      return floor.checkpoint
    }
  }

  /// The state of a known position in the container.
  enum Standing: Hashable, Sendable { case there, missing, altered }

  /// The positions whose entries differ from the known ones, in order.
  func differences(_ progress: (UInt64) -> Void = { _ in }) throws -> [(UInt64, Standing)] {
    var found: [(UInt64, Standing)] = []
    guard header.sequence > 0 else { return [] }
    for place in try lowestNeeded...header.sequence {
      progress(place)
      let known = try index.read { db in
        let state = try IndexedZone(db, zone: zone, header: header)
        // Positions below a snapshot were never read here.
        guard let epoch = try state.log.epoch(at: place), epoch > 0 else { return Bytes32?.none }
        return try state.log.digest(at: place)
      }
      guard let known, try replica.entry(with: known, at: place) == nil else { continue }
      found.append((place, try replica.find(place) == .nothing ? .missing : .altered))
    }
    return found
  }

  // MARK: Telling

  /// Notes the object that holds a position, or the name of a record.
  /// - Returns: the trouble.
  func hold(_ stopped: ZoneReplica.Stopped, by object: ObjectKey? = nil) throws -> LogTrouble {
    var found = LogTrouble(.held, agreed: stopped.sequence - 1, seen: stopped.sequence)
    let key = try object ?? replica.place(stopped.sequence)
    found.object = key?.description
    found.owner = key.flatMap { store.owner(of: $0) }
    found.reason = stopped.reason
    // Nobody may remove an entry that others built on.
    let isBuiltOn = try object == nil && LogRecovery(replica).isProven(behind: stopped.sequence)
    found.holder = isBuiltOn ? .entry : stopped.holder
    found.unseen = stopped.unseen
    found.isPublic = header.kind == .public
    replica.held = stopped.found
    replica.trouble = found
    return found
  }

  func missing(_ sequence: UInt64) throws -> LogTrouble {
    var found = LogTrouble(.damaged, agreed: sequence - 1, seen: sequence)
    found.object = try replica.place(sequence)?.description
    replica.trouble = found
    return found
  }
}
