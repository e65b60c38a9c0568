import CairnZone

/// The touched directories, with their earlier times. A change that Cairn makes inside a directory
/// must not look like a change by the person.
struct TouchedDirectories {
  private struct Touched {
    var path: [FileNameBytes]
    var modified: Int64
  }

  private var directories: [RecordID: Touched] = [:]
  /// A Boolean value that indicates whether there are so many that the whole file system is synced
  /// at once.
  private var isBulk = false

  /// A Boolean value that indicates whether all have their times back, and their names are durable.
  var areDone: Bool { directories.isEmpty && !isBulk }

  /// Notes the time of a directory before the first change inside.
  mutating func note(_ id: RecordID, at path: [FileNameBytes], _ modified: Int64) {
    directories[id] = Touched(path: path, modified: directories[id]?.modified ?? modified)
  }

  /// Forgets a directory whose time is set deliberately.
  mutating func forget(_ id: RecordID) { directories[id] = nil }

  /// Restores the times of the directories and makes the names in them durable. Failed ones remain;
  /// `note` receives the finished ones.
  mutating func finish(
    _ root: Descriptor, _ note: (RecordID, FileStat) throws -> Void
  ) throws {
    // Many directories are synced by one call, few individually.
    isBulk = isBulk || directories.count > 8
    var trouble: FolderError?
    for (id, touched) in directories {
      do {
        let directory = try root.openDirectory(touched.path)
        // The time first: otherwise our change would look like a person's if the rest fails.
        try directory.setTime(touched.modified, path: joined(touched.path))
        if !isBulk { try directory.sync() }
        try note(id, FileStat.of(directory))
      } catch let error as FolderError {
        // The directory was moved or deleted meanwhile: its new place is scanned anyway.
        guard error.code == .notFound || error.code == .denied else {
          trouble = error
          continue
        }
      }
      directories[id] = nil
    }
    if let trouble { throw trouble }
    if isBulk { try root.syncFileSystem() }
    isBulk = false
  }
}
