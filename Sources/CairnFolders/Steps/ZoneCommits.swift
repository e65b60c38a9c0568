import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// Sends a plan's changes to the zone: groups in their order, several to a commit. Refused changes
/// wait; after a lost race for the log, everything is planned again.
///
/// It uses these parts of the state: `clock`, `postpone`, `read`, `report`, `retries`, `scope`,
/// `tell`, `write`, `zone`, `zoneSync`.
struct ZoneCommits {
  /// The progress through the groups of a plan.
  private struct Progress {
    /// The expected number of the zone's last entry.
    var expected: UInt64
    /// A Boolean value that indicates whether a group was not sent: later groups may need it.
    var isIncomplete = false
    /// The zone's headers after the commits so far.
    var sent: [ZoneHeader] = []
  }

  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Commits the groups in their order, several to a commit.
  /// - Returns: The zone's headers after the commits, for `pass`.
  func commit(_ groups: [[ZoneChange]], after head: UInt64) throws -> [ZoneHeader] {
    var progress = Progress(expected: head)
    do { try sendAll(groups, &progress) } catch let error as CloudError {
      guard error.isOfContainer else { throw error }
      try stopSending(error)
      wait(groups.joined().map(\.id), error)
    }
    return progress.sent
  }

  private func sendAll(_ groups: [[ZoneChange]], _ progress: inout Progress) throws {
    guard !groups.isEmpty else { return }
    if let error = state.zoneSync.refusedCommits(state.clock.now) {
      return wait(groups.joined().map(\.id), error)
    }
    var pending: [[RecordChange]] = []
    var count = 0
    let borrowed = try BorrowedChunks(state, of: groups.joined())
    for (position, group) in groups.enumerated() {
      let changes = group.compactMap { self.change($0) }
      guard changes.count == group.count else {
        progress.isIncomplete = true
        continue
      }
      if let error = try borrowed.trouble(in: changes) {
        // The next change of the file is sent soon.
        for change in changes { refuse(change.id, error, for: .failed) }
        progress.isIncomplete = true
        continue
      }
      pending.append(changes)
      count += changes.reduce(0) { $0 + 1 + $1.extendedBytes / 4_096 }
      if count >= 1_000 || position == groups.count - 1 {
        guard try send(pending, &progress) else { return }
        pending = []
        count = 0
      }
    }
    if !pending.isEmpty { _ = try send(pending, &progress) }
  }

  /// Stops sending, because the container accepts nothing, or no packs, now. Changes of others are
  /// still received.
  func stopSending(_ error: CloudError, ofPacks: Bool = false) throws {
    state.zoneSync.stopSending(error, ofPacks: ofPacks, state.clock.now)
    state.report.setRefusal(
      PathProblem(path: [], code: error.code, message: error.message, remedy: error.remedy))
  }

  /// Lets changes wait until the container accepts them.
  func wait(_ ids: [RecordID], _ error: CloudError) {
    for id in ids { state.postpone(id, .container, error.message) }
  }

  /// Sends again, because the container accepted something, or nothing waits for it any more.
  func sendAgain() {
    guard state.zoneSync.refusal != nil else { return }
    state.zoneSync.sendAgain()
    state.retries.hurry(.container)
    state.report.setRefusal(nil)
  }

