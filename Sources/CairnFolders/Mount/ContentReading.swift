import CairnCloud
import CairnDiagnostics
import CairnPlan
import CairnZone

/// Reads changed files in the folder: bytes become chunks, and files get the ids of their contents.
struct ContentReading {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Reads the bytes of changed files in the batch into the zone's chunks, and learns their ids.
  /// What doesn't fit into one turn waits for the next.
  func readContents(_ batch: [RecordID]) throws {
    let files = try unread(batch)
    if let error = state.zoneSync.refused(state.clock.now) {
      return ZoneCommits(state).wait(files.map(\.row.id), error)
    }
    var read: [ReadFile] = []
    let outcome = Result { try readContents(of: files, into: &read) }
    // Also after an early end: files that were read needn't be read again.
    try learn(read)
    do { try outcome.get() } catch let error as CloudError {
      guard error.isOfContainer else { throw error }
      // Nobody knows which of their bytes the container has.
      state.report.board.sent(-read.reduce(0) { $0 + Int($1.stat.size) })
      try ZoneCommits(state).stopSending(error)
      ZoneCommits(state).wait(files.map(\.row.id), error)
    }
  }

  /// A file of a batch, as the last look found it.
  private struct UnreadFile {
    var row: NodeRow
    var local: NodeRow.Local
    var path: [FileNameBytes]
  }

  /// A file whose bytes are in the zone's chunks now.
  private struct ReadFile {
    var file: UnreadFile
    var content: ContentID
    var stat: FileStat
  }

  /// The files of the batch with unknown bytes or chunks.
  private func unread(_ batch: [RecordID]) throws -> [UnreadFile] {
    let files = try state.read { tree in
      let paths = PathMemory(tree)
      return try batch.compactMap { id -> UnreadFile? in
        guard let row = try tree.node(id), let local = row.local else { return nil }
        switch local.node.kind {
        case .file(nil): break
        case .file(let content?):
          guard row.synced?.kind != .file(content), state.zoneSync.contents[content] == nil
          else { return nil }
        default: return nil
        }
        return try paths.path(of: row).map { UnreadFile(row: row, local: local, path: $0) }
      }
    }
    guard files.contains(where: { $0.local.node.kind != .file(nil) }) else { return files }
    return try state.zone.read { view in
      // The chunk list of a content that was read in an earlier run isn't known any more.
      try files.filter { file in
        guard case .file(let content?) = file.local.node.kind else { return true }
        return try view.record(file.row.id)?.content?.id != content
      }
    }
  }

  private func readContents(of files: [UnreadFile], into read: inout [ReadFile]) throws {
    var budget: UInt64 = 64 * 1024 * 1024
    var wanted: [UnreadFile] = []
    for file in files {
      let size = file.local.size
      guard budget > 0 else {
        state.retries[file.row.id].isLeftOut = true
        continue
      }
      if try CrashDamage(state).isDamaged(file.row, file.local, file.path) { continue }
      if try QuotaRetry(state).exceedsAllowance(file.row.id, size: size, file.path) {
        continue
      }
      wanted.append(file)
      budget -= min(budget, size + 4_096)
    }
    guard !wanted.isEmpty else { return }
    state.lastRun.hasRead = true
    try state.zone.ingestAll(
      lanes: state.settings.lanes, borrowingFrom: state.references.lenders
    ) { ingest in
      for file in wanted {
        if let done = try self.read(file, ingest) { read.append(done) }
      }
    }
  }

  /// Reads one file; nil if it has to wait or no longer exists.
  private func read(_ unread: UnreadFile, _ ingest: Zone.Ingest) throws -> ReadFile? {
    let (row, path) = (unread.row, unread.path)
    guard let root = state.root else { return nil }
    // What is told of it while it is read, and taken back if that was in vain.
    var told = 0
    var isRead = false
    defer { if !isRead { state.report.board.sent(-told) } }
    do {
      let file = try root.openFile(path)
      let before = try FileStat.of(file)
      guard row.isSameInode(as: before), row.hasSameBytes(as: before) else {
        return lookAgain(path, row.id)
      }
      if file.isOpenForWriting,
        !state.retries.isQuiet(
          row.id, size: before.size, modified: before.modified, state.clock.now)
      {
        state.postpone(row.id, .busy, "somebody has the file open for writing")
        return nil
      }
      let content = try ingest { buffer in
        let count = try file.read(into: buffer)
        told += count
        state.report.board.sent(count)
        return count
      }
      let after = try FileStat.of(file)
      // A file that changes while it is read is read again; a torn version is never committed.
      guard before == after, content.size == after.size else {
        state.postpone(row.id, .busy, "the file changed while it was read")
        state.hint(changed: [joined(path)])
        return nil
      }
      state.zoneSync.contents[content.id] = content
      state.report.progress.bytesRead += content.size
      isRead = true
      Diagnostics.transfer.debug(
        "read", [.value("record", row.id), .value("bytes", content.size)])
      state.solve(row.id)
      return ReadFile(file: unread, content: content.id, stat: before)
    } catch let error as FolderError {
      if error.code == .notFound { return lookAgain(path, row.id) }
      let problem = Problem(
        path: joined(path), code: error.code == .denied ? "permissionFailure" : "assetFileNotFound",
        message: error.reason,
        remedy: "make the file readable for the person who runs cairnd")
      state.tell(problem, of: row.id)
      state.postpone(row.id, .unreadable, error.reason)
      return nil
    }
  }

  private func lookAgain(_ path: [FileNameBytes], _ id: RecordID) -> ReadFile? {
    // No scan includes Cairn's own folder.
    if path.starts(with: Staging.parkedPath) { state.scanQueue.needsParked = true }
    state.hint(changed: [joined(path)])
    state.retries[id].isLeftOut = true
    return nil
  }

  private func learn(_ files: [ReadFile]) throws {
    guard !files.isEmpty else { return }
    try state.write { tree in
      for read in files {
        state.retries[read.file.row.id].quiet = nil
        try tree.setContent(read.content, of: read.file.row.id, read.stat)
      }
    }
    for read in files {
      try ModeBits(state).restoreMode(read.file.row, read.content, read.file.path)
    }
  }

  static func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from file: Descriptor
  ) throws -> Int {
    try file.read(into: buffer)
  }
}
