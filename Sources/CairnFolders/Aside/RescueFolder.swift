import Glibc

/// A folder outside of all mounts to which a mount that ends moves what only it has, with its
/// paths. It destroys nothing: a name that is taken gets company.
public final class RescueFolder {
  let path: [UInt8]
  let disk: any Disk
  private var opened: Descriptor?

  /// The folder at an absolute path; it is made when something comes into it.
  public init(path: [UInt8], on disk: any Disk = SystemDisk()) {
    self.path = path
    self.disk = disk
  }

  /// What lies in the folder at an absolute path, with the time when it came there; none if there
  /// is no such folder.
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

  /// Moves an entry of an open directory here, to that path; returns where it is, absolute. A file
  /// that a program has open stays open, if both are on one file system.
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

  /// What was shown as read-only is the person's own now.
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
    // There are no bytes in it.
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
