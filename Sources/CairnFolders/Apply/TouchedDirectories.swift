/// The touched directories, with their earlier times. A change that Cairn makes inside a directory
/// must not look like a change by the person.
struct TouchedDirectories {
  private var times: [[FileNameBytes]: Int64] = [:]
  /// A Boolean value that indicates whether there are so many that the whole file system is synced
  /// at once.
  private var isBulk = false

  /// A Boolean value that indicates whether all have their times back, and their names are durable.
  var areDone: Bool { times.isEmpty && !isBulk }

  /// Notes the time of a directory before the first change inside.
  mutating func note(_ path: [FileNameBytes], _ modified: Int64) {
    if times[path] == nil { times[path] = modified }
  }

  /// Forgets a directory whose time is set deliberately.
  mutating func forget(_ path: [FileNameBytes]) { times[path] = nil }

  /// Restores the times of the directories and makes the names in them durable. Failed ones remain;
  /// `note` receives the finished ones.
  mutating func finish(
    _ root: Descriptor, _ note: ([FileNameBytes], FileStat) throws -> Void
  ) throws {
    // Many directories are synced by one call, few individually.
    isBulk = isBulk || times.count > 8
    var trouble: FolderError?
    for (path, modified) in times {
      do {
        let directory = try root.openDirectory(path)
        // The time first: otherwise our change would look like a person's if the rest fails.
        try directory.setTime(modified, path: joined(path))
        if !isBulk { try directory.sync() }
        try note(path, FileStat.of(directory))
      } catch let error as FolderError {
        // The directory was moved or deleted meanwhile: its new place is scanned anyway.
        guard error.code == .notFound || error.code == .denied else {
          trouble = error
          continue
        }
      }
      times[path] = nil
    }
    if let trouble { throw trouble }
    if isBulk { try root.syncFileSystem() }
    isBulk = false
  }
}
