public import CairnZone
import Glibc

/// The mark in a folder's root that names the mirrored zone or part, and Cairn's own folders beside
/// it. It is put there when a folder becomes a mirror, and read wherever one is found.
public enum MountMark {
  /// The mark at a folder's root that names the mirrored zone or part.
  static let markName: FileNameBytes = Array("zone".utf8)
  /// The mark while it is written.
  private static let unfinishedName: FileNameBytes = Array("zone.new".utf8)
  /// A file beside the mark of a folder that was never attached.
  static let newName: FileNameBytes = Array("new".utf8)
  /// The file beside the mark with the mount's selection.
  static let selectionName: FileNameBytes = Array("selection".utf8)
  /// The selection while it is written.
  static let unfinishedSelectionName: FileNameBytes = Array("selection.new".utf8)
  /// The file beside the mark that says that this device applies the modes of others.
  static let metadataName: FileNameBytes = Array("metadata".utf8)

  /// Puts the mark of a zone on a folder that becomes its mirror.
  /// - Throws: `FolderError` with `.exists` if the folder has the mark of another zone.
  public static func claim(
    _ path: [UInt8], for part: ZonePart, isFile: Bool = false, on disk: any Disk = SystemDisk()
  ) throws {
    let folder = Staging.folder(of: part, isFile: isFile)
    let root = try Descriptor.openRoot(path, on: disk)
    let own = Array(part.description.utf8)
    if let marker = try marker(in: root, folder) {
      guard marker == own else {
        throw FolderError(.exists, path, "the folder mirrors something else already")
      }
      return
    }
    // The mirrored folder keeps its time.
    let modified = try FileStat.of(root).modified
    do throws(FolderError) { try Staging.make(root, folder) } catch {
      let name = String(decoding: path, as: UTF8.self)
      throw FolderError(error.code, path, "can't mirror \(name): \(error.reason)")
    }
    _ = try root.openDirectory([folder]).open([newName], flags: O_WRONLY | O_CREAT, mode: 0o600)
    try writeMarker(own, in: root, folder)
    try root.setTime(modified, path: path)
  }

  /// Removes the mark from a folder that will not be a mirror after all.
  public static func unclaim(
    _ path: [UInt8], for part: ZonePart, isFile: Bool = false, on disk: any Disk = SystemDisk()
  ) throws {
    let root = try Descriptor.openRoot(path, on: disk)
    let modified = try FileStat.of(root).modified
    try takeOwnFolders(from: root, folder: Staging.folder(of: part, isFile: isFile))
    try root.setTime(modified, path: path)
  }

  /// The part that a folder mirrors, by its mark.
  public static func mark(
    on path: [UInt8], of disk: any Disk = SystemDisk()
  ) throws -> ZonePart? {
    try marker(in: Descriptor.openRoot(path, on: disk), Staging.folder)
      .flatMap { ZonePart(String(decoding: $0, as: UTF8.self)) }
  }

  /// Removes the mark from a folder, and its notes: it is no longer a mirror, and no engine has it.
  public static func abandon(
    _ folder: [UInt8], _ part: ZonePart, _ isFile: Bool, _ index: FolderIndex
  ) throws {
    if let number = try index.number(of: part) { try index.forget(number) }
    do { try unclaim(folder, for: part, isFile: isFile) } catch let error as FolderError {
      guard error.code == .notFound else { throw error }
    }
  }

  /// Removes all marks of unknown zones from a folder and everything below it: nobody here can ever
  /// mirror those. Rescued files there stay.
  /// - Parameters:
  ///   - path: The folder's absolute path.
  ///   - disk: The disk.
  ///   - isKnown: Returns whether somebody may still mirror the part.
  /// - Throws: `FolderError` if something cannot be checked or removed; the marks that were removed
  ///   before concerned nobody.
  public static func takeAll(
    from path: [UInt8], on disk: any Disk = SystemDisk(), but isKnown: (ZonePart) throws -> Bool
  ) throws {
    let root = try Descriptor.openRoot(path, on: disk)
    var directories: [[FileNameBytes]] = [[]]
    while let names = directories.popLast() {
      let directory = try root.openDirectory(names)
      let modified = try FileStat.of(directory).modified
      var wasMarked = false
      for name in try DirectoryListing.names(of: directory) {
        guard try FileStat.at(directory, name)?.kind == .directory else { continue }
        guard name.starts(with: Staging.folder) else {
          directories.append(names + [name])
          continue
        }
        guard let mark = try marker(in: directory, [name]),
          let part = ZonePart(String(decoding: mark, as: UTF8.self)), try !isKnown(part)
        else { continue }
        try takeOwnFolders(from: directory, folder: name)
        wasMarked = true
      }
      if wasMarked { try directory.setTime(modified, path: joined(names)) }
    }
  }

  static func takeOwnFolders(
    from root: Descriptor, folder: FileNameBytes
  ) throws(FolderError) {
    let own = try root.openDirectory([folder])
    let choices = [selectionName, unfinishedSelectionName, metadataName]
    for name in [markName, unfinishedName, newName] + choices {
      try expectGone(own.disk.remove(name, in: own.number), name)
    }
    for name in ["staging", "displaced", "parked", "rescue", "notes"] {
      // A non-empty folder stays: it contains files that a person may want back.
      let name = Array(name.utf8)
      try expectGone(own.disk.removeDirectory(name, in: own.number), name)
    }
    try expectGone(root.disk.removeDirectory(folder, in: root.number), folder)
  }

  /// Throws for temporary failures. Otherwise the remaining entry stays: it is in use, or has
  /// contents.
  static func expectGone(_ result: Int32, _ path: [UInt8]) throws(FolderError) {
    guard result < 0 else { return }
    let error = FolderError(-result, path, "remove")
    switch error.code {
    case .failed, .full, .tooMany: throw error
    default: return
    }
  }

  /// The part that the directory at these names mirrors, by its mark.
  static func mark(in root: Descriptor, _ names: [FileNameBytes]) throws -> ZonePart? {
    try marker(in: root, names + [Staging.folder])
      .flatMap { ZonePart(String(decoding: $0, as: UTF8.self)) }
  }

  static func marker(
    in root: Descriptor, _ folder: FileNameBytes = Staging.folder
  ) throws -> [UInt8]? {
    try marker(in: root, [folder])
  }

  private static func marker(in root: Descriptor, _ folder: [FileNameBytes]) throws -> [UInt8]? {
    do throws(FolderError) {
      let file = try root.openFile(folder + [markName])
      let bytes = try file.readAll(upTo: 100, as: "read the mark")
      // An empty file is the remainder of an unfinished mark after a power cut.
      return bytes.isEmpty ? nil : bytes.filter { $0 != UInt8(ascii: "\n") }
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  private static func writeMarker(
    _ text: [UInt8], in root: Descriptor, _ folder: FileNameBytes
  ) throws {
    let own = try root.openDirectory([folder])
    let file = try own.open([unfinishedName], flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    try file.write(text + [UInt8(ascii: "\n")], as: "write the mark")
    try file.sync()
    let result = own.disk.rename(
      unfinishedName, in: own.number, to: markName, in: own.number, .replacing)
    guard result >= 0 else { throw FolderError(-result, markName, "write the mark") }
    try own.sync()
  }
}
