import CairnPlan
import CairnZone
import Glibc

/// Writes what comes from the zone into the staging folder, complete and durable, before anything
/// in the mounted folder is touched (DESIGN.md §6).
struct Stager {
  /// Where the bytes of a content come from, chunk by chunk.
  typealias Source = (ContentID, RecordID, (UnsafeRawBufferPointer) throws -> Void) throws -> Void

  let staging: Staging
  let source: Source
  /// Whether the person may not write the record, so that its file gets no write bits.
  let isReadOnly: (RecordID) -> Bool

  /// Writes the node into the staging folder, complete but for durability.
  func stage(_ id: RecordID, _ node: Node) throws -> FileNameBytes {
    let name = staging.freshName(for: id)
    switch node.kind {
    case .file(let content):
      guard let content else { preconditionFailure("a file to install without a content") }
      var mode: UInt32 = node.attributes.isExecutable ? 0o777 : 0o666
      if isReadOnly(id) { mode &= ~FileMode.anyWrite }
      let file = try staging.incoming.makeFile(name, mode: mode)
      do {
        try source(content, id) { try file.write($0) }
      } catch {
        // The next start sweeps it if this fails.
        _ = file.disk.remove(name, in: staging.incoming.number)
        throw error
      }
      try file.setTime(node.attributes.modified, path: name)
    case .symlink(let target):
      try staging.incoming.makeSymlink(name, to: target)
      // A file system may keep no times of symlinks.
      _ = staging.incoming.disk.setTime(
        of: name, in: staging.incoming.number, node.attributes.modified)
    case .directory: preconditionFailure("directories aren't staged")
    }
    return name
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
