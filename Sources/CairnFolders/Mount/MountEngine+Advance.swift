import CairnCloud
import CairnPlan
import CairnZone

extension MountEngine {
  /// Plans the batch and carries the plan out.
  func advance(_ batch: [RecordID]) throws {
    let (ids, holdsDeletions) = try brakeDeletions(agenda.takePlannable(batch))
    guard !ids.isEmpty else { return }
    let (plan, head) = try planning(holdsDeletions: holdsDeletions) { trees in
      (try Planner.plan(ids, in: trees, mint: { RecordID.random() }), trees.zone.header.sequence)
    }
    for (id, deferral) in plan.deferred { wait(id, deferral, plan.deferred) }
    try hold(plan.deferred.keys.filter { isHeld($0, plan.deferred) })
    if !plan.identity.isEmpty {
      for step in plan.identity { try carryOut(step) }
      return
    }
    try carryOut(plan.folder)
    guard try isStillGone(plan.zone) else { return }
    try commit(plan.zone, after: head)
    // Among what was planned may be records that weren't asked for: the directory of one that was.
    try agree(Set(ids).union(plan.agreed), but: Set(plan.deferred.keys))
    exchange.mayHaveSent = false
  }

  /// Asks the pure core about the three trees as they are now.
  func planning<Result>(
    holdsDeletions: Bool = false, _ decide: (MountTrees) throws -> Result
  ) throws -> Result {
    try zone.read { view in
      try index.read(mount) { tree in
        try decide(
          MountTrees(
            zone: view, folder: tree, scope: scope, holdsDeletions: holdsDeletions,
            mayBeOlder: folder.attached?.isCompared != true,
            began: folder.attached?.began ?? .max, lastRun: lastRun))
      }
    }
  }

  private func wait(
    _ id: RecordID, _ deferral: Deferral, _ all: [RecordID: Deferral]
  ) {
    guard !isHeld(id, all) else { return }
    switch deferral {
    case .held: break
    // Its bytes are read first thing in a later turn, unless that failed, which says when.
    case .unread: if agenda[id].wait == nil { postpone(id, .busy, "its bytes aren't read yet") }
    case .blocked(let other):
      let reason = agenda[other].wait?.explanation ?? "\(other)"
      postpone(id, .blocked, "waits for another change (\(reason))")
    }
  }

  /// Whether a record waits for a word; what needs a held deletion out of its way waits as long.
  private func isHeld(_ id: RecordID, _ all: [RecordID: Deferral]) -> Bool {
    switch all[id] {
    case .held: true
    case .blocked(let other): all[other] == .held
    default: false
    }
  }

  /// Where local and remote are equal now, synced becomes the same, aspect by aspect; what isn't
  /// equal as a whole stays dirty. So does what is deferred, of which something was sent perhaps.
  func agree(_ ids: Set<RecordID>, but deferred: Set<RecordID> = []) throws {
    notices.mayHaveLinks = true
    try zone.read { view in
      let records = ScopedRecords(view, scope)
      try index.write(mount) { tree in
        for id in ids.sorted() {
          let remote = try records.node(id)
          let row = try tree.node(id)
          guard row?.local?.node == remote, !deferred.contains(id) else {
            try agreeInPart(row, remote, in: tree)
            if !deferred.contains(id) { countStall(id) }
            continue
          }
          agenda.settle(id)
          if var row, row.synced != remote {
            if let remote {
              try tree.setSynced(remote, of: id)
            } else {
              row.synced = nil
              try tree.put(row)
            }
          }
          try tree.clearDirty(id)
        }
      }
    }
  }

  private func agreeInPart(_ row: NodeRow?, _ remote: Node?, in tree: FolderTree) throws {
    guard let row, let local = row.local?.node, let remote, let synced = row.synced else { return }
    let common = local.agreement(with: remote, after: synced)
    if common != synced { try tree.setSynced(common, of: row.id) }
  }

  /// A record that stays dirty turn after turn without a reason is our mistake; it must not keep
  /// the processor busy for ever. That others were faster is a reason: one of them got on.
  private func countStall(_ id: RecordID) {
    guard !agenda.isWaiting(id), exchange.lostRaces == 0 else { return }
    if agenda.countStall(id) > 20 {
      postpone(id, .failed, "no progress after twenty attempts")
    }
  }

