import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// Merges texts that changed on both sides, instead of making a conflict copy.
///
/// The merged text is a new version of the record in the zone, from which the folder receives it
/// like any other one. The same commit creates a conflict copy with the version of the folder, and
/// the next one deletes it: so both versions stay in the history, and the copy is in no folder. If
/// this device ends in between, the copy stays as an ordinary conflict copy.
///
/// It uses these parts of the state: `clock`, `hint`, `isReadOnly`, `postpone`, `read`, `report`,
/// `retries`, `root`, `settings`, `transfers`, `write`, `zone`, `zoneSync`.
struct TextMerges {
  /// The course of an attempt.
  enum Attempt {
    /// The lines don't merge.
    case isConflict
    /// It is under way, or it is done.
    case isHandled
  }

  /// A merge that was handed out for a record.
  private struct Merge {
    var file: UploadJob.File
    var versions: MergeJob.Versions
    var base: Content
    var remote: Record
  }

  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Merges a file whose bytes changed on both sides.
  func attempt(_ id: RecordID) throws -> Attempt {
    guard state.settings.mergesText, !state.isReadOnly, let merge = try merge(of: id) else {
      return .isConflict
    }
    switch state.transfers.takeMerge(of: id, merge.versions) {
    case .isConflict: return .isConflict
    case .merged(let content, let local): return try commit(merge, content, local)
    case .isAnother, nil:
      handOut(merge)
      return .isHandled
    }
  }

  /// Returns the three versions of a record; nil if they can't be merged.
  private func merge(of id: RecordID) throws -> Merge? {
    let found = try state.read { tree -> UploadJob.File? in
      guard let row = try tree.node(id), let local = row.local, let path = try tree.path(of: id)
      else { return nil }
      return UploadJob.File(row: row, local: local, path: path)
    }
    guard let file = found, case .file(let local?) = file.local.node.kind,
      case .file(let base?) = file.row.synced?.kind,
      file.local.size <= UInt64(TextMerge.mostBytes), rules().include(file.path)
    else { return nil }
    let (remote, old) = try state.zone.read { view in
      let record = try view.record(id)
      guard let content = record?.content, Self.isShort(content) else {
        return (Record?.none, Content?.none)
      }
      let versions = try view.versions(of: id, limit: Self.mostVersions)
      return (record, versions.lazy.compactMap(\.record.content).first { $0.id == base })
    }
    guard let remote, let content = remote.content, let old, Self.isShort(old) else { return nil }
    return Merge(
      file: file,
      versions: MergeJob.Versions(base: base, local: local, remote: content.id),
      base: old, remote: remote)
  }

  /// The number of versions among which the common base is looked for.
  private static let mostVersions = 256

  private static func isShort(_ content: Content) -> Bool {
    content.size <= UInt64(TextMerge.mostBytes)
  }

  /// Reads the folder's rules; those that can't be read have no effect.
  private func rules() -> MergeRules {
    let name = Array(MergeRules.fileName.utf8)
    guard let root = state.root else { return MergeRules(parsing: nil) }
    do throws(FolderError) {
      return MergeRules(
        parsing: try root.openFile([name]).readAll(
          upTo: IgnoreRules.mostBytes, as: "read the rules"))
    } catch {
      return MergeRules(parsing: nil)
    }
  }

  private func handOut(_ merge: Merge) {
    guard let root = state.root else { return }
    let (file, versions) = (merge.file, merge.versions)
    guard state.transfers.hasRoom(for: 1), let remote = merge.remote.content else {
      return state.postpone(file.id, .transfer, "waits for other files to be sent")
    }
    let token = state.transfers.token(.upload, alone: nil, state.report.board, state.clock)
    state.transfers.begin(
      file.id, Transfers.UnderWay(version: .local(file.local), token: token, isAlone: true))
    let job = MergeJob(
      file: file, base: merge.base, remote: remote, root: root, zone: state.zone, token: token)
    state.transfers.handOut(.upload, [file.id], size: job.size, memory: MergeJob.memory) {
      .merged(job.run(of: versions))
    }
  }

