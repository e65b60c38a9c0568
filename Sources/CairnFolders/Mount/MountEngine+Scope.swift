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
        try tree.setSeen(sequence)
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
}
