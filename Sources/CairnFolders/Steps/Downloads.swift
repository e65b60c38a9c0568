import CairnPlan
import CairnReplica
import CairnZone

/// Hands out the fetching of contents that a plan's steps need, and takes the complete files in for
/// the steps of a later plan.
///
/// It uses these parts of the state: `clock`, `endWatch`, `isReadOnly`, `postpone`, `read`,
/// `report`, `retries`, `settings`, `staging`, `transfers`, `zone`, `zoneSync`.
struct Downloads {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// The number of bytes and of files that are fetched together. A larger file is fetched by
  /// itself.
  private static let (bytes, count): (UInt64, Int) = (4 << 20, 256)

  /// Hands out the contents that the steps need and that aren't here.
  /// - Returns: false if some of them are under way, so that the steps can't be performed yet.
  func handOut(_ steps: [FolderStep]) throws -> Bool {
    guard !steps.isEmpty, let staging = try state.staging else { return true }
    let room = try DiskSpace(state).freeRoom(staging)
    let wanted = steps.compactMap { step -> (id: RecordID, node: Node)? in
      guard let (id, node) = step.staged, case .file(let content?) = node.kind else { return nil }
      if let staged = state.transfers.staged[id] {
        guard staged.node.kind != .file(content) else { return nil }
        discard(state.transfers.takeStaged(id))
      }
      return state.transfers.has(id) ? nil : (id, node)
    }
    guard !wanted.isEmpty else { return true }
    var aside = AsideDirectories(state, steps, staging)
    let handedOut = Result { try handOut(wanted, room, staging, &aside) }
    aside.begin(steps)
    try handedOut.get()
    try TransferIntake(state).takeIn()
    return !wanted.contains { state.transfers.has($0.id) }
  }

  private func handOut(
    _ wanted: [(id: RecordID, node: Node)], _ free: Room, _ staging: Staging,
    _ aside: inout AsideDirectories
  ) throws {
    var room = free
    room.left -= min(room.left, state.transfers.unwritten)
    let contents = try contents(of: wanted.map(\.id))
    var (group, size): ([DownloadJob.File], UInt64) = ([], 0)
    var large: [DownloadJob.File] = []
    for (id, node) in state.transfers.inOrder(wanted, { $0.id }) {
      guard state.transfers.hasRoom(for: group.count + large.count + 1) else {
        state.postpone(id, .transfer, "waits for other files to be received")
        continue
      }
      guard let content = contents[id], .file(content.id) == node.kind else {
        StepTrouble(state).fail(id, node.place, FolderError(.notFound, [], "the zone moved on"))
        continue
      }
      let missing = try content.size - PartialFiles(state).size(id, content, staging)
      guard room.takes(missing) else {
        DiskSpace(state).waitForRoom(id, room)
        continue
      }
      let isLarge = content.size >= Self.bytes
      let name = isLarge ? nil : aside.name(for: id, node, size: content.size)
      let file = DownloadJob.File(
        id: id, node: node, content: content, name: name ?? staging.freshName(for: id),
        known: try EarlierVersion(state).known(id, content))
      guard !isLarge else {
        large.append(file)
        continue
      }
      if group.count == Self.count || size + content.size > Self.bytes {
        handOut(group, staging)
        (group, size) = ([], 0)
      }
      group.append(file)
      size += content.size
    }
    if !group.isEmpty { handOut(group, staging) }
    for file in large {
      handOut([try PartialFiles(state).resumed(file, staging)], staging)
    }
  }

  private func handOut(_ files: [DownloadJob.File], _ staging: Staging) {
    let token = state.transfers.token(
      .download, alone: files.count == 1 ? (files[0].id, .remote(files[0].content.id)) : nil,
      state.report.board, state.clock)
    for file in files {
      state.transfers.begin(
        file.id,
        Transfers.UnderWay(
          version: .remote(file.content.id), token: token, isAlone: files.count == 1),
        size: file.content.size)
    }
    let job = DownloadJob(
      files: files,
      stager: Stager(incoming: staging.incoming, isReadOnly: state.isReadOnly),
      zone: state.zone, lanes: state.settings.lanes, token: token, end: state.endWatch)
    state.transfers.handOut(
      .download, Set(files.map(\.id)), size: job.size,
      memory: TransferMemory.toReceive(job.size, lanes: files.count > 1 ? 1 : job.lanes)
    ) { .received(job.run()) }
  }

  /// The contents of records in the zone.
  private func contents(of ids: [RecordID]) throws -> [RecordID: Content] {
    var contents: [RecordID: Content] = [:]
    try state.zone.read { view in
      for id in ids { contents[id] = try view.record(id)?.content }
    }
    return contents
  }

  // MARK: Results

