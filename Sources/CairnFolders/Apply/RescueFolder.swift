import Glibc

/// A folder outside of all mounts, to which an ending mount moves files that only it has, with
/// their paths. It destroys nothing: a taken name gets a number.
public final class RescueFolder {
  let path: [UInt8]
  let disk: any Disk
  private var opened: Descriptor?

  /// Creates a value for an absolute path; the folder is created with the first file.
  public init(path: [UInt8], on disk: any Disk = SystemDisk()) {
    self.path = path
    self.disk = disk
  }

  /// The files in the folder at an absolute path, with the times of their arrival; none if there is
  /// no such folder.
  public static func files(
    in path: [UInt8], limit: Int, on disk: any Disk = SystemDisk()
  ) throws -> [(path: [UInt8], time: Int64)] {
    let root: Descriptor
    do throws(FolderError) { root = try Descriptor.openRoot(path, on: disk) } catch {
      guard error.code == .notFound else { throw error }
      return []
    }
    var found: [(path: [UInt8], time: Int64)] = []
    var stack: [[FileNameBytes]] = [[]]
    while let names = stack.popLast(), found.count < limit {
      let folder = try root.openDirectory(names)
      for name in try DirectoryListing.names(of: folder) {
        guard let stat = try FileStat.at(folder, name) else { continue }
        if stat.kind == .directory {
          stack.append(names + [name])
        } else {
          found.append((joined(names + [name]), stat.changed))
        }
      }
    }
    return found
  }

  /// Moves an entry of an open directory here, to that path. Returns its absolute path. An open
  /// file stays open, if both are on one file system.
  func take(
    _ name: FileNameBytes, from directory: Descriptor, as names: [FileNameBytes]
  ) throws(FolderError) -> [UInt8] {
    guard let last = names.last else { throw FolderError(.badName, name, "an entry needs a name") }
    var folder = try root()
    var above = Array(names.dropLast())
    for depth in above.indices {
      (folder, above[depth]) = try Staging.enter(folder, above[depth])
    }
    let inner = folder
    let target = try FreeName.take(FreeName.numbered(last)) { target throws(FolderError) in
      try move(name, from: directory, to: target, in: inner)
      return target
    }
    try giveToPerson(target, in: folder)
    return path + [UInt8(ascii: "/")] + joined(above + [target])
  }

  func root() throws(FolderError) -> Descriptor {
    if let opened { return opened }
    let made = disk.makeDirectory(at: path, mode: 0o700)
    guard made >= 0 || made == -EEXIST else {
      throw FolderError(-made, path, "make the rescue folder")
    }
    let root = try Descriptor.openRoot(path, on: disk)
    opened = root
    return root
  }

  func move(
    _ name: FileNameBytes, from directory: Descriptor, to target: FileNameBytes,
    in folder: Descriptor
  ) throws(FolderError) {
    do throws(FolderError) {
      try Rename.toFreeName(directory, name, folder, target, via: folder)
    } catch {
      guard error.code == .otherDevice else { throw error }
      try copy(name, from: directory, to: target, in: folder)
    }
  }

  /// A read-only file becomes the person's own now.
  private func giveToPerson(
    _ name: FileNameBytes, in folder: Descriptor
  ) throws(FolderError) {
    do throws(FolderError) {
      _ = try FileMode.set(name, in: folder) { $0 | 0o200 }
    } catch {
      guard error.code == .denied else { throw error }
    }
  }

  // MARK: Across file systems

  /// Copies, makes durable, and only then removes.
  private func copy(
    _ name: FileNameBytes, from directory: Descriptor, to target: FileNameBytes,
    in folder: Descriptor
  ) throws(FolderError) {
    guard let stat = try FileStat.at(directory, name) else {
      throw FolderError(.notFound, name, "it is gone")
    }
    switch stat.kind {
    case .file: try copyFile(name, stat, from: directory, to: target, in: folder)
    case .symlink:
      let text = try DirectoryListing.target(in: directory, name)
      try folder.makeSymlink(target, to: text)
    case .directory:
      try folder.makeDirectory(target, mode: 0o700)
      let (from, to) = (try directory.openDirectory([name]), try folder.openDirectory([target]))
      for inner in try DirectoryListing.names(of: from) {
        try copy(inner, from: from, to: inner, in: to)
      }
      try to.sync()
    // It has no bytes.
    case .other: break
    }
    try folder.sync()
    if stat.kind == .directory {
      try directory.removeDirectory(name)
    } else {
      try directory.remove(name)
    }
  }

