import CairnCloud
import CairnDiagnostics
import CairnPlan
import CairnZone
import Glibc

/// Writes what comes from the zone into the staging folder, complete and durable, before anything
/// in the mounted folder is touched.
struct Stager: Sendable {
  /// Gives the bytes of a content, chunk by chunk.
  typealias Source = ((UnsafeRawBufferPointer) throws -> Void) throws -> Void

  /// After how many bytes of one file the disk is to begin writing them.
  private static let writeOut = 8 << 20

  /// The staging folder.
  let incoming: Descriptor
  /// Whether the person may not write the record, so that its file gets no write bits.
  let isReadOnly: Bool

  /// Writes the node into the staging folder, complete but for durability, under a name that
  /// nothing else has. Several threads may do so at once. `onWrite` is told of bytes as they come.
  func stage(
    _ id: RecordID, _ node: Node, as name: FileNameBytes, from source: Source,
    onWrite: (@Sendable (Int) throws -> Void)? = nil
  ) throws {
    switch node.kind {
    case .file:
      var mode: UInt32 = node.attributes.isExecutable ? 0o777 : 0o666
      if isReadOnly { mode &= ~FileMode.anyWrite }
      let file = try incoming.makeFile(name, mode: mode)
      try orRemove(name) {
        var waiting = 0
        var runs = ZeroRuns()
        try source { bytes in
          try runs.take(bytes, file.put)
          waiting += bytes.count
          try onWrite?(bytes.count)
          // The disk works while the next bytes are made ready, and not only in the end.
          if waiting >= Self.writeOut {
            file.beginWriteOut()
            waiting = 0
          }
        }
        if let size = try runs.finish(file.put) { try file.setSize(size) }
        try keepTime { () throws(FolderError) in
          try file.setTime(node.attributes.modified, path: name)
        }
      }
    case .symlink(let target):
      try incoming.makeSymlink(name, to: target)
      try orRemove(name) {
        try keepTime { () throws(FolderError) in
          try incoming.setTime(of: name, node.attributes.modified)
        }
      }
    case .directory: preconditionFailure("directories aren't staged")
    }
  }

  /// A file that couldn't be finished goes at once.
  private func orRemove(_ name: FileNameBytes, _ body: () throws -> Void) throws {
    do { try body() } catch {
      discard(name)
      throw error
    }
  }

  /// Removes what was staged.
  func discard(_ name: FileNameBytes) {
    // The next start sweeps it if this fails.
    _ = incoming.disk.remove(name, in: incoming.number)
  }

  /// A file system may keep no times, of symlinks for instance; the engine takes what it keeps.
  private func keepTime(_ set: () throws(FolderError) -> Void) throws(FolderError) {
    do throws(FolderError) { try set() } catch {
      guard error.isRefusal else { throw error }
    }
  }

  /// Makes staged files durable: one by one when they are few, the file system at once when many.
  func makeDurable(_ names: [FileNameBytes]) throws {
    guard names.count <= 16 else { return try incoming.syncFileSystem() }
    for name in names {
      guard try FileStat.at(incoming, name)?.kind == .file else { continue }
      try incoming.open([name], flags: O_RDONLY).sync()
    }
  }
}

/// Why one file couldn't be staged.
enum StageTrouble: Sendable {
  /// The disk doesn't take it.
  case folder(FolderError)
  /// The container doesn't give it.
  case content(ContentError)
}

extension Stager {
  /// Stages a node; what is wrong with this one alone is returned, anything else thrown.
  func tryStage(
    _ id: RecordID, _ node: Node, as name: FileNameBytes, from source: Source,
    onWrite: (@Sendable (Int) throws -> Void)? = nil
  ) throws -> StageTrouble? {
    do {
      try stage(id, node, as: name, from: source, onWrite: onWrite)
      Diagnostics.transfer.debug("staged", [.value("record", id)])
      return nil
    } catch let error as FolderError {
      return .folder(error)
    } catch let error as ContentError {
      return .content(error)
    }
  }
}