  /// Notes which files are complete.
  /// - Throws: The error that ended the transfer.
  func takeIn(_ result: DownloadJob.Result) throws {
    for file in result.files {
      let isAwaited = state.transfers.end(file.id, result.token, size: file.content.size)
      guard let outcome = result.outcomes[file.id] else {
        guard isAwaited else { continue }
        if result.error is TransferToken.Cancelled {
          // What is there of a version that nobody needs any more.
          try PartialFiles(state).drop(file.id)
          result.token.loseAll()
        } else if file.staysWhenInterrupted {
          state.transfers.keep(file.id, .remote(file.content.id), result.token.told)
        }
        continue
      }
      if let trouble = outcome {
        // Its disk failed, and it was removed.
        if isAwaited, case .folder = trouble { try PartialFiles(state).forget([file.id]) }
        if result.files.count == 1 { result.token.loseAll() }
        if isAwaited { fail(file, trouble) }
        continue
      }
      let staged = Transfers.Staged(
        name: file.name, node: file.node, isReadOnly: result.isReadOnly, size: file.content.size,
        token: result.token)
      guard isAwaited else {
        // The folder was closed; a noted file is used when it is opened again.
        if !file.staysWhenInterrupted { discard(staged) }
        continue
      }
      state.report.progress.bytesWritten += file.content.size
      discard(state.transfers.stage(file.id, staged))
    }
    if result.hasPulled { state.zoneSync.needsPull = true }
    guard let error = result.error, !(error is TransferToken.Cancelled) else { return }
    throw error
  }

  private func fail(_ file: DownloadJob.File, _ trouble: StageTrouble) {
    switch trouble {
    case .folder(let error): StepTrouble(state).fail(file.id, file.node.place, error)
    case .content(let error): StepTrouble(state).fail(file.id, file.node.place, error)
    }
  }

  /// Cancels the fetching of contents that the zone has replaced or deleted meanwhile.
  func reconsider() throws {
    try state.zone.read { view in
      try state.transfers.cancel { id, version in
        guard case .remote(let content) = version else { return true }
        return try view.record(id)?.content?.id == content
      }
    }
  }

  /// Takes the complete file of a record for a step, with the attributes that the step needs.
  func take(
    _ id: RecordID, for node: Node, _ stager: Stager, _ staging: Staging
  ) throws(FolderError) -> Transfers.Staged? {
    guard let staged = state.transfers.staged[id], staged.node.kind == node.kind,
      var file = state.transfers.takeStaged(id)
    else { return nil }
    if file.node.attributes != node.attributes || file.isReadOnly != stager.isReadOnly {
      try stager.adjust(file.name, to: node, in: staging)
    }
    (file.node, file.isReadOnly) = (node, stager.isReadOnly)
    return file
  }

  /// Keeps the file of a step that couldn't be performed yet.
  func giveBack(_ id: RecordID, _ file: Transfers.Staged) {
    guard !state.transfers.isFetching(id) else { return discard(file) }
    discard(state.transfers.stage(id, file))
  }

  /// Removes complete files that no step needed although their records were planned.
  /// - Parameters:
  ///   - ids: The planned records.
  ///   - deferred: The records whose steps come later.
  /// - Throws: Any error of the index.
  func dropNeedless(_ ids: some Sequence<RecordID>, but deferred: Set<RecordID> = []) throws {
    guard !state.transfers.staged.isEmpty || !state.transfers.partial.isEmpty else { return }
    for id in ids where !deferred.contains(id) && !state.retries.isWaiting(id) {
      discard(state.transfers.takeStaged(id))
      if !state.transfers.isFetching(id) { try PartialFiles(state).drop(id) }
    }
  }

  /// Removes the complete files of records with which nothing is to be done.
  func dropSettled() throws {
    let ids = Set(state.transfers.staged.keys).union(state.transfers.partial.keys).sorted()
    guard !ids.isEmpty else { return }
    try dropNeedless(state.read { tree in try ids.filter { try !tree.isDirty($0) } })
  }

  /// Removes the directories of the staging folder from which all files were taken.
  func removeLeftovers() throws {
    if state.transfers.newDirectories.isQuiet { return }
    if let staging = try state.staging { AsideDirectories.removeLeftovers(staging, in: state) }
  }

  private func discard(_ file: Transfers.Staged?) {
    // If this fails, the file stays in the staging folder until the next start.
    guard let file, let staging = try? state.staging else { return }
    Stager(incoming: staging.incoming, isReadOnly: false).discard(file.name)
  }
}

extension FolderStep {
  /// The record and the node, if the step puts a file or symbolic link into the folder that is
  /// staged before.
  var staged: (id: RecordID, node: Node)? {
    switch self {
    case .install(let id, let node): (id, node)
    case .replace(let id, let expected, let node) where expected.kind != node.kind: (id, node)
    default: nil
    }
  }
}
