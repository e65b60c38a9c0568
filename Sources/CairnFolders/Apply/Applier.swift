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
  var hasDisplaced = false
  /// What is known of the bytes of what was displaced, by its name in the folder of displaced
  /// files.
  var displaced: [FileNameBytes: DisplacedFiles.Seen] = [:]
  /// Whether something was set aside.
  var hasRescued = false
  /// The time of day, in nanoseconds since 1970.
  let date: Int64
  /// The directories in which something was done.
  private(set) var touched = TouchedDirectories()
  /// Whether the person may not write here, so that files have no write bits.
  let isReadOnly: Bool
  /// The directory of the last step: most steps stand beside each other.
  private var last: LastDirectory?

  private struct LastDirectory {
    var parent: RecordID
    var directory: Descriptor
    var path: [FileNameBytes]
    var stat: FileStat
    var traits: DirectoryTraits?
  }

  init(
    root: Descriptor, staging: Staging, tree: any TreeAccess, ignores: IgnoreTree, date: Int64,
    isReadOnly: Bool = false
  ) {
    self.date = date
    self.isReadOnly = isReadOnly
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
    /// Nothing was done, for this reason.
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
    touched.note(path, stat.modified)
    last = LastDirectory(parent: place.parent, directory: directory, path: path, stat: stat)
    return (directory, path)
  }

  /// What the directory of the last step gives to new files; looked up for the first of them only.
  func traits(of directory: Descriptor) throws(FolderError) -> DirectoryTraits {
    if let traits = last?.traits { return traits }
    var traits = DirectoryTraits()
    if let stat = last?.stat, stat.mode & 0o2000 != 0 { traits.group = stat.group }
    traits.list = try directory.attribute(AccessList.defaultAttribute).flatMap { AccessList($0) }
    last?.traits = traits
    return traits
  }

  /// Forgets the directory of the last step: directories are being moved, made or removed.
  func forgetDirectory() { last = nil }

  /// Gives the directories that were touched their times back, makes the names durable, and brings
  /// the tree up to date.
  func finish() throws {
    try touched.finish(root) { try tree.note(.timeGivenBack($0, $1)) }
  }

  /// Forgets the noted time of a directory whose time is being set on purpose.
  func forgetTime(of path: [FileNameBytes]) {
    touched.forget(path)
    last = nil
  }

  /// Removes a staged file that isn't needed any more.
  func discard(_ name: FileNameBytes) {
    // If this fails the file stays in the staging folder, and the next start sweeps it.
    _ = staging.incoming.disk.remove(name, in: staging.incoming.number)
  }
}
