import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// Repairs a log with this device's kept entries, or continues with the log in the container. It
/// owns nothing.
struct LogRepairPlan {
  private let replica: ZoneReplica

  init(_ replica: ZoneReplica) { self.replica = replica }

  private var header: ZoneHeader { replica.header }
  private var keys: Keyring { replica.keys }
  private var store: any ObjectStore { replica.store }
  private var zone: ZoneID { replica.zone }
  private var index: IndexFile { replica.index }

  /// Reads the whole log back and plans a repair.
  /// - Parameters:
  ///   - takesUnread: Whether to remove the holder of the next position even if it may be a valid
  ///     entry for another reader.
  ///   - progress: Receives each position that was read.
  /// - Returns: the plan.
  /// - Throws: `CloudError` if the container cannot be read.
  func planRepair(takesUnread: Bool = false, _ progress: (UInt64) -> Void) throws -> LogRepair {
    do { _ = try replica.pull() } catch let error as CloudError {
      guard replica.trouble != nil else { throw error }
    }
    var plan = LogRepair(trouble: replica.trouble, follows: false)
    if let trouble = replica.trouble, trouble.kind == .held,
      trouble.isRubbish || (takesUnread && trouble.holder == .unread)
    {
      plan.held = trouble
    }
    if replica.trouble?.kind == .twoHistories {
      plan.follows = true
      return plan
    }
    for (place, _) in try LogConsistency(replica).differences(progress) {
      if try replica.kept(at: place) != nil {
        plan.kept.append(place)
      } else {
        plan.lost.append(place)
      }
    }
    // A gap behind the known entries: others must put its entries back.
    if let trouble = replica.trouble, trouble.kind == .damaged, trouble.agreed >= header.sequence {
      plan.lost.append(trouble.agreed + 1)
    }
    // Without the founding entry there is no zone to continue.
    if let trouble = replica.trouble, trouble.kind == .lostEnd, let first = plan.lost.first,
      first > 1
    {
      plan.follows = true
      plan.kept = plan.kept.filter { $0 <= trouble.agreed }
    }
    return plan
  }

  /// Puts kept entries back unchanged, the first one first. If the log shows that an entry was
  /// altered, the known one replaces it.
  /// - Throws: `CloudError` if somebody else has written at such a position meanwhile.
  func putBack(_ places: [UInt64], _ progress: (Int) -> Void) throws {
    for (done, place) in places.sorted().enumerated() {
      progress(done)
      guard let bytes = try replica.kept(at: place) else { continue }
      guard let key = try replica.place(place) else { continue }
      do throws(StoreError) {
        if try store.puts(key, bytes) { continue }
        try store.mend(key, bytes)
        continue
      } catch {
        guard !error.isWorthRetrying else { throw CloudError(error) }
      }
      // Another person's object is there and cannot be replaced: a spare copy has the same effect.
      guard try SpareEntries(replica).put(of: place) else { throw ZoneReplica.moved }
    }
    try putBackMarksAndCopies()
    replica.trouble = nil
    do { _ = try replica.pull() } catch let error as CloudError {
      // The next request reports the remaining problem.
      guard replica.trouble != nil else { throw error }
    }
  }

  /// A loss of entries may include end-of-epoch records and spare copies, even of existing entries,
  /// because a container goes back in time. All of them are put back if they are missing. The
  /// record of a raise by the last entry follows once there is an entry behind it.
  private func putBackMarksAndCopies() throws {
    try EpochEndRecords(replica).putAll()
    try index.write { db in
      try IndexedZone(db, zone: zone, header: header).log.forgetCopied()
    }
    try SpareEntries(replica).putAllOfFormerMembers()
  }

  /// Removes the holder of the next position, if it still is no entry.
  /// - Throws: `CloudError` if it cannot be removed from here.
  func takeAway(_ held: LogTrouble) throws {
    do { _ = try replica.pull() } catch let error as CloudError {
      guard replica.trouble?.kind == .held else { throw error }
    }
    guard let now = replica.trouble, now.kind == .held, now.isRubbish || now.holder == held.holder,
      now.holder != .entry, now.object == held.object,
      let key = now.object.flatMap({ ObjectKey($0) })
    else { return }
    do { try store.remove(key, ifIts: replica.cursor.held.bytes, upTo: EntryCodec.limit) } catch {
      throw CloudError(
        .permissionFailure, "\(key) can't be taken away: \(error.cause)",
        remedy: "ask its owner, or the owner of its folder, to delete it")
    }
    try takeAwayBehind(now.seen)
    _ = try replica.pull()
  }

  /// The maximum number of checked positions behind a free one.
  private static let most: UInt64 = 1_000

  /// Removes objects that nobody can continue from, and that would hold the log again after the
  /// next write: nobody must stop others repeatedly. An object that cannot be removed then holds
  /// it.
  private func takeAwayBehind(_ place: UInt64) throws {
    guard header.kind == .owned else { return }
    var (next, free) = (place + 1, 0)
    while free < LogCursor.lookAhead, next < place + Self.most {
      defer { next += 1 }
      guard let key = try replica.place(next) else { return }
      let found = try replica.find(at: key)
      guard found != .nothing else {
        free += 1
        continue
      }
      free = 0
      guard try isHopeless(found, at: next) else { return }
      do { try store.remove(key, ifIts: found.bytes, upTo: EntryCodec.limit) } catch { return }
    }
  }

  /// Returns whether the object at a position can never become a valid entry, or prove one: nobody
  /// can open it, or its author has no rights.
  private func isHopeless(_ found: LogObject, at place: UInt64) throws -> Bool {
    guard let bytes = found.bytes else { return true }
    do {
      return try !header.believes(replica.open(bytes, at: place, keys: keys).commit.author)
    } catch let refused as EntryRefused {
      return refused.isFinal
    }
  }

  /// Forgets the replayed state, and reads the log in the container from its beginning. Keys of
  /// epochs that began after `agreed` belong to the other history.
  func startOver(after agreed: ZoneHeader) throws {
    var common = Keyring()
    for key in keys.all where key.epoch <= max(agreed.epoch, 1) { common.insert(key) }
    try replica.forgetFold(keeping: common)
    _ = try replica.pull()
  }
}
