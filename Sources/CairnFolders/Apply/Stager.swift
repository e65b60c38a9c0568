import CairnPlan
import CairnZone
import Glibc

/// Writes what comes from the zone into the staging folder, complete and durable, before anything
/// in the mounted folder is touched (DESIGN.md §6).
struct Stager {
  /// Gives the bytes of a content, chunk by chunk.
  typealias Source = ((UnsafeRawBufferPointer) throws -> Void) throws -> Void

  let staging: Staging
  /// Whether the person may not write the record, so that its file gets no write bits.
  let isReadOnly: (RecordID) -> Bool

  /// Writes the node into the staging folder, complete but for durability.
  func stage(_ id: RecordID, _ node: Node, from source: Source) throws -> FileNameBytes {
    let name = staging.freshName(for: id)
    switch node.kind {
    case .file:
      var mode: UInt32 = node.attributes.isExecutable ? 0o777 : 0o666
      if isReadOnly(id) { mode &= ~FileMode.anyWrite }
      let file = try staging.incoming.makeFile(name, mode: mode)
      try orRemove(name) {
        try source { try file.write($0) }
        try file.setTime(node.attributes.modified, path: name)
      }
    case .symlink(let target):
      try staging.incoming.makeSymlink(name, to: target)
      try orRemove(name) { try setTime(ofSymlink: name, node.attributes.modified) }
    case .directory: preconditionFailure("directories aren't staged")
    }
    return name
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
    _ = staging.incoming.disk.remove(name, in: staging.incoming.number)
  }

  /// A file system may keep no times of symlinks; the engine takes what it keeps.
  private func setTime(ofSymlink name: FileNameBytes, _ modified: Int64) throws(FolderError) {
    let result = staging.incoming.disk.setTime(of: name, in: staging.incoming.number, modified)
    guard result < 0, result != -EOPNOTSUPP, result != -EPERM, result != -ENOSYS else { return }
    throw FolderError(-result, name, "set the time")
  }

  /// Makes staged files durable: one by one when they are few, the file system at once when many.
  func makeDurable(_ names: [FileNameBytes]) throws {
    guard names.count <= 16 else { return try staging.incoming.syncFileSystem() }
    for name in names {
      guard try FileStat.at(staging.incoming, name)?.kind == .file else { continue }
      try staging.incoming.open([name], flags: O_RDONLY).sync()
    }
  }
}
