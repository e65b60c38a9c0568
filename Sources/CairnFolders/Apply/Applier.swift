import CairnPlan
import CairnZone

/// Performs folder steps without ever destroying unseen content. It must not know the reason for a
/// step. One instance serves one batch of steps: it remembers the touched directories and restores
/// their times at the end.
final class Applier {
  let root: Descriptor
  let staging: Staging
  let tree: any TreeAccess
  let ignores: IgnoreTree
  /// A Boolean value that indicates whether a file was replaced or removed that must be checked
  /// again.
  var hasDisplaced = false
  /// The known content of replaced files, by their names in the folder of replaced files.
  var displaced: [FileNameBytes: DisplacedFiles.Seen] = [:]
  /// The directories that the steps remove with everything in them.
  var whole = WholeDirectories()
  /// The directories that stay because a file in them is open for writing.
  var busyDirectories: Set<RecordID> = []
  /// A Boolean value that indicates whether a file was rescued.
  var hasRescued = false
  /// The new directories that are ready in the staging folder.
  var aside: [RecordID: AsideDirectory] = [:]
  /// The files that came into the folder with their directories, and whose steps follow.
  var arrived: Set<RecordID> = []
  /// The names in the staging folder of the directories that were moved into the folder.
  var movedIn: Set<FileNameBytes> = []
  /// The time of day, in nanoseconds since 1970.
  let date: Int64
  /// The touched directories.
  private(set) var touched = TouchedDirectories()
  /// A Boolean value that indicates whether the person can't edit here, so that files have no write
  /// bits.
  let isReadOnly: Bool
  /// The directory of the last step: most steps are in the same directory.
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

  /// The result of one step.
  enum Outcome {
    /// Done; the local node is as the step says.
    case done
    /// The folder differs from the plan: scan these paths and plan again.
    case changed([[FileNameBytes]])
    /// The file is open for writing; try again later.
    case busy
    /// Nothing was done, for this reason.
    case failed(FolderError)
  }

  /// The error for a step whose directory was replaced by another one.
  struct AnotherDirectory: Error {
    var path: [FileNameBytes]
  }

  // MARK: Directories and times

  /// Opens the directory of a place, and notes its time for `finish`: Cairn's change inside a
  /// directory is no change of its person.
  func directory(of place: Place) throws -> (Descriptor, [FileNameBytes]) {
    if let last, last.parent == place.parent { return (last.directory, last.path) }
    guard let path = try tree.path(ofDirectory: place.parent) else {
      throw FolderError(.notFound, place.name.bytes, "its directory isn't there")
    }
    let directory = try root.openDirectory(path)
    let stat = try FileStat.of(directory)
    if let row = try tree.row(place.parent), !row.isSameInode(as: stat) {
      throw AnotherDirectory(path: path)
    }
    touched.note(place.parent, at: path, stat.modified)
    last = LastDirectory(parent: place.parent, directory: directory, path: path, stat: stat)
    return (directory, path)
  }

  /// Returns the attributes that the directory of the last step gives to new files. They are read
  /// for the first of these files only.
  func traits(of directory: Descriptor) throws(FolderError) -> DirectoryTraits {
    if let traits = last?.traits { return traits }
    var traits = DirectoryTraits()
    if let stat = last?.stat, stat.mode & 0o2000 != 0 { traits.group = stat.group }
    traits.list = try directory.attribute(AccessList.defaultAttribute).flatMap { AccessList($0) }
    last?.traits = traits
    return traits
  }

  /// Forgets the directory of the last step, because directories are moved, created or removed.
  func forgetDirectory() { last = nil }

  /// Restores the times of the touched directories, makes the names durable, and updates the tree.
  func finish() throws {
    try touched.finish(root) { try tree.note(.timeGivenBack($0, $1)) }
  }

  /// Forgets the noted time of a directory whose time is set deliberately.
  func forgetTime(of id: RecordID) {
    touched.forget(id)
    last = nil
  }

  /// Removes an unneeded staged file.
  func discard(_ name: FileNameBytes) {
    // If this fails, the file stays in the staging folder until the next start.
    _ = staging.incoming.disk.remove(name, in: staging.incoming.number)
  }
}
