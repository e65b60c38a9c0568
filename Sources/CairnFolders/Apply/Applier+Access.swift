import CairnPlan
import CairnZone
import Glibc

/// Limits the access to files that arrive. Nobody gets access who had none to the file at that
/// place before, and would have none to a file that a program of this person creates there.
extension Applier {
  /// Gives a staged file the local attributes of the file whose place it takes. If others changed
  /// the mode or the extended attributes of the record `row`, the file gets the new ones.
  func dress(
    _ staged: inout StagedFile, like file: Descriptor?, _ stat: FileStat, _ row: NodeRow,
    _ attributes: Attributes
  ) throws(FolderError) {
    guard staged.stat.kind == .file, stat.kind == .file else { return }
    var wanted = try LocalAttributes(of: file, stat)
    let before = row.local?.node.attributes
    if let extended = attributes.extended { wanted.take(extended, from: before?.extended ?? [:]) }
    if let mode = attributes.mode, mode != before?.mode {
      let isLimited = file == nil || wanted.list != nil
      wanted.access.mode = try limited(mode, from: stat, row, isNarrowed: isLimited)
    } else if staged.stat.isExecutable != stat.isExecutable {
      wanted.access.mode = Self.mode(wanted.access.mode, isExecutable: staged.stat.isExecutable)
    }
    if isReadOnly { wanted.access.mode &= ~FileMode.anyWrite }
    staged.stat = try give(wanted, to: staged)
  }

  /// Gives a staged file the attributes that a program's new file gets in the directory, but never
  /// more access than the former file at the place had, and than the mode that came with it. It
  /// gets the extended attributes that came with it.
  func dress(
    _ staged: inout StagedFile, of id: RecordID, at place: Place, in directory: Descriptor,
    _ attributes: Attributes
  ) throws {
    guard staged.stat.kind == .file else { return }
    let usual: UInt32 = staged.stat.isExecutable ? 0o777 : 0o666
    let most = attributes.mode.map { UInt32($0) | 0o400 } ?? usual
    var wanted = LocalAttributes(Access(staged.stat))
    wanted.access.mode &= most
    if let extended = attributes.extended { wanted.take(extended, from: [:]) }
    let traits = try traits(of: directory)
    if let group = traits.group { wanted.access.group = group }
    if let list = traits.list {
      wanted.list = list.created(with: most)
      wanted.access.mode = wanted.list?.mode ?? 0
      if isReadOnly { wanted.access.mode &= ~FileMode.anyWrite }
    }
    for other in try tree.accesses(before: id, at: place) {
      wanted.access = wanted.access.limited(by: other)
    }
    staged.stat = try give(wanted, to: staged)
  }

  private func give(
    _ wanted: LocalAttributes, to staged: StagedFile
  ) throws(FolderError) -> FileStat {
    let incoming = staging.incoming
    return try wanted.give(to: staged.stat) { () throws(FolderError) in
      try incoming.openFile([staged.name])
    }
  }

  /// Returns the mode for a new directory. A directory that returns doesn't get more access than
  /// before, and none gets more than the mode that comes with it.
  func directoryMode(_ id: RecordID, at place: Place) throws -> UInt32 {
    let most = tree.carriedMode(of: id).map { UInt32($0) | 0o700 } ?? 0o777
    return try tree.accesses(before: id, at: place).reduce(most) { $0 & ($1.mode | 0o700) }
  }

  // MARK: Modes of others

  /// Returns the mode for an entry whose record has another mode than before: that mode, without
  /// rights that a new entry of this person wouldn't have. The owner can always read a file, and
  /// use a directory. Without an agreed mode, or if `isNarrowed`, no right is added.
  /// - Throws: `FolderError` if no file can be made in the staging folder.
  func limited(
    _ mode: UInt16, from stat: FileStat, _ row: NodeRow, isNarrowed: Bool
  ) throws(FolderError) -> UInt32 {
    let isFile = stat.kind == .file
    let wanted = UInt32(mode) & 0o777 | (isFile ? 0o400 : 0o700)
    var most = stat.mode & 0o777
    if isFile { most = Self.mode(most, isExecutable: wanted & 0o100 != 0) }
    if !isNarrowed, row.synced?.attributes.mode != nil, wanted & ~most != 0 {
      most = try FileMode(staging).most
    }
    let found = wanted & most | (isFile ? 0o400 : 0o700)
    return isFile && isReadOnly ? found & ~FileMode.anyWrite : found
  }

  /// Returns the mode that a step is to give to an entry; nil if it gives none.
  func carriedMode(
    _ attributes: Attributes, for row: NodeRow, _ name: FileNameBytes, _ stat: FileStat,
    in directory: Descriptor
  ) throws(FolderError) -> UInt32? {
    guard let mode = attributes.mode, let local = row.local, stat.kind != .symlink,
      mode != local.node.attributes.mode
    else { return nil }
    return try limited(mode, from: stat, row, isNarrowed: hasList(name, stat, in: directory))
  }

  /// Returns whether an entry has an access list; true also if nobody can say.
  private func hasList(
    _ name: FileNameBytes, _ stat: FileStat, in directory: Descriptor
  ) throws(FolderError) -> Bool {
    do throws(FolderError) {
      let entry =
        stat.kind == .directory
        ? try directory.openDirectory([name]) : try directory.openFile([name])
      return try entry.attributeNames().contains(AccessList.attribute)
    } catch {
      guard error.code == .denied || error.code == .unsupported else { throw error }
      return true
    }
  }

  private static func mode(_ mode: UInt32, isExecutable: Bool) -> UInt32 {
    isExecutable ? mode | (mode & 0o444) >> 2 : mode & ~0o111
  }
}

/// The attributes that a directory gives to files created in it.
struct DirectoryTraits {
  /// Its group, if it has the setgid bit.
  var group: UInt32?
  /// Its default access list.
  var list: AccessList?
}
