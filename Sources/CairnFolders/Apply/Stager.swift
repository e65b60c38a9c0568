import CairnPlan
import CairnSystem
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
      var mode: mode_t = node.attributes.isExecutable ? 0o777 : 0o666
      if isReadOnly(id) { mode &= ~mode_t(FileMode.anyWrite) }
      let number = name.withCString {
        openat(staging.incoming.number, $0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      }
      guard number >= 0 else { throw FolderError(errno, name, "make a file") }
      let file = Descriptor(owning: number)
      do {
        try source(content, id) { try Self.writeAll(file, $0) }
      } catch {
        // The next start sweeps it if this fails.
        _ = name.withCString { unlinkat(staging.incoming.number, $0, 0) }
        throw error
      }
      let result = cairn_set_times_fd(number, node.attributes.modified)
      if result < 0 { throw FolderError(-result, name, "set the time") }
    case .symlink(let target):
      let result = target.withCString { target in
        name.withCString { symlinkat(target, staging.incoming.number, $0) }
      }
      guard result == 0 else { throw FolderError(errno, name, "make a symlink") }
      _ = name.withCString {
        cairn_set_times(staging.incoming.number, $0, node.attributes.modified)
      }
    case .directory: preconditionFailure("directories aren't staged")
    }
    return name
  }

  /// Makes staged files durable: one by one when they are few, the file system at once when many.
  func makeDurable(_ names: [FileNameBytes]) throws {
    guard names.count <= 16 else {
      let result = cairn_sync_fs(staging.incoming.number)
      guard result >= 0 else { throw FolderError(-result, [], "make files durable") }
      return
    }
    for name in names {
      guard try FileStat.at(staging.incoming, name)?.kind == .file else { continue }
      try staging.incoming.open([name], flags: O_RDONLY).sync()
    }
  }

  private static func writeAll(_ file: Descriptor, _ bytes: UnsafeRawBufferPointer) throws {
    var offset = 0
    while offset < bytes.count {
      let written = write(
        file.number, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
      if written < 0 {
        if errno == EINTR { continue }
        throw FolderError(errno, [], "write")
      }
      offset += written
    }
  }
}
