import CairnIndex
import CairnStore
import CairnZone

/// Mends a log by what this device keeps of it, or goes on with the one in the container. It owns
/// nothing.
struct LogMending {
  private let replica: ZoneReplica

  init(_ replica: ZoneReplica) { self.replica = replica }

  private var header: ZoneHeader { replica.header }
  private var keys: Keyring { replica.keys }
  private var store: any ObjectStore { replica.store }
  private var zone: ZoneID { replica.zone }
  private var index: IndexFile { replica.index }

  /// Reads the whole log back and says what can be done.
  /// - Parameters:
  ///   - takesUnread: whether what holds the next place is taken away also if it may be a good
  ///     entry to somebody else.
  ///   - progress: is told each place that was read.
  /// - Returns: what a repair would do.
  /// - Throws: `CloudError` if the container can't be read.
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
    for (place, _) in try LogCheck(replica).differences(progress) {
      if try replica.kept(at: place) != nil {
        plan.kept.append(place)
      } else {
        plan.lost.append(place)
      }
    }
    // A gap behind what was read here: what stood in it is somebody else's to put back.
    if let trouble = replica.trouble, trouble.kind == .damaged, trouble.agreed >= header.sequence {
      plan.lost.append(trouble.agreed + 1)
    }
    // Without the entry that founded it there is no zone to go on with.
    if let trouble = replica.trouble, trouble.kind == .lostEnd, let first = plan.lost.first,
      first > 1
    {
      plan.follows = true
      plan.kept = plan.kept.filter { $0 <= trouble.agreed }
    }
    return plan
  }

  /// Puts kept entries back as they were, the first one first. Where the log shows that an entry
  /// was altered, the one that was read here takes its place.
  /// - Throws: `CloudError` if somebody else has written at such a place meanwhile.
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
      // What stands there is somebody else's, and can't be replaced: a copy does as well.
      guard try EntryCopies(replica).put(of: place) else { throw ZoneReplica.moved }
    }
    try putBackMarksAndCopies()
    replica.trouble = nil
    do { _ = try replica.pull() } catch let error as CloudError {
      // What is wrong still is said by whoever asks next.
      guard replica.trouble != nil else { throw error }
    }
  }

  /// What took entries may have taken the marks of epochs' ends and copies along, also those of
  /// entries that still stand: a container goes back by time. All that should be there is put
  /// unless it is; the mark of a raise that is the last entry once something stands behind it.
  private func putBackMarksAndCopies() throws {
    try EpochMarks(replica).putAll()
    try index.write { db in
      try IndexedZone(db, zone: zone, header: header).forgetCopied()
    }
    try EntryCopies(replica).putAllOfFormerMembers()
  }

  /// Takes away what holds the next place, if it still is no entry.
  /// - Throws: `CloudError` if it may not be taken away from here.
  func takeAway(_ held: LogTrouble) throws {
    do { _ = try replica.pull() } catch let error as CloudError {
      guard replica.trouble?.kind == .held else { throw error }
    }
    guard let now = replica.trouble, now.kind == .held, now.isRubbish || now.holder == held.holder,
      now.holder != .entry, now.object == held.object,
      let key = now.object.flatMap({ ObjectKey($0) })
    else { return }
    do { try store.remove(key, ifIts: replica.held.bytes, upTo: EntryCodec.limit) } catch {
      throw CloudError(
        .permissionFailure, "\(key) can't be taken away: \(error.cause)",
        remedy: "have its owner remove it, or whoever the folder belongs to that it stands in")
    }
    try takeAwayBehind(now.seen)
    _ = try replica.pull()
  }

  /// Of places that are filled behind a free one so many are looked at.
  private static let most: UInt64 = 1_000

  /// Takes away what nobody can go on from, and would hold the log again as soon as somebody has
  /// written before it: nobody shall make others wait again and again. What can't be taken away
  /// holds it then.
  private func takeAwayBehind(_ place: UInt64) throws {
    guard header.kind == .owned else { return }
    var (next, free) = (place + 1, 0)
    while free < LogWay.lookAhead, next < place + Self.most {
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

  /// Whether what stands at a place can't become a valid entry there, or prove one: it can't be
  /// opened by anybody, or is by somebody without rights.
  private func isHopeless(_ found: ZoneReplica.Found, at place: UInt64) throws -> Bool {
    guard let bytes = found.bytes else { return true }
    do {
      return try !header.believes(replica.open(bytes, at: place, keys: keys).commit.author)
    } catch let refused as EntryRefused {
      return refused.isFinal
    }
  }

  /// Forgets what was folded, and reads the log in the container from its beginning. Keys of epochs
  /// that began behind `agreed` are of the other history.
  func startOver(after agreed: ZoneHeader) throws {
    var common = Keyring()
    for key in keys.all where key.epoch <= max(agreed.epoch, 1) { common.insert(key) }
    try replica.forgetFold(keeping: common)
    _ = try replica.pull()
  }
}
