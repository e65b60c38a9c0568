import CairnPlan
import CairnZone

/// Carries out folder steps without ever destroying what it hasn't seen. It must not know why a
/// step is made. One instance serves one batch of steps: it remembers which directories it touched
/// and gives them their times back at the end.
final class Applier {
  let root: Descriptor
  let staging: Staging
  let tree: any TreeAccess
  let ignores: IgnoreTree
  /// Whether something was displaced that has to be looked at again.
  var hasKept = false
  /// What is known of the bytes of what was displaced, by its name in the kept folder.
  var displaced: [FileNameBytes: KeptFiles.Displaced] = [:]
  /// Whether something was set aside.
  var hasRescued = false
  /// The time of day, in nanoseconds since 1970.
  let date: Int64
  private var touched: [[FileNameBytes]: Int64] = [:]
  /// The directory of the last step: most steps stand beside each other.
  private var last: (parent: RecordID, directory: Descriptor, path: [FileNameBytes])?

  init(
    root: Descriptor, staging: Staging, tree: any TreeAccess, ignores: IgnoreTree, date: Int64
  ) {
    self.date = date
    self.root = root
    self.staging = staging
    self.tree = tree
    self.ignores = ignores
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

  /// Another directory stands where one was that a step is about.
  struct AnotherDirectory: Error {
    var path: [FileNameBytes]
  }

  // MARK: Directories and times

  /// Opens the directory of a place, noting its time so that `finish` can give it back: what Cairn
  /// does in a directory isn't a change that its person made.
  func directory(of place: Place) throws -> (Descriptor, [FileNameBytes]) {
    if let last, last.parent == place.parent { return (last.directory, last.path) }
    guard let path = try tree.path(of: place.parent) else {
      throw FolderError(.notFound, place.name.bytes, "its directory isn't there")
    }
    let directory = try root.openDirectory(path)
    let stat = try FileStat.of(directory)
    if let row = try tree.row(place.parent), !row.isSameInode(as: stat) {
      throw AnotherDirectory(path: path)
    }
    if touched[path] == nil { touched[path] = stat.modified }
    last = (place.parent, directory, path)
    return (directory, path)
  }

  /// Forgets the directory of the last step: directories are being moved, made or removed.
  func forgetDirectory() { last = nil }

  /// Gives the directories that were touched their times back, makes the names durable, and brings
  /// the tree up to date.
  func finish() throws {
    // Many directories are made durable by one call, a few by one each.
    let isBulk = touched.count > 8
    var trouble: FolderError?
    for (path, modified) in touched {
      do {
        let directory = try root.openDirectory(path)
        // The time first: what we did would seem to be a person's if the rest fails.
        try directory.setTime(modified, path: joined(path))
        if !isBulk { try directory.sync() }
        let stat = try FileStat.of(directory)
        try tree.refreshDirectory(path, stat)
      } catch let error as FolderError {
        // The directory moved or went in the meantime: its new place is looked at anyway.
        if error.code != .notFound && error.code != .denied { trouble = error }
      }
    }
    touched = [:]
    if let trouble { throw trouble }
    if isBulk { try root.syncFileSystem() }
  }

  /// Forgets the noted time of a directory whose time is being set on purpose.
  func forgetTime(of path: [FileNameBytes]) {
    touched[path] = nil
    last = nil
  }

  /// Removes a staged file that isn't needed any more.
  func discard(_ name: FileNameBytes) {
    // If this fails the file stays in the staging folder, and the next start sweeps it.
    _ = staging.incoming.disk.remove(name, in: staging.incoming.number)
  }
}

/// What the applier asks of the index, and tells it.
protocol TreeAccess {
  func path(of id: RecordID) throws -> [FileNameBytes]?
  func row(_ id: RecordID) throws -> NodeRow?
  /// The node stands on the disk like this now.
  func record(_ id: RecordID, _ node: Node, _ stat: FileStat) throws
  /// What the zone has was put where nothing of it stood, and stands on the disk like this now.
  func recordMade(_ id: RecordID, _ node: Node, _ stat: FileStat) throws
  /// The bytes of the zone took the place of those that stood there.
  func recordReplaced(_ id: RecordID, _ node: Node, _ stat: FileStat) throws
  /// The node isn't on the disk any more, and nothing in it either.
  func recordGone(_ id: RecordID) throws
  /// Whether no node of that name is known in the directory.
  func isUnknown(_ name: FileNameBytes, in directory: RecordID) throws -> Bool
  /// A directory's time was given back.
  func refreshDirectory(_ path: [FileNameBytes], _ stat: FileStat) throws
}
