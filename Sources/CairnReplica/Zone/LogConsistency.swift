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
    var reader = LogReader(replica)
    try reader.run(.checkBehind)
  }

  /// Checks that the last known entry is there.
  /// - Throws: like `checkEnd`.
  func checkHead() throws {
    var reader = LogReader(replica)
    try reader.run(.checkHead)
  }

  /// Notices another user of this device's keys: an entry with its signature that this run did not
  /// write, after the log was read to its end.
  func noticeClone(_ commit: Commit, at sequence: UInt64) {
    guard replica.cursor.hasReadAll, commit.author == account.author, commit.run != people.use.run
    else {
      return
    }
    people.use.notice(ClonedDevice(zone: zone, sequence: sequence))
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
}
