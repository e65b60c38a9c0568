import CairnZone

/// The new directories that are built in the staging folder. Their files are received under their
/// final names, so that one rename puts a directory and all of them into the folder. Until the last
/// of these files is there, no plan includes the directory or anything that goes into it. It knows
/// neither the disk nor the zone.
struct NewDirectories {
  /// A directory in the staging folder.
  private struct Directory {
    var name: FileNameBytes
    /// The files that are still being received.
    var underWay: Set<RecordID>
    /// The directory itself, and everything that the plan puts into it.
    var waiting: [RecordID]
    /// A Boolean value that indicates whether the folder has the directory, or a plan creates it
    /// there without these files.
    var isLeft = false
  }

  private var directories: [RecordID: Directory] = [:]
  /// The directory of each file that is being received.
  private var owners: [RecordID: RecordID] = [:]
  /// The number of incomplete directories that a record waits for.
  private var waits: [RecordID: Int] = [:]
  /// The directories in the staging folder that nobody needs any more.
  private var leftovers: [FileNameBytes] = []

  /// The records that wait for files of a directory that they are, or go into.
  var waiting: Set<RecordID> { Set(waits.keys) }

  /// Returns whether a record waits for files of a directory that it is, or goes into.
  func isWaiting(_ id: RecordID) -> Bool { waits[id] != nil }

  /// A Boolean value that indicates whether the staging folder has none of them.
  var isQuiet: Bool { directories.isEmpty && leftovers.isEmpty }

  /// Returns whether a directory is being built, or was.
  func has(_ id: RecordID) -> Bool { directories[id] != nil }

  /// Returns the name in the staging folder of a directory whose files are all there; nil for any
  /// other one.
  func completeName(of id: RecordID) -> FileNameBytes? {
    guard let directory = directories[id], directory.underWay.isEmpty, !directory.isLeft else {
      return nil
    }
    return directory.name
  }

  /// Notes a directory whose files are on their way.
  /// - Parameters:
  ///   - id: Its record.
  ///   - name: Its name in the staging folder.
  ///   - files: The records of the files.
  ///   - waiting: The records that wait for it: itself, and everything that goes into it.
  mutating func begin(
    _ id: RecordID, as name: FileNameBytes, files: Set<RecordID>, waiting: [RecordID]
  ) {
    guard !files.isEmpty else { return leftovers.append(name) }
    directories[id] = Directory(name: name, underWay: files, waiting: waiting)
    for file in files { owners[file] = id }
    for other in waiting { waits[other, default: 0] += 1 }
  }

  /// Notes the end of a file's transfer, whatever came of it.
  mutating func end(_ file: RecordID) {
    guard let id = owners.removeValue(forKey: file), var directory = directories[id] else { return }
    directory.underWay.remove(file)
    if directory.underWay.isEmpty { release(&directory) }
    directories[id] = directory
    if directory.underWay.isEmpty, directory.isLeft { give(up: id) }
  }

  /// Notes that a plan creates the directory, with its files or without them: nothing waits for
  /// them any more.
  mutating func leave(_ id: RecordID) {
    guard var directory = directories[id] else { return }
    directory.isLeft = true
    release(&directory)
    directories[id] = directory
    if directory.underWay.isEmpty { give(up: id) }
  }

  private mutating func release(_ directory: inout Directory) {
    for other in directory.waiting {
      let left = (waits[other] ?? 0) - 1
      waits[other] = left > 0 ? left : nil
    }
    directory.waiting = []
  }

  private mutating func give(up id: RecordID) {
    if let directory = directories.removeValue(forKey: id) { leftovers.append(directory.name) }
  }

  /// Notes that these directories of the staging folder are in the folder now.
  mutating func moved(_ names: Set<FileNameBytes>) {
    if !names.isEmpty { leftovers.removeAll { names.contains($0) } }
  }

  /// Notes a new name in the staging folder.
  mutating func rename(_ name: FileNameBytes, to new: FileNameBytes) {
    leftovers.removeAll { $0 == name }
    leftovers.append(new)
  }

  /// Returns the directories in the staging folder that nobody needs any more, and forgets them.
  /// Files in them that still wait for their steps are put into the folder one by one.
  mutating func takeLeftovers() -> [FileNameBytes] {
    for id in directories.keys where directories[id]?.underWay.isEmpty == true { give(up: id) }
    defer { leftovers = [] }
    return leftovers
  }

  /// Notes a directory of the staging folder that nobody needs unless it is moved into the folder,
  /// or that isn't empty yet.
  mutating func keep(_ name: FileNameBytes) { leftovers.append(name) }

  /// The rule that is broken; nil if none is.
  var brokenRule: String? {
    !waits.isEmpty && owners.isEmpty
      ? "records wait for files of a directory that nobody fetches" : nil
  }
}
