import CairnZone
import Glibc

/// The folder `.cairn` at a mount's root, which is never mirrored: incoming files, replaced files
/// until their check, files under temporary names, and rescued files. Beside a single mirrored file
/// it has a name of its own.
final class Staging {
  /// The name at the mount's root.
  static let folder: FileNameBytes = Array(".cairn".utf8)
  /// The folder of temporary names, relative to the root.
  static let parkedPath: [FileNameBytes] = [folder, Array("parked".utf8)]
  /// The prefix of such folders beside single files.
  static let filePrefix: FileNameBytes = Array(".cairn-".utf8)
  /// The folder's name at this mount's root.
  let name: FileNameBytes
  /// The folder of rescued files, relative to the root.
  var rescuePath: [FileNameBytes] { [name, Array("rescue".utf8)] }

  /// The folder's name for the mount of that part of a zone.
  static func folder(of part: ZonePart, isFile: Bool) -> FileNameBytes {
    // Ids of records that were created together have equal beginnings.
    isFile ? filePrefix + Array(hexadecimal(part.base.bytes.suffix(4)).utf8) : folder
  }

  /// Incoming files; emptied at each start, except for large ones that are fetched in part.
  let incoming: Descriptor
  /// Replaced files, until they were checked again.
  let displaced: Descriptor
  /// Files under temporary names, out of the way of others, each named by its record's id.
  let parked: Descriptor
  /// Rescued files for the person.
  let rescue: Descriptor
  /// The reasons for the rescue.
  let notes: Descriptor

  /// The unique parts of names in these folders.
  let names: FreshNames

  /// Unique parts of names, for as long as the program runs.
  final class FreshNames {
    private var counter = 0
    private let token: String

    init(token: String) { self.token = token }

    func next() -> String {
      counter += 1
      return "-\(token)-\(counter)"
    }
  }

  /// Opens the folders below `root`, and creates missing ones.
  convenience init(
    root: Descriptor, name: FileNameBytes = Staging.folder, names: FreshNames
  ) throws(FolderError) {
    try Self.make(root, name)
    let own = try root.openDirectory([name])
    for inner in Inner.allCases { try Self.make(own, inner.name) }
    try self.init(own, name, names)
    try keepPlain(incoming)
  }

  /// Opens the folders again. This changes nothing on the disk: a change would be an event that
  /// wakes the mount, which would open them again.
  convenience init(
    reopening name: FileNameBytes, in root: Descriptor, names: FreshNames
  ) throws(FolderError) {
    try self.init(root.openDirectory([name]), name, names)
  }

  private init(
    _ own: Descriptor, _ name: FileNameBytes, _ names: FreshNames
  ) throws(FolderError) {
    self.name = name
    self.names = names
    func opened(_ inner: Inner) throws(FolderError) -> Descriptor {
      try own.openDirectory([inner.name])
    }
    incoming = try opened(.incoming)
    displaced = try opened(.displaced)
    parked = try opened(.parked)
    rescue = try opened(.rescue)
    notes = try opened(.notes)
  }

  /// The folders in this folder.
  private enum Inner: String, CaseIterable {
    case incoming = "staging"
    case displaced, parked, rescue, notes

    var name: FileNameBytes { Array(rawValue.utf8) }
  }

  /// Gives staged files the person's own group and no access list, whatever the mount's root gives
  /// to new files. The applier adds the attributes that the file's own directory gives.
  private func keepPlain(_ folder: Descriptor) throws(FolderError) {
    // If this fails, there is no such list.
    _ = folder.disk.setAttribute(AccessList.defaultAttribute, of: folder.number, to: nil)
    let mode = try FileStat.of(folder).mode
    if mode & 0o2000 != 0 { try folder.setMode(mode & 0o777, name) }
  }

