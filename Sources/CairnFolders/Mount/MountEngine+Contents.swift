import CairnCloud
import CairnPlan
import CairnZone

extension MountEngine {
  /// Reads the bytes of changed files in the batch into the zone's chunks, and learns their ids.
  /// What doesn't fit into one turn waits for the next.
  func readContents(_ batch: [RecordID]) throws {
    var budget: UInt64 = 64 * 1024 * 1024
    for id in batch {
      let (row, path) = try index.read(mount) { tree in
        (try tree.node(id), try tree.path(of: id))
      }
      guard let row, let local = row.local, let path else { continue }
      switch local.node.kind {
      case .file(nil): break
      case .file(let content?):
        // The chunk list of a content that was read in an earlier run isn't known any more.
        guard row.synced?.kind != .file(content), contents[content] == nil,
          try zone.read({ try $0.record(id)?.content?.id }) != content
        else { continue }
      default: continue
      }
      guard budget > 0 else {
        skipped.insert(id)
        continue
      }
      if try setAsideIfDamaged(row, local, path) { continue }
      if try isUnwelcome(id, size: local.size, path) { continue }
      if try read(row, local, path) { budget -= min(budget, local.size + 4_096) }
    }
  }

  /// Reads one file; false if it has to wait or isn't there any more.
  private func read(
    _ row: NodeRow, _ local: NodeRow.Local, _ path: [FileNameBytes]
  ) throws -> Bool {
    guard let root else { return false }
    do {
      let file = try root.openFile(path)
      let before = try FileStat.of(file)
      guard row.isSameInode(as: before), row.hasSameBytes(as: before) else {
        return try lookAgain(path, row.id)
      }
      if file.isOpenForWriting, !isQuiet(row.id, before) {
        postpone(row.id, .busy, "somebody has the file open for writing")
        return false
      }
      let content = try zone.ingest { buffer in try Self.fill(buffer, from: file) }
      let after = try FileStat.of(file)
      // A file that changes while it is read is read again; a torn version is never committed.
      guard before == after, content.size == after.size else {
        postpone(row.id, .busy, "the file changed while it was read")
        hint(changed: [joined(path)])
        return false
      }
      contents[content.id] = content
      report.progress.bytesRead += content.size
      report.clearProblem(at: joined(path))
      try learn(row.id, content.id, before)
      try restoreMode(row, content.id, path)
      return true
    } catch let error as FolderError {
      if error.code == .notFound { return try lookAgain(path, row.id) }
      let problem = Problem(
        path: joined(path), code: "assetFileNotFound", message: error.reason,
        remedy: "make the file readable for the person who runs cairnd")
      report.add([problem])
      postpone(row.id, .failed, error.reason)
      return false
    }
  }

  private func lookAgain(_ path: [FileNameBytes], _ id: RecordID) throws -> Bool {
    hint(changed: [joined(path)])
    skipped.insert(id)
    return false
  }

  /// A file that is held open for writing is read all the same once nobody wrote for ten seconds:
  /// a log or a database must not stay behind for ever.
  private func isQuiet(_ id: RecordID, _ stat: FileStat) -> Bool {
    let shape = QuietSince.Shape(size: stat.size, modified: stat.modified)
    if let quiet = quietSince[id], quiet.shape == shape {
      return clock.now - quiet.since >= 10 * Deferred.second
    }
    quietSince[id] = QuietSince(shape: shape, since: clock.now)
    return false
  }

  private func learn(_ id: RecordID, _ content: ContentID, _ stat: FileStat) throws {
    quietSince[id] = nil
    try index.write(mount) { tree in
      guard var row = try tree.node(id), var local = row.local else { return }
      local.node.kind = .file(content)
      row.local = NodeRow.Local(local.node, stat)
      try tree.put(row)
    }
  }

  static func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from file: Descriptor
  ) throws -> Int {
    try file.read(into: buffer)
  }
}

/// Since when a file that is held open for writing looks the same.
struct QuietSince {
  struct Shape: Hashable {
    var size: UInt64
    var modified: Int64
  }

  var shape: Shape
  var since: Int64
}
