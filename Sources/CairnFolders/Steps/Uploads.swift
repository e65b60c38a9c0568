import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// Hands out the reading of changed files, and takes the results in: files get the ids of their
/// contents.
///
/// It uses these parts of the state: `clock`, `hint`, `isReadOnly`, `lastRun`, `postpone`, `read`,
/// `references`, `report`, `retries`, `root`, `scanQueue`, `scope`, `settings`, `solve`, `tell`,
/// `transfers`, `write`, `zone`, `zoneSync`.
struct Uploads {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// The number of bytes and of files that are read together: about one pack. A larger file is read
  /// by itself.
  private static let (bytes, count): (UInt64, Int) = (8 << 20, 1_000)

  /// Hands out the files of a batch whose bytes or chunks are unknown.
  func handOut(_ batch: [RecordID]) throws {
    let files = state.transfers.inOrder(try unread(batch)) { $0.id }
    guard !files.isEmpty else { return }
    if state.zoneSync.refusal?.isOfPacks == true { return handOutSmall(files) }
    if let error = state.zoneSync.refused(state.clock.now) {
      return ZoneCommits(state).wait(files.map(\.id), error)
    }
    var (group, size): ([UploadJob.File], UInt64) = ([], 0)
    var large: [UploadJob.File] = []
    for file in files {
      guard state.transfers.hasRoom(for: group.count + large.count + 1) else {
        state.postpone(file.id, .transfer, "waits for other files to be sent")
        continue
      }
      if try CrashDamage(state).isDamaged(file.row, file.local, file.path) { continue }
      if try QuotaRetry(state).exceedsAllowance(file.id, size: file.local.size, file.path) {
        continue
      }
      guard file.local.size < Self.bytes else {
        large.append(file)
        continue
      }
      if group.count == Self.count || size + file.local.size > Self.bytes {
        handOut(group)
        (group, size) = ([], 0)
      }
      group.append(file)
      size += file.local.size
    }
    if !group.isEmpty { handOut(group) }
    for file in large { handOut([file]) }
  }

  /// Hands out files while the container accepts no packs: as many small ones as fit into a commit,
  /// each by itself, and the others only when it is time to try a pack again.
  private func handOutSmall(_ files: [UploadJob.File]) {
    var left = UInt64(56 << 10)
    for file in files {
      if file.needsNoPack, file.local.size <= left {
        left -= file.local.size
        handOut([file])
      } else if file.needsNoPack {
        state.postpone(file.id, .transfer, "waits for other files to be sent")
      } else if let error = state.zoneSync.refused(state.clock.now) {
        ZoneCommits(state).wait([file.id], error)
      } else if state.transfers.hasRoom(for: 1) {
        handOut([file])
      }
    }
  }

  private func handOut(_ files: [UploadJob.File]) {
    guard let root = state.root else { return }
    state.lastRun.hasRead = true
    let token = state.transfers.token(
      .upload, alone: files.count == 1 ? (files[0].id, .local(files[0].local)) : nil,
      state.report.board, state.clock)
    for file in files {
      state.transfers.begin(
        file.id,
        Transfers.UnderWay(
          version: .local(file.local), token: token, isAlone: files.count == 1))
    }
    let job = UploadJob(
      files: files, root: root, zone: state.zone, lenders: state.references.lenders,
      lanes: state.settings.lanes, clock: state.clock, token: token,
      sound: state.zoneSync.sound)
    state.transfers.handOut(
      .upload, Set(files.map(\.id)), size: job.size,
      memory: TransferMemory.toSend(job.size, lanes: job.lanes)
    ) { .sent(job.run()) }
  }

  /// The files of the batch with unknown bytes or chunks.
  private func unread(_ batch: [RecordID]) throws -> [UploadJob.File] {
    let files = try state.read { tree in
      let paths = PathMemory(tree)
      return try batch.compactMap { id -> UploadJob.File? in
        guard !state.transfers.has(id), let row = try tree.node(id), let local = row.local
        else { return nil }
        switch local.node.kind {
        case .file(nil): break
        case .file(let content?): guard lacksChunks(row, content) else { return nil }
        default: return nil
        }
        return try paths.path(of: row).map {
          UploadJob.File(row: row, local: local, path: $0, quiet: state.retries[id].quiet)
        }
      }
    }
    guard files.contains(where: { $0.local.node.kind != .file(nil) }) else { return files }
    return try state.zone.read { view in
      // The chunk list of a content that was read in an earlier run isn't known any more.
      try files.filter { file in
        guard case .file(let content?) = file.local.node.kind else { return true }
        return try view.record(file.id)?.content?.id != content
      }
    }
  }

  /// Returns whether the zone may lack chunks of a changed file with a known content.
  private func lacksChunks(_ row: NodeRow, _ content: ContentID) -> Bool {
    row.synced?.kind != .file(content) && state.zoneSync.contents[content] == nil
  }