  // MARK: Zone

  /// Commits the groups in their order, several to a commit.
  func commit(_ groups: [[ZoneChange]], after head: UInt64) throws {
    var expected = head
    var pending: [[RecordChange]] = []
    var count = 0
    for (position, group) in groups.enumerated() {
      let changes = group.compactMap { self.change($0) }
      guard changes.count == group.count else { continue }
      pending.append(changes)
      count += changes.count
      if count >= 1_000 || position == groups.count - 1 {
        guard try send(pending, &expected) else { return }
        pending = []
        count = 0
      }
    }
    if !pending.isEmpty { _ = try send(pending, &expected) }
  }

  /// Sends one commit; false if the zone moved on meanwhile and all has to be planned again.
  private func send(_ groups: [[RecordChange]], _ expected: inout UInt64) throws -> Bool {
    let changes = groups.flatMap { $0 }
    do {
      report.happened(.sending(records: changes.count))
      exchange.mayHaveSent = true
      let header = try zone.commit(changes, expecting: expected)
      expected = header.sequence
      exchange.winRace()
      try countGone(changes)
      try passOwnCommit(header)
      report.progress.sent += changes.count
      report.happened(.sent(records: changes.count, sequence: header.sequence))
      return true
    } catch let error as CloudError {
      // A container that is full takes nothing of anybody; that passes for all changes at once.
      if error.code == .quotaExceeded, try !isOverLimit(changes) { throw error }
      switch error.code {
      case .serverRecordChanged:
        exchange.loseRace(clock.now) { RecordID.random().bytes[0] }
        return false
      case .permissionFailure, .quotaExceeded, .constraintViolation, .referenceViolation,
        .invalidArguments, .unknownItem, .limitExceeded:
        if groups.count > 1 {
          // One refused change must not take the others with it.
          for group in groups {
            guard try send([group], &expected) else { return false }
          }
          return true
        }
        for change in changes where try !readAgain(change) { refuse(change.id, error) }
        return true
      default: throw error
      }
    }
  }

  /// Has the bytes of a change read into the zone's chunks again, if they aren't there any more:
  /// the zone may go on with another history since. False if they are.
  private func readAgain(_ change: RecordChange) throws -> Bool {
    guard let content = change.content, exchange.contents[content.id] != nil,
      try !zone.read({ try $0.hasChunks(of: content) })
    else { return false }
    exchange.contents[content.id] = nil
    postpone(change.id, .busy, "its bytes have to be read again")
    unread(change.id)
    return true
  }

  /// Sets a change aside that the zone refused.
  func refuse(_ id: RecordID, _ error: CloudError) {
    do {
      if error.code == .permissionFailure || error.code == .quotaExceeded {
        try waitForWelcome(id, error)
      } else {
        postpone(id, .refused, error.message)
      }
      let path = try index.read(mount) { try $0.path(of: id) }
      tell(
        Problem(
          path: path.map { joined($0) } ?? [], code: error.code.rawValue, message: error.message,
          remedy: error.remedy),
        of: id)
    } catch {
      report.add([
        Problem(
          path: [], code: "internalError", message: "can't read the index: \(error)",
          remedy: "see `cairn status`")
      ])
    }
  }

  /// One's own commit isn't news, if nobody else's came before it.
  func passOwnCommit(_ header: ZoneHeader) throws {
    try index.write(mount) { tree in
      if try tree.seen == header.sequence - 1 { try tree.setSeen(header.sequence, header.head) }
    }
  }

  private func change(_ change: ZoneChange) -> RecordChange? {
    var content: Content?
    if let id = change.content {
      guard let known = exchange.contents[id] else {
        postpone(change.id, .busy, "its bytes have to be read again")
        unread(change.id)
        return nil
      }
      content = known
    }
    let place = zonePlace(of: change)
    return RecordChange(
      id: change.id, act: change.act, place: place, content: content,
      target: change.target, attributes: change.attributes)
  }

  private func unread(_ id: RecordID) {
    do {
      try index.write(mount) { tree in
        guard var row = try tree.node(id), var local = row.local else { return }
        local.node.kind = .file(nil)
        row.local = local
        try tree.put(row)
      }
    } catch {
      postpone(id, .failed, "can't write the index: \(error)")
    }
  }
}