  private func copyFile(
    _ name: FileNameBytes, _ stat: FileStat, from directory: Descriptor,
    to target: FileNameBytes, in folder: Descriptor
  ) throws(FolderError) {
    let source = try directory.openFile([name])
    let copy = try folder.open(
      [target], flags: O_WRONLY | O_CREAT | O_EXCL, mode: stat.mode & 0o700 | 0o600)
    do {
      var runs = ZeroRuns()
      while true {
        let bytes = try source.read(upTo: 1 << 17, as: "read")
        if bytes.isEmpty { break }
        try bytes.withUnsafeBytes { try runs.take($0, copy.put) }
      }
      if let size = try runs.finish(copy.put) { try copy.setSize(size) }
    } catch let error as FolderError {
      throw error
    } catch {
      throw FolderError(.failed, name, "\(error)")
    }
    // A copy with another time is still a copy.
    _ = disk.setTime(of: copy.number, stat.modified)
    try copy.sync()
  }
}

/// The way out of a rescue folder: back to a folder, or deletion.
extension RescueFolder {
  /// Moves a file from here into a directory.
  /// - Parameters:
  ///   - path: The path within the rescue folder.
  ///   - directory: An absolute path.
  ///   - name: The new name.
  ///   - isFlexible: Whether a taken name gets a number instead of being an error.
  /// - Returns: the new absolute path.
  /// - Throws: `FolderError` if something is missing, or the name is taken.
  public func giveBack(
    _ path: [UInt8], to directory: [UInt8], as name: [UInt8], isFlexible: Bool
  ) throws -> [UInt8] {
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard let last = names.last else { throw FolderError(.badName, path, "an entry needs a name") }
    let from = try root().openDirectory(Array(names.dropLast()))
    let to = try Descriptor.openRoot(directory, on: disk)
    let target = try FreeName.take(attempts: isFlexible ? 10_000 : 1) { attempt in
      attempt == 1 ? name : Self.marked(name, "rescued", attempt - 1)
    } _: { target throws(FolderError) in
      try move(last, from: from, to: target, in: to)
      return target
    }
    try removeEmpty(Array(names.dropLast()))
    return directory + (directory.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + target
  }

  /// Deletes an entry permanently, with everything in it.
  public func destroy(_ path: [UInt8]) throws {
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard let last = names.last else { return }
    let above = Array(names.dropLast())
    do throws(FolderError) {
      try destroy(last, in: root().openDirectory(above))
    } catch {
      guard error.code == .notFound else { throw error }
    }
    try removeEmpty(above)
  }

  private func destroy(_ name: FileNameBytes, in directory: Descriptor) throws(FolderError) {
    guard try FileStat.at(directory, name)?.kind == .directory else {
      return try directory.remove(name)
    }
    let inner = try directory.openDirectory([name])
    for entry in try DirectoryListing.names(of: inner) { try destroy(entry, in: inner) }
    try directory.removeDirectory(name)
  }

  /// Removes the directories of a path, as far as they are empty.
  private func removeEmpty(_ names: [FileNameBytes]) throws(FolderError) {
    var names = names
    while let last = names.popLast() {
      do throws(FolderError) {
        try root().openDirectory(names).removeDirectory(last)
      } catch {
        guard error.code == .notEmpty || error.code == .notFound else { throw error }
        return
      }
    }
  }

  /// Creates the missing directories of an absolute path.
  public static func makeFolders(
    _ names: [[UInt8]], in folder: [UInt8], on disk: any Disk = SystemDisk()
  ) throws {
    var directory = try Descriptor.openRoot(folder, on: disk)
    for name in names {
      do throws(FolderError) { try directory.makeDirectory(name, mode: 0o777) } catch {
        guard error.code == .exists else { throw error }
      }
      directory = try directory.openDirectory([name])
    }
  }

  /// The name with a word in parentheses before its extension, as in `note (rescued 2).txt`.
  static func marked(_ name: FileNameBytes, _ word: String, _ number: Int) -> FileNameBytes {
    let mark = Array(" (\(word)\(number > 1 ? " \(number)" : ""))".utf8)
    var end = name.endIndex
    if let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex,
      name.count - dot <= 17
    {
      end = dot
    }
    let suffix = name[end...]
    return Array(name[..<end].prefix(255 - mark.count - suffix.count)) + mark + suffix
  }
}
