import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// The state of a mount's exchange with its zone's log: possible new entries, and its own commits.
struct ZoneSyncState {
  /// A Boolean value that indicates whether the log may have grown.
  var needsPull = true
  /// A Boolean value that indicates whether the store notified of the log.
  var isHinted = false
  /// A Boolean value that indicates whether changes of the zone were read since the last scan
  /// began.
  var hasChanges = false
  /// The lost transactions of the folders' index that this mount knows of.
  private var losses = 0
  /// A Boolean value that indicates whether a selection is followed once the zone was read.
  var isSelectionBehind = false
  /// A Boolean value that indicates whether the zone may have accepted a commit of this mount that
  /// the index doesn't have.
  var mayHaveSent = false {
    didSet { if !mayHaveSent { perhapsSent = nil } }
  }
  /// The changed nodes that the zone may have accepted, if the folder was scanned since. The scan
  /// may have found later changes of the same records.
  var perhapsSent: [RecordID: Node]?
  /// The contents read in this run, by their ids: their chunk lists aren't in the index.
  var contents: [ContentID: Content] = [:]
  /// Chunks of other devices that were read back in this run.
  private(set) var sound: Set<ChunkName> = []
  /// The number of successive commits that came after another device's.
  private(set) var lostRaces = 0
  /// The time until which this mount leaves the log to others, by the engine's clock.
  private(set) var yieldsUntil: Int64?

  /// The error of a container that accepts nothing now, or no packs.
  struct Refusal {
    var error: CloudError
    /// The time of the next attempt.
    var until: Int64
    /// The number of successive errors.
    var count: Int
    /// A Boolean value that indicates whether only packs are refused. Commits that need none are
    /// sent.
    var isOfPacks: Bool
  }

  private(set) var refusal: Refusal?

  /// Has the zone's changes marked again if the index lost transactions: perhaps it lost marks.
  /// - Parameter count: The number of lost transactions.
  /// - Returns: A Boolean value that indicates whether there are new ones.
  mutating func noteLosses(_ count: Int) -> Bool {
    guard count != losses else { return false }
    losses = count
    needsPull = true
    return true
  }

  /// Adds chunks that were read back. If there are very many, the older ones are read once more.
  mutating func noteSound(_ names: [ChunkName]) {
    if sound.count + names.count > 100_000 { sound = [] }
    sound.formUnion(names)
  }

  /// Returns the reason that nothing, or no packs, are sent at a time; nil if there is none.
  func refused(_ now: Int64) -> CloudError? {
    refusal.flatMap { now < $0.until ? $0.error : nil }
  }

  /// Returns the reason that no commits are sent at a time; nil if there is none.
  func refusedCommits(_ now: Int64) -> CloudError? {
    refusal?.isOfPacks == true ? nil : refused(now)
  }

  /// Notes that the container accepted nothing, or no pack. Each attempt comes later than the one
  /// before.
  mutating func stopSending(_ error: CloudError, ofPacks: Bool, _ now: Int64) {
    // Transfers that began before that end with the same error.
    guard refused(now) == nil || refusal?.isOfPacks == true && !ofPacks else { return }
    let count = (refusal?.count ?? 0) + 1
    let wait = Wait.delay(.container, tries: count - 1)
    refusal = Refusal(error: error, until: now + wait, count: count, isOfPacks: ofPacks)
  }

  /// Notes that the container accepts something again, or that nothing waits for it any more.
  mutating func sendAgain() { refusal = nil }

  /// A Boolean value that indicates whether the mount commits before it reads new entries. After a
  /// lost race it does, or the slowest of many writers would lose as long as the others write; but
  /// not forever.
  var sendsFirst: Bool { lostRaces % 8 != 0 }

  /// Returns the time until which nothing is done; nil if there is no pause.
  func pause(_ now: Int64) -> Int64? { yieldsUntil.flatMap { now < $0 ? $0 : nil } }

  /// Notes a lost race. A mount that loses repeatedly waits for a random time, one of 256 by
  /// `chance`: if all commit at once, one succeeds, and all others have read, planned and sealed
  /// for nothing.
  mutating func loseRace(_ now: Int64, chance: () -> UInt8) {
    needsPull = true
    lostRaces += 1
    guard lostRaces > 1 else { return }
    let share = Int64(chance()) + 1
    yieldsUntil = now + (1 << Int64(min(lostRaces, 6))) * 1_000_000 * share / 256
  }

  mutating func winRace() { lostRaces = 0 }

  /// Ends the pause, because somebody asks for the result.
  mutating func retryNow() {
    yieldsUntil = nil
    refusal?.until = .min
  }
}
