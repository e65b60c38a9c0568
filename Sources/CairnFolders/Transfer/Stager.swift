import CairnDiagnostics
import CairnPlan
import CairnReplica
import CairnZone
import Glibc

/// Writes received nodes into the staging folder, complete and durable, before anything in the
/// mounted folder is changed.
struct Stager: Sendable {
  /// A function that passes the bytes of a content to another one, chunk by chunk.
  typealias Source = ((UnsafeRawBufferPointer) throws -> Void) throws -> Void

  /// The number of bytes of one file after which the disk begins to write them.
  private static let writeOut = 8 << 20

  /// The staging folder.
  let incoming: Descriptor
  /// A Boolean value that indicates whether the person may not write the record, so that its file
  /// gets no write bits.
  let isReadOnly: Bool

  /// Writes the node into the staging folder, complete but not yet durable, under a unique name.
  /// Several threads may do so at once. `onWrite` is called for bytes as they come. A file that
  /// `continues` is there in part; its chunks may be read while they are written. A file that
  /// `staysWhenInterrupted` is removed only if the disk fails.
  func stage(
    _ id: RecordID, _ node: Node, as name: FileNameBytes, from source: Source,
    continues: Bool = false, staysWhenInterrupted: Bool = false, token: TransferToken? = nil,
    onWrite: ((Int) throws -> Void)? = nil
  ) throws {
    switch node.kind {
    case .file:
      var mode: UInt32 = node.attributes.isExecutable ? 0o777 : 0o666
      if isReadOnly { mode &= ~FileMode.anyWrite }
      let make = { [incoming] in
        continues
          ? try incoming.open([name], flags: O_WRONLY) : try incoming.makeFile(name, mode: mode)
      }
      let file = try token?.step(make) ?? make()
      try orRemove(name, ifInterrupted: !staysWhenInterrupted) {
        var (waiting, size) = (0, 0)
        var runs = ZeroRuns()
        try source { bytes in
          // A hole would leave what is there.
          if continues { try file.write(bytes) } else { try runs.take(bytes, file.put) }
          size += bytes.count
          waiting += bytes.count
          try token?.check()
          try onWrite?(bytes.count)
          // The disk works while the next bytes are prepared, and not only at the end.
          if waiting >= Self.writeOut {
            file.beginWriteOut()
            waiting = 0
          }
        }
        if continues {
          try file.setSize(size)
        } else if let end = try runs.finish(file.put) {
          try file.setSize(end)
        }
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
    case .directory: throw BrokenRule("a directory is staged")
    }
  }

  /// Gives a staged file the time and the mode of another version of its node.
  func adjust(_ name: FileNameBytes, to node: Node, in staging: Staging) throws(FolderError) {
    let bits = try FileMode(staging)
    _ = try FileMode.set(name, in: incoming) { mode in
      let mode = bits.mode(mode, isReadOnly: isReadOnly)
      return node.attributes.isExecutable ? mode | (mode & 0o444) >> 2 : mode & ~0o111
    }
    try keepTime { () throws(FolderError) in
      try incoming.setTime(of: name, node.attributes.modified)
    }
  }

  /// Removes a file at once if `body` fails. A file that may continue stays, unless its disk
  /// failed.
  private func orRemove(
    _ name: FileNameBytes, ifInterrupted: Bool = true, _ body: () throws -> Void
  ) throws {
    do { try body() } catch {
      if ifInterrupted || error is FolderError { discard(name) }
      throw error
    }
  }

  /// Removes a staged file.
  func discard(_ name: FileNameBytes) {
    // If this fails, the next start removes it.
    _ = incoming.disk.remove(name, in: incoming.number)
  }

  /// Sets times. A file system may keep no times, of symbolic links for example; the engine accepts
  /// what it keeps.
  private func keepTime(_ set: () throws(FolderError) -> Void) throws(FolderError) {
    do throws(FolderError) { try set() } catch {
      guard error.isRefusal else { throw error }
    }
  }

  /// Makes staged files durable, and their names in these directories: one by one if they are few,
  /// the whole file system at once if they are many.
  func makeDurable(_ names: [FileNameBytes], in directories: [FileNameBytes] = []) throws {
    guard names.count + directories.count <= 16 else { return try incoming.syncFileSystem() }
    for name in names {
      guard try FileStat.at(incoming, name)?.kind == .file else { continue }
      try incoming.open([name], flags: O_RDONLY).sync()
    }
    for name in directories { try incoming.openDirectory([name]).sync() }
  }
}

/// The reason that one file could not be staged.
enum StageTrouble: Sendable {
  /// The disk failed.
  case folder(FolderError)
  /// The container failed.
  case content(ContentError)
}

extension Stager {
  /// Stages a node; returns an error that concerns this node only, and throws any other.
  func tryStage(
    _ id: RecordID, _ node: Node, as name: FileNameBytes, from source: Source,
    continues: Bool = false, staysWhenInterrupted: Bool = false, token: TransferToken? = nil,
    onWrite: ((Int) throws -> Void)? = nil
  ) throws -> StageTrouble? {
    do {
      try stage(
        id, node, as: name, from: source, continues: continues,
        staysWhenInterrupted: staysWhenInterrupted, token: token, onWrite: onWrite)
      Diagnostics.transfer.debug("staged", [.value("record", id)])
      return nil
    } catch let error as FolderError {
      return .folder(error)
    } catch let error as ContentError {
      return .content(error)
    }
  }
}
