import CairnIndex
import CairnStore
import CairnZone

/// Compares the log in the container with what was read of it here, and tells what is wrong. It
/// owns nothing.
struct LogCheck {
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

  /// Makes sure that the last entry that was read still stands in the container, before anything is
  /// read behind it. Where nothing was read yet, or that entry is gone, the reader begins with the
  /// highest floor: the entry may have been below it.
  /// - Parameters:
  ///   - last: no floor above that place.
  ///   - vain: floors that the log was seen not to go on from.
  /// - Throws: `CloudError` that says what the container lost, if it did.
  func checkHistory(upTo last: UInt64, except vain: Set<ObjectKey>) throws {
    let isInPlace = try header.sequence > 0 && isHeadInPlace()
    if !isInPlace, try FloorWay(replica).take(upTo: last, except: vain) { return }
    replica.trouble = try isInPlace ? nil : look()
    if let trouble = replica.trouble { throw trouble.error }
  }

  /// Makes sure that the log ends behind the last entry that was read, before anything is written.
  /// What was seen a moment ago isn't looked at again: what comes between any look and the put,
  /// `LogAppend` finds afterwards; but of a public log nothing is looked at then.
  /// - Throws: `CloudError`; if a floor stands above that entry, it is to be read first.
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

  /// Makes sure that the last entry that was read stands.
  /// - Throws: as `checkEnd`.
  func checkHead() throws {
    guard try !isHeadInPlace() else { return replica.trouble = nil }
    guard try FloorWay(replica).counts(.zero, at: header.sequence) == nil else {
      throw ZoneReplica.moved
    }
    replica.trouble = try look()
    if let trouble = replica.trouble { throw trouble.error }
  }

  private func isHeadInPlace() throws -> Bool {
    // Of a zone that its owner ended, the log goes some day.
    guard header.sequence > 0, !header.isPurged else { return true }
    return try replica.entry(with: header.head, at: header.sequence) != nil
  }

  /// Makes sure that no entry stands behind the end of the log: something would be missing before
  /// it, and what is put there would hide that from everybody who comes later.
  private func checkNothingBehind() throws {
    let next = header.sequence + 1
    guard header.kind == .owned, let behind = try replica.place(next + 1),
      try replica.find(at: behind) != .nothing,
      try LogWay(replica).isProven(behind: next)
    else { return }
    // Somebody may have written both since the last look, or copies have what is missing.
    guard try replica.find(next) == .nothing else { throw ZoneReplica.moved }
    let way = try LogWay(replica).goRound(ZoneReplica.Stopped(sequence: next, reason: "is missing"))
    throw way == .found ? ZoneReplica.moved : try missing(next).error
  }

