import CairnZone

/// The folder `.cairn` at a mount's root, which is never mirrored: files on their way in, files
/// that were displaced and are looked at again, files that wait for their new name, and what was
/// rescued. Beside a file that is mirrored by itself it has a name of its own.
final class Staging {
  /// The name at the mount's root.
  static let folder: FileNameBytes = Array(".cairn".utf8)
  /// Where parked files stand, from the root.
  static let parkedPath: [FileNameBytes] = [folder, Array("parked".utf8)]
  /// What the names of such folders beside single files begin with.
  static let filePrefix: FileNameBytes = Array(".cairn-".utf8)
  /// The folder's name at this mount's root.
  let name: FileNameBytes
  /// Where rescued files stand, from the root.
  var rescuePath: [FileNameBytes] { [name, Array("rescue".utf8)] }

  /// The folder's name for the mount of that part of a zone.
  static func folder(of part: ZonePart, isFile: Bool) -> FileNameBytes {
    // Ids of records that were made together begin alike.
    isFile ? filePrefix + Array(hexadecimal(part.base.bytes.suffix(4)).utf8) : folder
  }

  /// Files on their way in; emptied at each start.
  let incoming: Descriptor
  /// Displaced files, until they were looked at again.
  let displaced: Descriptor
  /// Files that are out of the way of another, each under its record's id.
  let parked: Descriptor
  /// What was set aside for the person.
  let rescue: Descriptor
  /// Why it was.
  let notes: Descriptor

  private var counter = 0
  private let token: String

  /// Opens the folders below `root`, making those that are missing.
  init(
    root: Descriptor, name: FileNameBytes = Staging.folder, token: String
  ) throws(FolderError) {
    self.name = name
    self.token = token
    try Self.make(root, name)
    let own = try root.openDirectory([name])
    func subfolder(_ name: String) throws(FolderError) -> Descriptor {
      try Self.make(own, Array(name.utf8))
      return try own.openDirectory([Array(name.utf8)])
    }
    incoming = try subfolder("staging")
    displaced = try subfolder("displaced")
    parked = try subfolder("parked")
    rescue = try subfolder("rescue")
    notes = try subfolder("notes")
    try keepPlain(incoming)
  }

  /// What is staged gets the person's own group and no access list, whatever the mount's root gives
  /// to what is made in it: the applier adds what the file's own directory gives.
  private func keepPlain(_ folder: Descriptor) throws(FolderError) {
    // Where this fails there is no such list.
    _ = folder.disk.setAttribute(AccessList.defaultAttribute, of: folder.number, to: nil)
    let mode = try FileStat.of(folder).mode
    if mode & 0o2000 != 0 { try folder.setMode(mode & 0o777, name) }
  }

  /// Whether names that differ in the case of letters are one name at the mount's root: this
  /// folder's is found under another spelling, then.
  func foldsNames(in root: Descriptor) throws(FolderError) -> Bool {
    let other = Array(String(decoding: name, as: UTF8.self).uppercased().utf8)
    guard let own = try FileStat.at(root, name) else { return false }
    return try FileStat.at(root, other)?.isSameInode(as: own) ?? false
  }

  /// Under which name a record's file is parked.
  static func parkedName(_ id: RecordID) -> FileNameBytes { Array(hexadecimal(id.bytes).utf8) }

  /// A name that nothing in these folders has, with the record that it belongs to.
  func freshName(for id: RecordID) -> FileNameBytes {
    counter += 1
    return Self.parkedName(id) + Array("-\(token)-\(counter)".utf8)
  }

  /// The record that a name of `freshName` belongs to.
  static func record(of name: FileNameBytes) -> RecordID? {
    guard name.count > 33, name[32] == UInt8(ascii: "-") else { return nil }
    return parkedRecord(of: Array(name.prefix(32)))
  }

  /// The record that a parked file is.
  static func parkedRecord(of name: FileNameBytes) -> RecordID? {
    RecordID(hexadecimal: String(decoding: name, as: UTF8.self))
  }

  /// Removes what an earlier run left on its way in. Only files that this program wrote stand
  /// there, perhaps half; a swap is made from the folder of displaced files, so nothing of a
  /// person's gets here but what `keepReturned` took away before.
  func sweep() throws(FolderError) {
    for name in try DirectoryListing.names(of: incoming) {
      try incoming.remove(name)
    }
  }

  /// Moves an entry to the rescue folder, under its path; an entry of that name gets company.
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

  /// Opens a directory of that name, making it; where something else has the name, another one.
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
