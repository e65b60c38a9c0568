/// The directories in which something was done, with the times that they had: what Cairn does in a
/// directory isn't a change that its person made.
struct TouchedDirectories {
  private var times: [[FileNameBytes]: Int64] = [:]
  /// Whether there are so many that the whole file system is made durable at once.
  private var isBulk = false

  /// Whether all have their times back, and their names are durable.
  var areDone: Bool { times.isEmpty && !isBulk }

  /// Notes the time of a directory before the first act in it.
  mutating func note(_ path: [FileNameBytes], _ modified: Int64) {
    if times[path] == nil { times[path] = modified }
  }

  /// The directory's time is being set on purpose.
  mutating func forget(_ path: [FileNameBytes]) { times[path] = nil }

  /// Gives the directories their times back and makes the names in them durable. What couldn't be
  /// done is left to be done; those that are done are told to `note`.
  mutating func finish(
    _ root: Descriptor, _ note: ([FileNameBytes], FileStat) throws -> Void
  ) throws {
    // Many directories are made durable by one call, a few by one each.
    isBulk = isBulk || times.count > 8
    var trouble: FolderError?
    for (path, modified) in times {
      do {
        let directory = try root.openDirectory(path)
        // The time first: what we did would seem to be a person's if the rest fails.
        try directory.setTime(modified, path: joined(path))
        if !isBulk { try directory.sync() }
        try note(path, FileStat.of(directory))
      } catch let error as FolderError {
        // The directory moved or went in the meantime: its new place is looked at anyway.
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
