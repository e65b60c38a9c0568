import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// The comparison of a folder with a zone whose log has another history. It never starts by itself.
/// A person who wants to continue has the folder compared again, against the last common state, so
/// that nothing counts as deleted only because the container lost it.
///
/// It uses these parts of the state: `folder`, `held`, `hintEverything`, `lastRun`, `mount`,
/// `read`, `retries`, `root`, `scanQueue`, `scope`, `write`, `zone`, `zoneSync`.
struct Comparison {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Returns the position of this folder in a log that isn't the zone's any more; nil if it is.
  func lostToken() throws -> LogTrouble? {
    let (seen, head) = try state.read { try $0.seenEnd }
    guard seen > 0 else { return nil }
    return try state.zone.read { try Self.trouble(of: (seen, head), in: $0) }
  }

  private static func trouble(
    of token: (seen: UInt64, head: Bytes32?), in view: ZoneView
  ) throws -> LogTrouble? {
    guard token.seen > 0 else { return nil }
    guard let known = try view.head(at: token.seen) else {
      // Positions before the log start needn't be known any more.
      guard token.seen >= view.header.floor?.checkpoint ?? 0 else { return nil }
      return LogTrouble(.lostEnd, agreed: view.header.sequence, seen: token.seen)
    }
    // The point of divergence is unknown, because the index that had it is gone.
    return token.head == nil || token.head == known
      ? nil : LogTrouble(.twoHistories, agreed: 0, seen: token.seen)
  }

  static func check(_ token: (seen: UInt64, head: Bytes32?), in view: ZoneView) throws {
    guard let trouble = try trouble(of: token, in: view) else { return }
    throw CloudError(
      .changeTokenExpired, trouble.message + " (this is what the folder was in step with)",
      remedy: trouble.remedy)
  }

  /// Marks everything that the folder shows and the zone lacks for the next sync cycle. Deletions
  /// that the zone has forgotten aren't in its changes any more.
  func markForgotten(_ view: ZoneView) throws {
    let records = ScopedRecords(view, state.scope)
    try state.write { tree in
      try each(in: tree) { row in
        guard row.synced != nil, try records.node(row.id) == nil else { return }
        try tree.markDirty(row.id, .remote)
      }
    }
  }

  /// Compares the folder again with a zone that continues after `common`. Local changes since then
  /// are sent to the zone as new changes, and remote changes are applied. If both sides changed
  /// something, both versions survive.
  ///
  /// Without `common` the common state is unknown. Then entries that only the folder has are added
  /// to the zone again, unless the log contains their deletion. If the two sides differ, both
  /// versions are kept.
  func compareAnew(since common: Zone?) throws {
    guard state.mount != 0 else { return }
    try FolderSteps(state).finishPortion()
    if let common {
      try state.zone.read { ours in try common.read { view in try settle(on: view, ours) } }
    } else {
      try state.zone.read { view in try settleWithout(view) }
    }
    // Their chunks may exist in the other history only.
    state.zoneSync.contents = [:]
    state.zoneSync.needsPull = true
    state.hintEverything()
  }

  /// Agrees on the common state. Only the changes in entries that the container lost count as local
  /// changes. Changes that the folder lacked before them still have to arrive, and aren't
  /// deletions.
  private func settle(on view: ZoneView, _ ours: ZoneView) throws {
    let (common, own) = (ScopedRecords(view, state.scope), ScopedRecords(ours, state.scope))
    try state.write { tree in
      // The zone's index may have been lost after the folder was up to date with it, and may be of
      // another history than the folder itself.
      let isInStep = try Self.trouble(of: tree.seenEnd, in: ours) == nil
      try each(in: tree) { row in
        let (base, mine) = (try common.node(row.id), try own.node(row.id))
        guard isInStep || row.synced == mine else {
          return try agreeWithout(row, base, view, in: tree)
        }
        // A record that lost entries created and deleted may still be in the folder.
        guard base != mine || row.synced != mine else { return }
        let isOlder = try row.synced != mine && isKnown(row, base, in: view)
        try agree(on: isOlder ? row.synced : base, row, in: tree)
      }
      var stack = [RecordID.root]
      while let directory = stack.popLast() {
        for id in try common.children(of: directory) {
          guard let node = try common.node(id) else { continue }
          if node.isDirectory { stack.append(id) }
          guard try tree.node(id) == nil else { continue }
          // A record that was deleted here since then has no node any more.
          let isDeleted = try own.presence(id) == .nowhere
          let row = NodeRow(id: id, local: nil, synced: nil)
          try agree(on: isDeleted ? node : nil, row, in: tree)
        }
      }
      let header = view.header
      if !isInStep {
        try tree.setSeen(0, nil)
      } else if try tree.seen > header.sequence {
        try tree.setSeen(header.sequence, header.head)
      }
    }
  }

