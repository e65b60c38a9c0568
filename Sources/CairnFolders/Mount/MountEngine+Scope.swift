import CairnCloud
import CairnPlan
public import CairnZone

extension MountEngine {
  /// Leaves other directories out from here on: this device has, or no longer has, other mounts for
  /// them. What isn't shown any more goes from the folder, unless it was changed here.
  public func exclude(_ directories: Set<RecordID>) throws {
    let changed = scope.excluded.symmetricDifference(directories)
    scope.excluded = directories
    guard mount != 0 else { return }
    try zone.read { view in
      let records = ScopedRecords(view, scope)
      try index.write(mount) { tree in
        for id in changed {
          try tree.markDirty(id, .remote)
          for inner in try records.descendants(of: id) { try tree.markDirty(inner, .remote) }
        }
      }
    }
  }

  /// Marks what changed in the zone; with a directory that came into the mount's scope or left it,
  /// all that is in it.
  func mark(_ changes: [RecordID], through sequence: UInt64) throws {
    try zone.read { view in
      let records = ScopedRecords(view, scope)
      try index.write(mount) { tree in
        for id in changes where id != .root {
          try tree.markDirty(id, .remote)
          guard !scope.isWhole, try crosses(id, records, tree) else { continue }
          for inner in try records.descendants(of: id) { try tree.markDirty(inner, .remote) }
        }
        try tree.setSeen(sequence, view.head(at: sequence))
      }
    }
  }

  /// Whether this is a directory that the mount shows now and didn't before, or the reverse.
  private func crosses(
    _ id: RecordID, _ records: ScopedRecords, _ tree: FolderTree
  ) throws -> Bool {
    guard try records.view.record(id)?.type == .directory else { return false }
    let isShown = try records.node(id) != nil
    return try isShown != (tree.node(id)?.synced != nil)
  }

  /// A folder that shows one directory of a zone stops when somebody deletes that directory; its
  /// files stay.
  func checkBase() throws {
    guard scope.base != .root, scope.only == nil else { return }
    let isThere = try zone.read { try $0.record(scope.base)?.type == .directory }
    guard !isThere else { return }
    throw FolderError(
      .detached, path,
      "the directory that this folder mirrors was deleted from the share; its files stay here")
  }

  /// The place of a change as the zone names it.
  func zonePlace(of change: ZoneChange) -> Place? {
    guard var place = change.place, place.parent == .root else { return change.place }
    if scope.only == nil {
      place.parent = scope.base
    } else if let name = freeName(place.name) {
      place.name = name
    }
    return place
  }

  /// The name of a single file in its zone, numbered if something else has it.
  private func freeName(_ name: FileName) -> FileName? {
    do {
      return try zone.read { view in
        for number in 1..<10_000 {
          let text = number == 1 ? [] : Array(" \(number)".utf8)
          guard let next = FileName(name.bytes.prefix(255 - text.count) + text) else { continue }
          let other = try view.child(of: .root, named: next)
          if other == nil || other == scope.base { return next }
        }
        return nil
      }
    } catch {
      // The commit says what is wrong with the index.
      return nil
    }
  }

  /// Whether that part of a zone is mirrored by another mount of this device, whose folder this is.
  /// A copy of such a folder is an ordinary directory.
  func isMirror(_ part: ZonePart, _ stat: FileStat) throws -> Bool {
    guard part != self.part, let nested else { return false }
    if try index.isRoot(of: part, stat) { return true }
    guard let path = nested.path(of: part) else {
      // Nobody mirrors it here yet; if a reference names it, it is about to be.
      return try zone.read { try $0.references().contains { $0.target == part.bytes } }
    }
    do { return try Self.mark(on: path, of: disk) != part } catch let error as FolderError {
      guard error.code == .notFound else { throw error }
      return true
    }
  }
}

/// A file that is mirrored by itself: its name on the disk, and its record.
struct OnlyFile: Hashable, Sendable {
  var name: FileName
  var id: RecordID
}