  /// Notes the outcome of an attempt.
  /// - Throws: The error that ended it.
  func takeIn(_ result: MergeJob.Result) throws {
    let id = result.file.id
    guard state.transfers.end(id, result.token) else { return }
    switch result.error {
    case nil: break
    case is TransferToken.Cancelled: return
    case let error as CloudError where error.isOfContainer:
      try ZoneCommits(state).stopSending(error, ofPacks: true)
      return ZoneCommits(state).wait([id], error)
    case let error?: throw error
    }
    if case .isAnother = result.outcome {
      state.postpone(id, .busy, "the file changed while it was read")
      return state.hint(changed: [joined(result.file.path)])
    }
    state.transfers.note(result.outcome, of: id, result.versions)
  }

  // MARK: Commits

  /// Gives the record the merged text.
  private func commit(_ merge: Merge, _ merged: Content, _ local: Content) throws -> Attempt {
    for content in [merged, local] { state.zoneSync.contents[content.id] = content }
    let fresh = RecordID.random()
    guard let (changes, head) = try changes(merge, merged, local, fresh) else {
      return .isHandled
    }
    var headers: [ZoneHeader] = []
    if !changes.isEmpty {
      if let error = try troubleWithChunks(of: changes) {
        ZoneCommits(state).refuse(merge.file.id, error, for: .failed)
        return .isHandled
      }
      switch try send(changes, after: head, for: merge) {
      case .sent(let header): headers = [header]
      case .refused: return .isConflict
      case .waits: return .isHandled
      }
    }
    var isClean = true
    if let copy = changes.first(where: { $0.id == fresh }), let last = headers.last {
      if let header = try delete(copy, after: last) {
        headers.append(header)
      } else {
        isClean = false
      }
    }
    try agree(merge, headers, isClean: isClean)
    return .isHandled
  }

  /// The changes that make the merged text the version of the record, and the end of the log before
  /// them.
  /// - Returns: The changes, which are empty if the zone has that text; nil if the zone moved on.
  private func changes(
    _ merge: Merge, _ merged: Content, _ local: Content, _ fresh: RecordID
  ) throws -> (changes: [RecordChange], head: UInt64)? {
    try state.zone.read { view in
      guard let record = try view.record(merge.file.id), record == merge.remote,
        let place = record.place
      else { return nil }
      var changes: [RecordChange] = []
      if merged.id != record.content?.id {
        changes.append(
          RecordChange(
            id: record.id, act: .update, content: merged, attributes: attributes(merge)))
        // The version of the folder, if it isn't the merged text itself.
        if merged.id != local.id {
          let mine = merge.file.local.node.attributes
          let name = try freeName(place, view)
          changes.append(
            RecordChange(
              id: fresh, act: .create(.file), place: Place(parent: place.parent, name: name),
              content: local,
              attributes: Attributes(
                isExecutable: mine.isExecutable, modified: mine.modified)))
        }
      }
      return (changes, view.header.sequence)
    }
  }

  /// The attributes of the merged text: the later time of both versions, and the executable bit of
  /// the side that changed it.
  private func attributes(_ merge: Merge) -> Attributes {
    let (mine, theirs) = (merge.file.local.node.attributes, merge.remote.attributes)
    let isExecutable =
      theirs.isExecutable == merge.file.row.synced?.attributes.isExecutable
      ? mine.isExecutable : theirs.isExecutable
    return Attributes(
      isExecutable: isExecutable, modified: max(mine.modified, theirs.modified))
  }

  private func freeName(_ place: Place, _ view: ZoneView) throws -> FileName {
    let label = ConflictLabel(state)
    var attempt = 1
    while true {
      let name = conflictName(of: place.name, label: label, attempt: attempt)
      if try view.child(of: place.parent, named: name) == nil { return name }
      attempt += 1
    }
  }

