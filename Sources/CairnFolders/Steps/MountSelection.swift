import CairnPlan
import CairnReplica
import CairnZone

/// The records of the zone that a mount shows, the changes of that set, and their names in the
/// zone.
///
/// It uses these parts of the state: `disk`, `index`, `mount`, `part`, `path`, `references`,
/// `report`, `scope`, `write`, `writeSoon`, `zone`.
struct MountSelection {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Excludes other directories from here on: this device has, or no longer has, other mounts for
  /// them. Excluded entries leave the folder, unless they were changed here.
  func exclude(_ directories: Set<RecordID>) throws {
    let changed = state.scope.excluded.symmetricDifference(directories)
    state.scope.excluded = directories
    guard state.mount != 0 else { return }
    try state.zone.read { view in
      let records = ScopedRecords(view, state.scope)
      try state.write { tree in
        for id in changed {
          try tree.markDirty(id, .remote)
          for inner in try records.descendants(of: id) { try tree.markDirty(inner, .remote) }
        }
      }
    }
  }

  /// Marks the changes in the zone; with a directory that came into the mount's scope or left it,
  /// everything in it. The marks are committed with the next change of the index: until then the
  /// token in the index is the earlier one, too.
  func mark(_ changes: [RecordID], through sequence: UInt64, in view: ZoneView) throws {
    let records = ScopedRecords(view, state.scope)
    let selected = SelectedRecords(view, state.scope)
    let isWhole = state.scope.isWhole && state.scope.selection.isEverything
    try state.writeSoon { tree in
      for id in changes where id != .root {
        try tree.markDirty(id, .remote)
        guard !isWhole else { continue }
        if try !selected.contains(id) || tree.node(id)?.local == nil {
          state.report.leftOut?.isCurrent = false
        }
        let old = try tree.node(id)?.local?.node.place
        try SelectionKeeper.reconsider(above: old, selected, in: tree)
        // Rules of this device's own are about paths, which change with those of directories.
        let isMoved = try isDirectory(id, records) && state.scope.selection.hidden != nil
        if isMoved { state.report.leftOut?.isCurrent = false }
        guard try isMoved || crosses(id, records, selected, tree) else { continue }
        for inner in try records.descendants(of: id) { try tree.markDirty(inner, .remote) }
      }
      try tree.setSeen(sequence, view.head(at: sequence))
    }
  }

  private func isDirectory(_ id: RecordID, _ records: ScopedRecords) throws -> Bool {
    try records.view.record(id)?.type == .directory
  }

  /// Returns whether this is a directory that the folder has now and not before, or the reverse.
  private func crosses(
    _ id: RecordID, _ records: ScopedRecords, _ selected: SelectedRecords, _ tree: FolderTree
  ) throws -> Bool {
    guard try isDirectory(id, records) else { return false }
    let isShown = try records.node(id) != nil && selected.contains(id)
    return try isShown != (tree.node(id)?.synced != nil)
  }

  /// Returns the end of a mount whose directory was deleted from the zone. If another person
  /// deleted it, its files are deleted here first, as with any other deletion, and the mount ends
  /// at rest. If this person took it out on another device, the files stay.
  /// - Throws: `FolderError` with `.detached` if the directory or file was returned to the outer
  ///   zone, and belongs to that zone's mount now; `CloudError` if that zone can't be read.
  func departure(isAtRest: Bool) throws -> Departure? {
    guard state.scope.base != .root else { return nil }
    let (isGone, isByOther) = try state.zone.read { view in
      let record = try view.record(state.scope.base)
      let isThere = state.scope.only != nil ? record != nil : record?.type == .directory
      return (!isThere, try !isThere && view.otherDeleter(of: state.scope.base) != nil)
    }
    guard isGone else { return nil }
    if let nested = state.references.owner, try state.index.holdsReference(to: state.part),
      try nested.isBack(state.part)
    {
      throw FolderError(.detached, state.path, "it isn't shared any more; it stays here")
    }
    guard state.scope.only == nil, state.zone.isReadThrough, isAtRest || !isByOther else {
      return nil
    }
    return .partDeleted
  }

  /// Returns the place of a change with the zone's names.
  func zonePlace(of change: ZoneChange) -> Place? {
    guard var place = change.place, place.parent == .root else { return change.place }
    if state.scope.only == nil {
      place.parent = state.scope.base
    } else if let name = freeName(place.name) {
      place.name = name
    }
    return place
  }

  /// Returns the name of a single file in its zone, numbered if it is taken.
  private func freeName(_ name: FileName) -> FileName? {
    do {
      return try state.zone.read { view in
        for number in 1..<10_000 {
          let text = number == 1 ? [] : Array(" \(number)".utf8)
          guard let next = FileName(name.bytes.prefix(255 - text.count) + text) else { continue }
          let other = try view.child(of: .root, named: next)
          if other == nil || other == state.scope.base { return next }
        }
        return nil
      }
    } catch {
      // The commit reports the problem with the index.
      return nil
    }
  }

  /// Returns whether another mount of this device mirrors that part of a zone in this very folder.
  /// A copy of such a folder is an ordinary directory.
  func isMirror(_ part: ZonePart, _ stat: FileStat) throws -> Bool {
    guard part != state.part, let nested = state.references.owner else { return false }
    if try state.index.isRoot(of: part, stat) { return true }
    if nested.isComing(part) { return true }
    guard let path = nested.path(of: part) else {
      // It isn't mirrored here yet; if a reference names it, it will be.
      return try state.zone.read { try $0.references().contains { $0.target == part.bytes } }
    }
    do {
      // The folder itself may never have been attached yet.
      let there = try FileStat.of(Descriptor.openRoot(path, on: state.disk))
      if there.isSameInode(as: stat) { return true }
      return try MountMark.mark(on: path, of: state.disk) != part
    } catch let error as FolderError {
      guard error.code == .notFound else { throw error }
      return true
    }
  }
}
