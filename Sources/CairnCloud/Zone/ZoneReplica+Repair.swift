import CairnIndex
import CairnStore
import CairnZone

/// What can be done about the log of a zone that isn't what was read here before.
///
/// 1. What this device keeps is put back as it was: the very same bytes at the very same places. So
///    no sequence number is used twice, and nothing has to be written anew.
/// 2. Where somebody wrote other entries meanwhile, or what is missing isn't kept any more, the log
///    in the container decides, as it always does. What this device has beyond the last common
///    entry comes as new changes, under a new epoch: so one epoch and sequence never name two
///    entries.
public struct LogRepair: Hashable, Sendable {
  /// What is wrong; nil if it is the middle of the log only, or nothing.
  public var trouble: LogTrouble?
  /// The places whose entries are put back as they were.
  public var kept: [UInt64] = []
  /// The places whose entries are gone, and aren't kept here.
  public var lost: [UInt64] = []
  /// Whether the container's history is gone on with.
  public var follows: Bool
  /// What holds the next place and is no entry of anybody's, or one that nobody here can read: it
  /// is taken away.
  public var held: LogTrouble?

  /// Whether there is nothing to do.
  public var isEmpty: Bool { kept.isEmpty && lost.isEmpty && !follows && held == nil }
}

extension ZoneReplica {
  /// Reads the whole log back and says what can be done.
  /// - Parameters:
  ///   - takesUnread: whether what holds the next place is taken away also if it may be a good
  ///     entry to somebody else.
  ///   - progress: is told each place that was read.
  /// - Returns: what a repair would do.
  /// - Throws: `CloudError` if the container can't be read.
  func planRepair(takesUnread: Bool = false, _ progress: (UInt64) -> Void) throws -> LogRepair {
    do { _ = try pull() } catch let error as CloudError {
      guard trouble != nil else { throw error }
    }
    var plan = LogRepair(trouble: trouble, follows: false)
    if let trouble, trouble.kind == .held,
      trouble.isRubbish || (takesUnread && trouble.holder == .unread)
    {
      plan.held = trouble
    }
    if trouble?.kind == .twoHistories {
      plan.follows = true
      return plan
    }
    for (place, _) in try differences(progress) {
      if try kept(at: place) != nil { plan.kept.append(place) } else { plan.lost.append(place) }
    }
    // A gap behind what was read here: what stood in it is somebody else's to put back.
    if let trouble, trouble.kind == .damaged, trouble.agreed >= header.sequence {
      plan.lost.append(trouble.agreed + 1)
    }
    // Without the entry that founded it there is no zone to go on with.
    if let trouble, trouble.kind == .lostEnd, let first = plan.lost.first, first > 1 {
      plan.follows = true
      plan.kept = plan.kept.filter { $0 <= trouble.agreed }
    }
    return plan
  }

  func kept(at place: UInt64) throws -> [UInt8]? {
    try index.read { db in
      try IndexedZone(db, zone: zone, header: header).kept(at: place)
    }
  }

  /// The digest of an entry that was read here; nil if none was.
  func digest(at place: UInt64) throws -> Bytes32? {
    try index.read { db in
      try IndexedZone(db, zone: zone, header: header).digest(at: place)
    }
  }

  /// Puts kept entries back as they were, the first one first. Where the log shows that an entry
  /// was altered, the one that was read here takes its place.
  /// - Throws: `CloudError` if somebody else has written at such a place meanwhile.
  func putBack(_ places: [UInt64], _ progress: (Int) -> Void) throws {
    for (done, place) in places.sorted().enumerated() {
      progress(done)
      guard let bytes = try kept(at: place) else { continue }
      guard let key = try self.place(place) else { continue }
      do throws(StoreError) {
        if try store.puts(key, bytes) { continue }
        try store.mend(key, bytes)
        continue
      } catch {
        guard !error.isWorthRetrying else { throw CloudError(error) }
      }
      // What stands there is somebody else's, and can't be replaced: a copy does as well.
      guard try putCopy(of: place) else { throw Self.moved }
    }
    try putBackMarksAndCopies()
    trouble = nil
    do { _ = try pull() } catch let error as CloudError {
      // What is wrong still is said by whoever asks next.
      guard trouble != nil else { throw error }
    }
  }

  /// What took entries may have taken the marks of epochs' ends and copies along, also those of
  /// entries that still stand: a container goes back by time. All that should be there is put
  /// unless it is. While an entry that raised the epoch is the last one, its author may still have
  /// to take it back.
  private func putBackMarksAndCopies() throws {
    try markEnds()
    try index.write { db in
      try IndexedZone(db, zone: zone, header: header).forgetCopied()
    }
    try copyEntriesOfFormerMembers()
  }

  /// Puts the marks of all epochs that are over, unless they are there: with the keys that their
  /// entries hand out they lead whoever was away to the newest one.
  /// - Returns: whether all that this device knows of stand now.
  /// - Throws: `CloudError` if the container can't be used.
  @discardableResult
  func markEnds() throws -> Bool {
    let raised = try index.read { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      return try state.raises().map { ($0, try state.epoch(at: $0), try state.kept(at: $0)) }
    }
    var isMarked = true
    for case (let place, let epoch?, let bytes) in raised {
      guard let key = keys[epoch] else { continue }
      if let bytes = try bytes ?? fetch(place) { try putEnd(of: epoch, bytes, at: place) }
      do { isMarked = try store.size(of: folder.end(of: key)) != nil && isMarked } catch {
        throw CloudError(error)
      }
    }
    return isMarked
  }

  /// Takes away what holds the next place, if it still is no entry.
  /// - Throws: `CloudError` if it may not be taken away from here.
  func takeAway(_ held: LogTrouble) throws {
    do { _ = try pull() } catch let error as CloudError {
      guard trouble?.kind == .held else { throw error }
    }
    guard let now = trouble, now.kind == .held, now.isRubbish || now.holder == held.holder,
      now.holder != .entry, now.object == held.object,
      let key = now.object.flatMap({ ObjectKey($0) })
    else { return }
    do { try store.remove(key, ifIts: self.held.bytes) } catch {
      throw CloudError(
        .permissionFailure, "\(key) can't be taken away: \(error.cause)",
        remedy: "have its owner remove it, or whoever the folder belongs to that it stands in")
    }
    _ = try pull()
  }

  /// Forgets what was folded, and reads the log in the container from its beginning. Keys of epochs
  /// that began behind `agreed` are of the other history.
  func startOver(after agreed: ZoneHeader) throws {
    var common = Keyring()
    for key in keys.all where key.epoch <= max(agreed.epoch, 1) { common.insert(key) }
    try forgetFold(keeping: common)
    _ = try pull()
  }
}
