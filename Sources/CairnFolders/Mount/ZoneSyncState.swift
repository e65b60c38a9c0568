import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// The state of a mount's exchange with its zone's log: possible new entries, and its own commits.
struct ZoneSyncState {
  /// A Boolean value that indicates whether the log may have grown.
  var needsPull = true
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

/// A commit whose answer got lost.
struct SentCommits {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Notes the agreement of both sides where the zone has the state of the last scan. A person's
  /// change since this device's own commit would seem to conflict with it.
  func recognizeOwnCommit() throws {
    state.zoneSync.needsPull = true
    try ZonePull(state).pullIfNeeded()
    try state.zone.read { view in
      let records = ScopedRecords(view, state.scope)
      try state.write { tree in
        let sent = state.zoneSync.perhapsSent ?? [:]
        for id in try Set(tree.dirty(limit: .max)).union(sent.keys).sorted() {
          var row = try tree.node(id) ?? NodeRow(id: id, local: nil, synced: nil)
          guard let local = sent[id] ?? row.local?.node, local != row.synced else { continue }
          let presence = try records.presence(id)
          let remote = presence.node
          if try local == remote || row.synced == nil && wasSent(local, id, presence, view) {
            row.synced = local
          } else {
            if let remote {
              row.synced = row.synced.map { local.agreement(with: remote, after: $0) }
            }
            // Somebody may have changed or deleted the record since.
            if case .file(let content?) = local.kind, local.kind != remote?.kind,
              case .file(let agreed?) = row.synced?.kind,
              try view.hadContent(content, after: agreed, record: id)
            {
              row.synced?.kind = local.kind
              row.synced?.attributes.modified = local.attributes.modified
            }
          }
          guard row.local != nil || row.synced != nil else { continue }
          try tree.put(row)
          if sent[id] != nil, row.local?.node != row.synced { try tree.markDirty(id, .local) }
        }
      }
    }
    state.zoneSync.mayHaveSent = false
  }

  /// Remembers the nodes that the zone may have accepted, before the folder is scanned.
  func rememberSent() throws {
    guard state.zoneSync.perhapsSent == nil else { return }
    state.zoneSync.perhapsSent = try state.read { tree in
      var sent: [RecordID: Node] = [:]
      for id in try tree.dirty(limit: .max) {
        guard let row = try tree.node(id), let local = row.local?.node, local != row.synced
        else { continue }
        sent[id] = local
      }
      return sent
    }
  }

  /// Returns whether a node without an agreement was sent nevertheless, and its record was changed,
  /// moved or deleted since.
  private func wasSent(
    _ local: Node, _ id: RecordID, _ presence: Presence, _ view: ZoneView
  ) throws -> Bool {
    switch presence {
    case .here, .elsewhere: break
    case .inAnotherZone, .nowhere: guard try view.deletion(of: id) != nil else { return false }
    }
    switch local.kind {
    case .file(let content?): return try view.hadContent(content, record: id)
    case .directory: return presence.node?.isDirectory ?? true
    case .file(nil), .symlink: return false
    }
  }
}
