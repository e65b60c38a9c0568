import CairnPlan
import CairnZone
import Glibc

/// Changes of attributes only: the mode or the executable bit, and the time.
extension Applier {
  /// Gives an entry the attributes of its record.
  func setAttributes(
    _ id: RecordID, _ expected: Node, _ attributes: Attributes
  ) throws -> Outcome {
    let (directory, path) = try directory(of: expected.place)
    let name = expected.place.name.bytes
    let full = path + [name]
    guard let row = try tree.row(id), let stat = try FileStat.at(directory, name),
      row.isSameInode(as: stat), expected.isDirectory || row.isUnchanged(stat),
      row.local?.node.kind == expected.kind,
      attributes.mode == nil || row.local?.access?.mode == stat.mode & 0o777
    else { return .changed([full]) }
    let mode = try carriedMode(attributes, for: row, name, stat, in: directory)
    let extended = try setExtended(attributes, of: row, name, stat, in: directory)
    if extended.isOther { return .changed([full]) }
    let trouble = set(attributes, mode, of: name, stat, in: directory)
    if expected.isDirectory { forgetTime(of: id) }
    // Its time has changed, so only these values show whether it is the scanned file.
    guard var now = try FileStat.at(directory, name), now.kind == stat.kind,
      now.inode == stat.inode, expected.isDirectory || now.size == stat.size
    else { return .changed([full]) }
    guard try shows(attributes, now, before: stat, trouble) else {
      if let trouble { throw trouble }
      return .changed([full])
    }
    // A file system may have modes of its own, and others' files keep theirs. Otherwise the entry's
    // person changed the mode in this moment.
    if let mode, now.mode & 0o777 != mode {
      if let trouble {
        guard trouble.isRefusal, now.mode == stat.mode else { throw trouble }
      } else if try Trial(staging).keeps(mode) {
        return .changed([full])
      }
    } else if mode == nil, attributes.mode != nil, now.isExecutable == stat.isExecutable {
      guard now.mode == stat.mode else { return .changed([full]) }
    }
    now.extended = extended.shown
    var node = expected
    node.attributes = attributes
    try tree.note(.attributed(id, node, now))
    return .done
  }

  /// The extended attributes of an entry after a step.
  private struct ExtendedOutcome {
    /// The attributes; nil if the step doesn't concern them.
    var shown: Attributes.Extended?
    /// A Boolean value that indicates whether the entry had other ones than at the last look.
    var isOther = false
  }

  /// Sets the extended attributes that changed. A file system may have none, or refuse some. Nobody
  /// can set those of a file without write permission: they come with its next version.
  private func setExtended(
    _ attributes: Attributes, of row: NodeRow, _ name: FileNameBytes, _ stat: FileStat,
    in directory: Descriptor
  ) throws(FolderError) -> ExtendedOutcome {
    let before = row.local?.node.attributes.extended
    guard let wanted = attributes.extended, wanted != before, stat.kind != .symlink else {
      return ExtendedOutcome()
    }
    let entry =
      stat.kind == .file ? try directory.openFile([name]) : try directory.openDirectory([name])
    // An entry with too many of its own keeps them.
    guard var now = try entry.carriedAttributes() else { return ExtendedOutcome() }
    guard now == row.local?.shownExtended else { return ExtendedOutcome(isOther: true) }
    let after = Attributes.extended(now, changed: wanted, from: before ?? [:])
    for name in Set(now.keys).union(after.keys).sorted(by: { $0.lexicographicallyPrecedes($1) })
    where now[name] != after[name] {
      let result = entry.disk.setAttribute(name, of: entry.number, to: after[name])
      if result == -EIO { throw FolderError(EIO, name, "set an attribute") }
      if result >= 0 { now[name] = after[name] }
    }
    return ExtendedOutcome(shown: now)
  }

  /// Sets the attributes one by one; returns the first failure.
  private func set(
    _ attributes: Attributes, _ mode: UInt32?, of name: FileNameBytes, _ stat: FileStat,
    in directory: Descriptor
  ) -> FolderError? {
    var trouble: FolderError?
    do throws(FolderError) {
      if let mode {
        if mode != stat.mode & 0o777, let entry = try directory.openNode(name) {
          try entry.setMode(mode | stat.mode & 0o7000, name)
        }
      } else if stat.kind == .file, attributes.isExecutable != stat.isExecutable {
        let file = try directory.open([name], flags: O_RDONLY)
        let now = try FileStat.of(file).mode
        let mode = (now & 0o666) | (attributes.isExecutable ? (now & 0o444) >> 2 : 0)
        try file.setMode(mode, name)
      }
    } catch { trouble = error }
    do throws(FolderError) { try directory.setTime(of: name, attributes.modified) } catch {
      trouble = trouble ?? error
    }
    return trouble
  }

  /// Returns whether the disk shows the attributes, or as much as its file system can store.
  private func shows(
    _ attributes: Attributes, _ now: FileStat, before: FileStat, _ trouble: FolderError?
  ) throws(FolderError) -> Bool {
    let hasTime = now.modified == attributes.modified
    if hasTime, now.kind != .file || now.isExecutable == attributes.isExecutable { return true }
    // A file system may store times of files but not of symlinks.
    if now.kind == .symlink, let trouble, trouble.isRefusal {
      return now.modified == before.modified
    }
    return try Trial(staging).explains(now, before, for: attributes)
  }
}
