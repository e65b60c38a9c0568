import CairnPlan
public import CairnReplica
import CairnZone

/// The selection of a folder that isn't mirrored yet. It is in the folder before the mount begins,
/// so that nothing else ever comes.
public enum InitialSelection {
  /// Returns the selection that a request makes of a whole zone.
  /// - Throws: `FolderError` with `.notFound` if a path names nothing in the zone.
  public static func make(
    _ request: SelectionRequest, of zone: Zone
  ) throws -> SyncSelection {
    try zone.read { view in
      let scope = MountScope()
      return try SelectionRequests.selection(
        after: request, ScopedRecords(view, scope), nil, scope)
    }
  }

  /// Writes a selection into a folder that has the mark of its part already.
  public static func write(
    _ selection: SyncSelection, to path: [UInt8], on disk: any Disk = SystemDisk()
  ) throws {
    try SelectionKeeper.write(
      selection, Descriptor.openRoot(path, on: disk), Staging.folder)
  }
}