  /// Sends one commit. Returns false if the zone changed meanwhile and everything must be planned
  /// again.
  private func send(_ groups: [[RecordChange]], _ progress: inout Progress) throws -> Bool {
    let changes = groups.flatMap { $0 }
    let (tried, wasInDoubt) = (state.zone.entriesTried, state.zoneSync.mayHaveSent)
    do {
      state.report.happened(.sending(records: changes.count))
      state.zoneSync.mayHaveSent = true
      let header = try state.zone.commit(changes, expecting: progress.expected)
      progress.expected = header.sequence
      state.zoneSync.winRace()
      // A commit with everything in it says nothing about packs.
      if state.zoneSync.refusal?.isOfPacks != true { sendAgain() }
      try DeletionGate(state).countGone(changes)
      progress.sent.append(header)
      state.report.progress.sent += changes.count
      state.report.happened(.sent(records: changes.count, sequence: header.sequence))
      return true
    } catch let error as CloudError {
      state.report.happened(.notSent(reason: error.message))
      // No commit needs to be recognized: the folder can be scanned while the container is
      // unavailable.
      if state.zone.entriesTried == tried { state.zoneSync.mayHaveSent = wasInDoubt }
      // That ends for all changes at once.
      if error.isOfContainer { throw error }
      switch error.code {
      case .serverRecordChanged:
        state.zoneSync.loseRace(state.clock.now) { RecordID.random().bytes[0] }
        return false
      case .permissionFailure, .quotaExceeded, .constraintViolation, .referenceViolation,
        .invalidArguments, .unknownItem, .limitExceeded:
        if groups.count > 1 {
          // One refused change must not prevent the others.
          for group in groups {
            guard try send([group], &progress) else { return false }
          }
          return true
        }
        for change in changes where try !readAgain(change) {
          // It cannot be right without the unsent ones before it; the next plan has both.
          if progress.isIncomplete, error.isPlannedAnew {
            state.postpone(change.id, .blocked, error.message)
          } else {
            refuse(change.id, error)
          }
        }
        progress.isIncomplete = true
        return true
      default: throw error
      }
    } catch {
      state.report.happened(.notSent(reason: "\(error)"))
      throw error
    }
  }

  /// Has the bytes of a change read into the zone's chunks again, if they are missing: the zone may
  /// have continued with another history. Returns false if they are there.
  private func readAgain(_ change: RecordChange) throws -> Bool {
    guard let content = change.content, state.zoneSync.contents[content.id] != nil,
      try !state.zone.read({ try $0.hasChunks(of: content) })
    else { return false }
    state.zoneSync.contents[content.id] = nil
    state.postpone(change.id, .busy, "its bytes have to be read again")
    unread(change.id)
    return true
  }

  /// Lets a change wait that the zone refused, or that cannot be sent.
  func refuse(_ id: RecordID, _ error: CloudError, for reason: Wait.Reason = .refused) {
    do {
      if error.code == .permissionFailure || error.code == .quotaExceeded {
        try QuotaRetry(state).waitForAllowance(id, error)
      } else {
        state.postpone(id, reason, error.message)
      }
      let path = try state.read { try $0.path(of: id) }
      state.tell(
        PathProblem(
          path: path.map { joined($0) } ?? [], code: error.code, message: error.message,
          remedy: error.remedy),
        of: id)
    } catch {
      state.report.add([
        PathProblem(
          path: [], code: .internalError, message: "can't read the index: \(error)",
          remedy: "see `cairn status`")
      ])
    }
  }

  /// Skips the device's own commit, if no other commit came before it. Otherwise, and after an
  /// error, its changes are received like those of others, and differ from nothing.
  static func pass(_ header: ZoneHeader, in tree: FolderTree, of state: MountState) throws {
    // A moved directory changes what this device's own rules hide below it.
    guard state.scope.selection.hidden == nil else {
      state.zoneSync.needsPull = true
      return
    }
    if try tree.seen == header.sequence - 1 { try tree.setSeen(header.sequence, header.head) }
  }

  private func change(_ change: ZoneChange) -> RecordChange? {
    var content: Content?
    if let id = change.content {
      guard let known = state.zoneSync.contents[id] else {
        state.postpone(change.id, .busy, "its bytes have to be read again")
        unread(change.id)
        return nil
      }
      content = known
    }
    let place = MountSelection(state).zonePlace(of: change)
    return RecordChange(
      id: change.id, act: change.act, place: place, content: content,
      target: change.target, attributes: change.attributes)
  }

  private func unread(_ id: RecordID) {
    do {
      try state.write { tree in
        guard var row = try tree.node(id), var local = row.local else { return }
        local.node.kind = .file(nil)
        row.local = local
        try tree.put(row)
      }
    } catch {
      state.postpone(id, .failed, "can't write the index: \(error)")
    }
  }
}

extension RecordChange {
  /// The bytes of extended attributes, with their names.
  fileprivate var extendedBytes: Int {
    attributes?.extended?.reduce(0) { $0 + $1.key.count + $1.value.count } ?? 0
  }
}