  /// Returns whether the agreed state of a row is part of the common history: the folder was
  /// behind.
  private func isKnown(_ row: NodeRow, _ base: Node?, in view: ZoneView) throws -> Bool {
    switch row.synced?.kind {
    case .file(let content?): try view.hadContent(content, record: row.id)
    case .file(nil), .directory, .symlink: base != nil
    case nil: true
    }
  }

  /// Notes that all that stood in the folder was compared: what turns up from now on, somebody put
  /// there since. After a power cut, what depends on gathered deletions isn't compared yet.
  func noteCompared() throws {
    guard state.folder.attached?.isCompared != true, state.scanQueue.unread.isQuiet,
      !(state.held.isGathering && state.lastRun.stop.mayHaveOldIndex)
    else { return }
    try state.write { try $0.setCompared(true) }
    state.folder.note { $0.isCompared = true }
  }

  private func settleWithout(_ view: ZoneView) throws {
    let records = ScopedRecords(view, state.scope)
    try state.write { tree in
      try each(in: tree) { row in
        try agreeWithout(row, records.node(row.id), view, in: tree)
      }
      // All changes in the log are checked, from its beginning.
      try tree.setSeen(0, nil)
    }
  }

  /// Agrees on the common state of both sides, and on deletions in the log.
  private func agreeWithout(
    _ row: NodeRow, _ remote: Node?, _ view: ZoneView, in tree: FolderTree
  ) throws {
    guard row.synced != remote else { return }
    let isMeant = try remote == nil && view.deletion(of: row.id) != nil
    try agree(on: isMeant ? row.synced : row.local?.node == remote ? remote : nil, row, in: tree)
  }

  private func agree(on node: Node?, _ row: NodeRow, in tree: FolderTree) throws {
    var row = row
    row.synced = node
    state.retries.release(row.id)
    try tree.markDirty(row.id, [.local, .remote])
    try tree.put(row)
  }

  private func each(in tree: FolderTree, _ body: (NodeRow) throws -> Void) throws {
    var last: RecordID?
    while true {
      let page = try tree.nodes(after: last, limit: 1_000)
      for row in page { try body(row) }
      guard page.count == 1_000 else { return }
      last = page.last?.id
    }
  }

  /// Returns a function that reads a file of this folder from its beginning, for a caller that
  /// needs the bytes of a record; false if the file isn't here.
  func lend(
    _ id: RecordID, _ body: ((UnsafeMutableRawBufferPointer) throws -> Int) throws -> Void
  ) throws -> Bool {
    guard let root = state.root, let path = try state.read({ try $0.path(of: id) }) else {
      return false
    }
    let file: Descriptor
    do throws(FolderError) { file = try root.openFile(path) } catch {
      guard error.code == .notFound || error.code == .denied else { throw error }
      return false
    }
    try body { try file.read(into: $0) }
    return true
  }

  /// Reads the files that seem to equal the zone's, and returns those that differ: relative paths.
  func differingFiles(_ progress: (Int) -> Void) throws -> [[UInt8]] {
    guard let root = state.root else { return [] }
    var rows: [(row: NodeRow, path: [FileNameBytes])] = []
    try state.read { tree in
      try each(in: tree) { row in
        guard case .file(.some) = row.local?.node.kind, row.local?.node == row.synced,
          let path = try tree.path(of: row.id)
        else { return }
        rows.append((row, path))
      }
    }
    var found: [[UInt8]] = []
    for (done, (row, path)) in rows.enumerated() {
      progress(done)
      do throws(FolderError) {
        let file = try root.openFile(path)
        // A change since the last scan is about to be sent, and is no damage.
        guard row.isUnchanged(try FileStat.of(file)) else { continue }
        let id = try content(of: file)
        if row.synced?.kind != .file(id) { found.append(joined(path)) }
      } catch {
        if error.code != .notFound { found.append(joined(path)) }
      }
    }
    return found
  }

  private func content(of file: Descriptor) throws(FolderError) -> ContentID {
    do { return try state.zone.contentID { try file.read(into: $0) } } catch let error
      as FolderError
    {
      throw error
    } catch {
      throw FolderError(.failed, [], "\(error)")
    }
  }
}
