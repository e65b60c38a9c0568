import CairnPlan
import CairnSystem
import CairnZone
import Glibc

/// Carries out folder steps without ever destroying what it hasn't seen (DESIGN.md §2.7, §6;
/// LESSONS.md §2(b)). It must not know why a step is made. One instance serves one batch of steps:
/// it remembers which directories it touched and gives them their times back at the end.
final class Applier {
  /// Where the bytes of a content come from, chunk by chunk.
  typealias Source = (ContentID, RecordID, (UnsafeRawBufferPointer) throws -> Void) throws -> Void

  let root: Descriptor
  let staging: Staging
  let tree: any TreeAccess
  private let source: Source
  let isIgnored: ([FileNameBytes], FileNameBytes, Bool) -> Bool
  /// Whether something was displaced that has to be looked at again.
  var hasKept = false
  private var touched: [[FileNameBytes]: Int64] = [:]

  init(
    root: Descriptor, staging: Staging, tree: any TreeAccess,
    isIgnored: @escaping ([FileNameBytes], FileNameBytes, Bool) -> Bool, source: @escaping Source
  ) {
    self.root = root
    self.staging = staging
    self.tree = tree
    self.isIgnored = isIgnored
    self.source = source
  }

  /// What became of one step.
  enum Outcome {
    /// Done; the local node is as the step says.
    case done
    /// Something is different from what the plan was made for: look at these paths and plan again.
    case changed([[FileNameBytes]])
    /// Somebody has the file open for writing; try again later.
    case busy
    /// Can't be done now, or at all, for this reason.
    case failed(FolderError)
  }

  // MARK: Directories and times

  /// Opens the directory of a place, noting its time so that `finish` can give it back: what Cairn
  /// does in a directory isn't a change that its person made.
  func directory(of place: Place) throws -> (Descriptor, [FileNameBytes]) {
    guard let path = try tree.path(of: place.parent) else {
      throw FolderError(.notFound, place.name.bytes, "its directory isn't there")
    }
    let directory = try root.openDirectory(path)
    if touched[path] == nil { touched[path] = try FileStat.of(directory).modified }
    return (directory, path)
  }

  /// Gives the directories that were touched their times back, makes the names durable, and brings
  /// the tree up to date.
  func finish() throws {
    for (path, modified) in touched {
      do {
        let directory = try root.openDirectory(path)
        try directory.sync()
        let result = cairn_set_times_fd(directory.number, modified)
        if result < 0 { throw FolderError(-result, joined(path), "set the time") }
        let stat = try FileStat.of(directory)
        try tree.refreshDirectory(path, stat)
      } catch let error as FolderError {
        // The directory moved or went in the meantime: its new place is looked at anyway.
        guard error.code == .notFound || error.code == .denied else { throw error }
      }
    }
    touched = [:]
  }

  /// Forgets the noted time of a directory whose time is being set on purpose.
  func forgetTime(of path: [FileNameBytes]) { touched[path] = nil }

  // MARK: Staging

  /// Writes the node into the staging folder, complete but for durability.
  func stage(_ id: RecordID, _ node: Node) throws -> FileNameBytes {
    let name = staging.freshName(for: id)
    switch node.kind {
    case .file(let content):
      guard let content else { preconditionFailure("a file to install without a content") }
      let mode: mode_t = node.attributes.isExecutable ? 0o777 : 0o666
      let number = name.withCString {
        openat(staging.incoming.number, $0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      }
      guard number >= 0 else { throw FolderError(errno, name, "make a file") }
      let file = Descriptor(owning: number)
      do {
        try source(content, id) { try Self.writeAll(file, $0) }
      } catch {
        discard(name)
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

  /// Removes a staged file that isn't needed any more.
  func discard(_ name: FileNameBytes) {
    // If this fails the file stays in the staging folder, and the next start sweeps it.
    _ = name.withCString { unlinkat(staging.incoming.number, $0, 0) }
  }

  private static func writeAll(_ file: Descriptor, _ bytes: UnsafeRawBufferPointer) throws {
    var offset = 0
    while offset < bytes.count {
      let written = write(file.number, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
      if written < 0 {
        if errno == EINTR { continue }
        throw FolderError(errno, [], "write")
      }
      offset += written
    }
  }
}

/// What the applier asks of the index, and tells it.
protocol TreeAccess {
  func path(of id: RecordID) throws -> [FileNameBytes]?
  func row(_ id: RecordID) throws -> NodeRow?
  /// The node stands on the disk like this now.
  func record(_ id: RecordID, _ node: Node, _ stat: FileStat) throws
  /// The node isn't on the disk any more.
  func recordGone(_ id: RecordID) throws
  /// Whether no node of that name is known in the directory.
  func isUnknown(_ name: FileNameBytes, in directory: RecordID) throws -> Bool
  /// A directory's time was given back.
  func refreshDirectory(_ path: [FileNameBytes], _ stat: FileStat) throws
}