  /// Finds the place up to which the container agrees, and tells what happened behind it.
  private func look() throws -> LogTrouble? {
    let seen = header.sequence
    var agreed = seen
    var isOther = false
    while agreed > 0 {
      let known = try index.read { db in
        try IndexedZone(db, zone: zone, header: header).digest(at: agreed)
      }
      guard let known else { break }
      if try replica.entry(with: known, at: agreed) != nil { break }
      isOther = try isOther || replica.find(agreed) != .nothing
      agreed -= 1
    }
    guard agreed < seen else { return nil }
    let isLonger = try LogWay(replica).isProven(behind: seen)
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

  /// Whether the mark of the epoch's end says that somebody who may do so went on without this
  /// person: their own last entry may be below a floor by now.
  private func isShutOut() throws -> Bool {
    guard let key = keys[max(header.epoch, 1)],
      let copies = try replica.find(at: folder.end(of: key)).bytes.flatMap({ LogCopies($0) }),
      copies.place > header.sequence, let entry = copies.entries.last,
      let raise = try replica.opened(entry, at: copies.place, keys)
    else { return false }
    return raise.commit.nextKey != nil && raise.newKey == nil
      && header.rights(of: raise.commit.author.user).contains(.administer)
  }

  /// Whether the container has nothing of the zone any more.
  private func isNothingLeft() throws -> Bool {
    do throws(StoreError) {
      return try store.list("\(folder.path)/", after: nil, limit: 1).isEmpty
    } catch {
      // Where nothing is listed nobody can tell.
      guard error.code == .unlisted else { throw CloudError(error) }
      return false
    }
  }

  /// What this device signed and this run didn't write, after the log was read to its end, somebody
  /// else wrote with the same keys.
  func noticeClone(_ commit: Commit, at sequence: UInt64) {
    guard replica.looks.hasReadAll, commit.author == account.author, commit.run != people.use.run
    else {
      return
    }
    people.use.notice(ClonedDevice(zone: zone, sequence: sequence))
  }

  /// Whether somebody went on from the entry at `agreed` in another way than we have read: a signed
  /// entry follows it. Otherwise an entry is only damaged.
  private func leadsElsewhere(after agreed: UInt64) throws -> Bool {
    let known = try index.read { db in
      try IndexedZone(db, zone: zone, header: header).digest(at: agreed)
    }
    guard let known, let bytes = try replica.fetch(agreed + 1) else { return false }
    do {
      return try replica.open(bytes, at: agreed + 1, keys: keys).commit.previous == known
    } catch is EntryRefused { return false }
  }

  /// Makes sure that the log comes by what whoever let this person in had read of it.
  /// - Parameter isWhole: whether the log was read to its end.
  /// - Throws: `CloudError` if it doesn't: then nothing of it may be believed.
  func checkAnchor(isWhole: Bool) throws {
    guard let anchor = replica.anchor else { return }
    if header.sequence < anchor.sequence {
      guard isWhole, replica.canReadOn else { return }
      if let found = try replica.elsewhere() { throw found.error }
    } else {
      let digest = try index.read { db in
        try IndexedZone(db, zone: zone, header: header).digest(at: anchor.sequence)
      }
      if digest == anchor.digest { return replica.anchor = nil }
    }
    throw disputed
  }

  /// The log isn't the one of which whoever let this person in had read.
  var disputed: CloudError {
    CloudError(
      .assetNotAvailable,
      "disputed: the log of the share in this container isn't the one that whoever invited you had "
        + "read, as of its entry \(replica.anchor?.sequence ?? 0)",
      remedy: "tell whoever invited you; nothing was accepted")
  }

  /// The first place whose entry is still needed: that of the floor's checkpoint, as long as the
  /// container tells of the floor. Nothing below it is missed, copied or put back.
  var lowestNeeded: UInt64 {
    get throws {
      guard let floor = header.floor,
        try Floors(folder: folder, store: store).stands(floor, keys)
      else { return 1 }
      return floor.checkpoint
    }
  }

  /// How each place of the log that was read here stands in the container now.
  enum Standing: Hashable, Sendable { case there, missing, altered }

  /// The places whose entries aren't those that were read here, in their order.
  func differences(_ progress: (UInt64) -> Void = { _ in }) throws -> [(UInt64, Standing)] {
    var found: [(UInt64, Standing)] = []
    guard header.sequence > 0 else { return [] }
    for place in try lowestNeeded...header.sequence {
      progress(place)
      let known = try index.read { db in
        let state = try IndexedZone(db, zone: zone, header: header)
        // What a snapshot says of places below it was never read here.
        guard let epoch = try state.epoch(at: place), epoch > 0 else { return Bytes32?.none }
        return try state.digest(at: place)
      }
      guard let known, try replica.entry(with: known, at: place) == nil else { continue }
      found.append((place, try replica.find(place) == .nothing ? .missing : .altered))
    }
    return found
  }

  // MARK: Telling

  /// Notes what holds a place, or the name of a mark.
  /// - Returns: the trouble.
  func hold(_ stopped: ZoneReplica.Stopped, by object: ObjectKey? = nil) throws -> LogTrouble {
    var found = LogTrouble(.held, agreed: stopped.sequence - 1, seen: stopped.sequence)
    let key = try object ?? replica.place(stopped.sequence)
    found.object = key?.description
    found.owner = key.flatMap { store.owner(of: $0) }
    found.reason = stopped.reason
    // What others have built on isn't for anybody to take away.
    let isBuiltOn = try object == nil && LogWay(replica).isProven(behind: stopped.sequence)
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