  private func troubleWithChunks(of changes: [RecordChange]) throws -> CloudError? {
    let planned = changes.map { ZoneChange(id: $0.id, act: $0.act, content: $0.content?.id) }
    return try BorrowedChunks(state, of: planned).trouble(in: changes)
  }

  private enum Sending {
    case sent(ZoneHeader), refused, waits
  }

  /// Commits the changes. If the zone refuses them, an ordinary conflict copy is made.
  private func send(
    _ changes: [RecordChange], after head: UInt64, for merge: Merge
  ) throws -> Sending {
    if let error = state.zoneSync.refusedCommits(state.clock.now) {
      ZoneCommits(state).wait([merge.file.id], error)
      return .waits
    }
    let (tried, wasInDoubt) = (state.zone.entriesTried, state.zoneSync.mayHaveSent)
    do {
      state.zoneSync.mayHaveSent = true
      let header = try state.zone.commit(changes, expecting: head)
      state.zoneSync.winRace()
      if state.zoneSync.refusal?.isOfPacks != true { ZoneCommits(state).sendAgain() }
      return .sent(header)
    } catch let error as CloudError {
      if state.zone.entriesTried == tried { state.zoneSync.mayHaveSent = wasInDoubt }
      if error.isOfContainer {
        try ZoneCommits(state).stopSending(error)
        ZoneCommits(state).wait([merge.file.id], error)
        return .waits
      }
      switch error.code {
      case .serverRecordChanged:
        state.zoneSync.loseRace(state.clock.now) { RecordID.random().bytes[0] }
        return .waits
      case .permissionFailure, .quotaExceeded, .constraintViolation, .referenceViolation,
        .invalidArguments, .unknownItem, .limitExceeded:
        return .refused
      default: throw error
      }
    }
  }

  /// Deletes the copy of the folder's version, unless somebody changed it.
  /// - Returns: The header after the deletion; nil if the copy stays.
  private func delete(_ copy: RecordChange, after header: ZoneHeader) throws -> ZoneHeader? {
    var head = header.sequence
    for _ in 0..<Self.mostAttempts {
      do {
        return try state.zone.commit(
          [RecordChange(id: copy.id, act: .delete)], expecting: head)
      } catch let error as CloudError where error.code == .serverRecordChanged {
        state.zoneSync.needsPull = true
      } catch is CloudError {
        // The copy reaches this folder as it reaches those of others.
        return nil
      }
      do { try state.zone.pull() } catch is CloudError { return nil }
      let isThere = try state.zone.read { view in
        head = view.header.sequence
        let record = try view.record(copy.id)
        return record?.content?.id == copy.content?.id && record?.place == copy.place
      }
      guard isThere else { return nil }
    }
    return nil
  }

  /// The number of attempts to delete a copy.
  private static let mostAttempts = 8

  /// Notes that the zone has the bytes of the folder, so that the merged text replaces them as a
  /// version of others would.
  private func agree(_ merge: Merge, _ headers: [ZoneHeader], isClean: Bool) throws {
    let id = merge.file.id
    if !isClean { state.zoneSync.needsPull = true }
    try state.write { tree in
      guard var row = try tree.node(id), row.synced != nil else { return }
      row.synced?.kind = .file(merge.versions.local)
      row.synced?.attributes.modified = merge.file.local.node.attributes.modified
      try tree.put(row)
      try tree.markDirty(id)
      if isClean { for header in headers { try ZoneCommits.pass(header, in: tree, of: state) } }
    }
    state.zoneSync.mayHaveSent = false
    state.retries.settle(id)
    if let last = headers.last {
      state.report.progress.sent += 1
      state.report.happened(.sent(records: 1, sequence: last.sequence))
    }
    state.report.happened(.merged(path: joined(merge.file.path)))
  }
}

extension ConflictLabel {
  /// The label of a conflict copy that this device makes now.
  init(_ state: MountState) {
    let wall = state.clock.wall
    self.init(
      who: state.settings.handle, host: state.settings.host, year: wall.year, month: wall.month,
      day: wall.day, hour: wall.hour, minute: wall.minute)
  }
}