  /// Returns whether names that only differ in case are equal at the mount's root: then this folder
  /// is found under another spelling.
  func foldsNames(in root: Descriptor) throws(FolderError) -> Bool {
    let other = Array(String(decoding: name, as: UTF8.self).uppercased().utf8)
    guard let own = try FileStat.at(root, name) else { return false }
    return try FileStat.at(root, other)?.isSameInode(as: own) ?? false
  }

  /// The temporary name for a record's file.
  static func parkedName(_ id: RecordID) -> FileNameBytes { Array(hexadecimal(id.bytes).utf8) }

  /// A unique name in these folders, which contains the record's id.
  func freshName(for id: RecordID) -> FileNameBytes {
    Self.parkedName(id) + Array(names.next().utf8)
  }

  /// The path of an entry of a directory in these folders. Only Cairn creates names there.
  static func path(_ directory: FileNameBytes, _ name: FileNameBytes) -> FileNameBytes {
    directory + [UInt8(ascii: "/")] + name
  }

  /// The record of a name from `freshName`.
  static func record(of name: FileNameBytes) -> RecordID? {
    guard name.count > 33, name[32] == UInt8(ascii: "-") else { return nil }
    return parkedRecord(of: Array(name.prefix(32)))
  }

  /// The record of a file under a temporary name.
  static func parkedRecord(of name: FileNameBytes) -> RecordID? {
    RecordID(hexadecimal: String(decoding: name, as: UTF8.self))
  }

  /// Removes incoming files of an earlier run, except for these. Only this program writes there,
  /// possibly partly. Swaps are made from the folder of replaced files, so a person's file gets
  /// here only in cases that `keepReturned` handled before.
  func sweep(keeping kept: Set<FileNameBytes> = []) throws(FolderError) {
    for name in try DirectoryListing.names(of: incoming) where !kept.contains(name) {
      try Self.removeAll(name, in: incoming)
    }
  }

  /// Removes an entry of Cairn's own, with everything in it.
  private static func removeAll(
    _ name: FileNameBytes, in parent: Descriptor
  ) throws(FolderError) {
    let result = parent.disk.remove(name, in: parent.number)
    guard result == -EISDIR || result == -EPERM else {
      guard result < 0 else { return }
      throw FolderError(-result, name, "remove")
    }
    let directory = try parent.openDirectory([name])
    for inner in try DirectoryListing.names(of: directory) {
      try removeAll(inner, in: directory)
    }
    do throws(FolderError) { try parent.removeDirectory(name) } catch {
      // A transfer of the last run may still write into it: then the next start removes it.
      guard error.code == .notEmpty else { throw error }
    }
  }

  /// Moves an entry to the rescue folder, under its path; a taken name gets a number.
  @discardableResult
  func rescue(
    _ name: FileNameBytes, from directory: Descriptor, path: [FileNameBytes]
  ) throws(FolderError) -> [FileNameBytes] {
    var folder = rescue
    var path = path
    for depth in path.indices {
      (folder, path[depth]) = try Self.enter(folder, path[depth])
    }
    let inner = folder
    let target = try FreeName.take(FreeName.numbered(name)) { target throws(FolderError) in
      try Rename.toFreeName(directory, name, inner, target, via: displaced)
      return target
    }
    return rescuePath + path + [target]
  }

  /// Opens a directory with that name, and creates it if needed; if another file has the name, a
  /// numbered one.
  static func enter(
    _ parent: Descriptor, _ name: FileNameBytes
  ) throws(FolderError) -> (Descriptor, FileNameBytes) {
    try FreeName.take(FreeName.numbered(name)) { part throws(FolderError) in
      try make(parent, part)
      let kind = try FileStat.at(parent, part)?.kind
      guard kind == .directory || kind == nil else {
        throw FolderError(.exists, part, "the name is taken")
      }
      return (try parent.openDirectory([part]), part)
    }
  }

  static func make(_ parent: Descriptor, _ name: FileNameBytes) throws(FolderError) {
    do throws(FolderError) { try parent.makeDirectory(name, mode: 0o700) } catch {
      guard error.code == .exists else { throw error }
    }
  }
}
