import CairnPlan
import CairnZone
import Glibc

/// Limits the access to files that arrive. Nobody gets access who had none to the file at that
/// place before, and would have none to a file that a program of this person creates there.
extension Applier {
  /// Gives a staged file the local attributes of the file whose place it takes.
  func dress(
    _ staged: inout StagedFile, like file: Descriptor?, _ stat: FileStat
  ) throws(FolderError) {
    guard staged.stat.kind == .file, stat.kind == .file else { return }
    var wanted = try LocalAttributes(of: file, stat)
    let mode = wanted.access.mode
    if staged.stat.isExecutable != stat.isExecutable {
      wanted.access.mode =
        staged.stat.isExecutable ? mode | (mode & 0o444) >> 2 : mode & ~0o111
    }
    if isReadOnly { wanted.access.mode &= ~FileMode.anyWrite }
    staged.stat = try give(wanted, to: staged)
  }

  /// Gives a staged file the attributes that a program's new file gets in the directory, but never
  /// more access than the former file at the place had.
  func dress(
    _ staged: inout StagedFile, of id: RecordID, at place: Place, in directory: Descriptor
  ) throws {
    guard staged.stat.kind == .file else { return }
    try dress(&staged, of: id, at: place, with: traits(of: directory))
  }

  /// The same for a directory with these traits.
  func dress(
    _ staged: inout StagedFile, of id: RecordID, at place: Place, with traits: DirectoryTraits
  ) throws {
    guard staged.stat.kind == .file else { return }
    var wanted = LocalAttributes(Access(staged.stat))
    if let group = traits.group { wanted.access.group = group }
    if let list = traits.list {
      wanted.list = list.created(with: staged.stat.isExecutable ? 0o777 : 0o666)
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
  /// before.
  func directoryMode(_ id: RecordID, at place: Place) throws -> UInt32 {
    try tree.accesses(before: id, at: place).reduce(0o777) { $0 & ($1.mode | 0o700) }
  }
}

/// The attributes that a directory gives to files created in it.
struct DirectoryTraits {
  /// Its group, if it has the setgid bit.
  var group: UInt32?
  /// Its default access list.
  var list: AccessList?

  /// A Boolean value that indicates whether new files get only what their creator gives them.
  var areNone: Bool { group == nil && list == nil }
}