  /// Returns whether a file of the folder has to be read, so that its bytes are stored.
  func isUnread(_ row: NodeRow, in view: ZoneView) throws -> Bool {
    switch row.local?.node.kind {
    case .file(nil): true
    case .file(let content?):
      try lacksChunks(row, content) && view.record(row.id)?.content?.id != content
    default: false
    }
  }

  // MARK: Results

  /// Notes what was read.
  /// - Throws: The error that ended the transfer, unless it has a time of its own.
  func takeIn(_ result: UploadJob.Result) throws {
    let awaited = Set(
      result.files.map(\.id).filter { state.transfers.end($0, result.token) })
    var read: [(file: UploadJob.File, content: Content, stat: FileStat)] = []
    for (file, outcome) in result.outcomes where awaited.contains(file.id) {
      switch outcome {
      case .read(let content, let stat): read.append((file, content, stat))
      case .isAnother: lookAgain(file)
      case .isOpen(let quiet):
        state.retries[file.id].quiet = quiet
        state.postpone(file.id, .busy, "somebody has the file open for writing")
      case .changed:
        state.postpone(file.id, .busy, "the file changed while it was read")
        state.hint(changed: [joined(file.path)])
      case .failed(let error): fail(file, error)
      }
    }
    // Nothing that an earlier attempt finished is a part of a file that wasn't read.
    if result.error == nil, read.isEmpty { result.token.loseAll() }
    if result.error == nil {
      for file in read {
        state.zoneSync.contents[file.content.id] = file.content
        state.solve(file.file.id)
      }
      // A pack was stored.
      if read.contains(where: { !$0.file.needsNoPack }) { ZoneCommits(state).sendAgain() }
      state.report.progress.bytesRead += read.reduce(0) { $0 + $1.content.size }
      state.zoneSync.noteSound(result.sound)
    } else if let file = result.files.first, result.files.count == 1, awaited.contains(file.id),
      !(result.error is TransferToken.Cancelled)
    {
      // It is read again, and only the chunks that the container lacks are stored.
      state.transfers.keep(file.id, .local(file.local), result.token.told)
    } else {
      result.token.loseAll()
    }
    try learn(read.map { ($0.file, $0.content.id, $0.stat) })
    switch result.error {
    case nil, is TransferToken.Cancelled: return
    case let error as CloudError where error.isOfContainer || error.isOfObject:
      try ZoneCommits(state).stopSending(error, ofPacks: true)
      ZoneCommits(state).wait(Array(awaited), error)
    case let error?: throw error
    }
  }

  /// Cancels the reading of files that were deleted or changed meanwhile.
  func reconsider() throws {
    try state.read { tree in
      try state.transfers.cancel { id, version in
        guard case .local(let local) = version else { return true }
        return try tree.node(id)?.local?.isSameVersion(as: local) ?? false
      }
    }
  }

  private func lookAgain(_ file: UploadJob.File) {
    // No scan includes Cairn's own folder.
    if file.path.starts(with: Staging.parkedPath) { state.scanQueue.needsParked = true }
    state.hint(changed: [joined(file.path)])
    state.retries[file.id].isLeftOut = true
  }

  private func fail(_ file: UploadJob.File, _ error: FolderError) {
    let problem = PathProblem(
      path: joined(file.path),
      code: error.code == .denied ? .permissionFailure : .assetFileNotFound,
      message: error.reason, remedy: "make the file readable for the person who runs cairnd")
    state.tell(problem, of: file.id)
    state.postpone(file.id, .unreadable, error.reason)
  }

  /// Gives files the ids of their contents. A file that a scan found changed since is read again.
  private func learn(
    _ files: [(file: UploadJob.File, content: ContentID, stat: FileStat)]
  ) throws {
    guard !files.isEmpty else { return }
    try state.write { tree in
      for (file, content, stat) in files {
        state.retries[file.id].quiet = nil
        guard var row = try tree.node(file.id), var local = row.local,
          local.isSameVersion(as: file.local)
        else { continue }
        if local == file.local {
          var stat = stat
          if stat.changed != local.changed, state.scope.carried.contains(.extended) {
            // Its extended attributes may have changed, too: the next look reads them.
            stat.changed = local.changed
            state.hint(changed: [joined(file.path)])
          }
          try tree.setContent(content, of: file.id, stat)
        } else if local.node.kind == .file(nil) {
          // A scan found another name or mode since.
          local.node.kind = .file(content)
          row.local = local
          try tree.put(row)
        }
      }
    }
    guard state.isReadOnly else { return }
    for file in files where try state.read({ try $0.path(of: file.file.id) }) == file.file.path {
      try ModeBits(state).restoreMode(file.file.row, file.content, file.file.path)
    }
  }
}

extension UploadJob.File {
  /// A Boolean value that indicates whether the file's bytes fit into a commit.
  fileprivate var needsNoPack: Bool { local.size <= 32 << 10 }
}
