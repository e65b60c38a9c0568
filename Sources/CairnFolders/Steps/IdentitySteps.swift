import CairnPlan
import CairnReplica
import CairnZone

/// Applies a plan's corrections of the records of local nodes.
///
/// It uses these parts of the state: `clock`, `hint`, `lastRun`, `only`, `read`, `report`,
/// `retries`, `root`, `scanQueue`, `scope`, `staging`, `write`, `zone`.
struct IdentitySteps {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Performs one identity step. If a file is renamed, the index is changed first: if the daemon
  /// ends in between, the next scan finds a node that moved, and nothing counts as an edit of the
  /// wrong record.
  func carryOut(_ step: IdentityStep) throws {
    switch step {
    case .adopt(let local, let remote): try adopt(local, as: remote)
    case .recall(let local, let record): try adopt(local, as: record, isAgreed: true)
    case .detach(let id, let fresh):
      try giveFreshID(id, fresh, keepsSynced: true, name: nil)
      try renameParked(id, fresh)
    case .setAside(let id, let fresh):
      if try TextMerges(state).attempt(id) == .isConflict { try setAside(id, fresh) }
    case .renameAside(let id): try renameAside(id)
    case .giveWay(let id): try giveWay(id)
    case .rescue(let id, let cause):
      try rescue(id, because: reason(for: cause, of: id))
      state.lastRun.clear(id)
    }
  }

  private func adopt(
    _ local: RecordID, as remote: RecordID, isAgreed: Bool = false
  ) throws {
    if let node = try state.read({ try $0.node(local)?.local?.node }) {
      try SelectionKeeper(state).adopt(remote, isDirectory: node.isDirectory)
    }
    try state.write { tree in
      guard let from = try tree.node(local), from.local != nil else { return }
      var to = try tree.node(remote) ?? NodeRow(id: remote, local: nil, synced: nil)
      // What only this disk shows is no change of a record that exists.
      to.local = from.local?.withoutMetadata
      if isAgreed { to.synced = to.local?.node }
      try tree.remove(local)
      if from.synced == nil { try tree.takeDirty(local) } else { try tree.markDirty(local) }
      try tree.put(to)
      try tree.reparent(from: local, to: remote)
      try tree.markDirty(remote)
    }
  }

  private func giveFreshID(
    _ id: RecordID, _ fresh: RecordID, keepsSynced: Bool, name: FileName?
  ) throws {
    try state.write { tree in
      guard var old = try tree.node(id), var local = old.local else { return }
      try tree.rememberAccess(of: old)
      guard state.only == nil else {
        // The record of a single file stays unchanged; a conflict copy beside it isn't mirrored.
        if name != nil { old.local = nil }
        old.synced = nil
        try tree.markDirty(id)
        return try tree.put(old)
      }
      if let name { local.node.place.name = name }
      try tree.put(NodeRow(id: fresh, local: local, synced: nil))
      old.local = nil
      if !keepsSynced { old.synced = nil }
      try tree.put(old)
      try tree.reparent(from: id, to: fresh)
      try tree.markDirty(id)
      try tree.markDirty(fresh)
    }
  }

  /// Renames a file with a temporary name, which contains the id of its record. If this isn't done,
  /// the next start treats it as the old record's file, and merges it again.
  private func renameParked(_ id: RecordID, _ fresh: RecordID) throws {
    let local = try state.read { try $0.node(fresh)?.local }
    guard let staging = try state.staging, local?.node.place.parent == .parked else { return }
    let (old, new) = (Staging.parkedName(id), Staging.parkedName(fresh))
    do throws(FolderError) {
      try Rename.toFreeName(staging.parked, old, staging.parked, new, via: nil)
    } catch {
      guard error.code == .notFound else { throw error }
    }
  }

  private func setAside(_ id: RecordID, _ fresh: RecordID) throws {
    guard let name = try freshName(id) else { return }
    let local = try state.read { try $0.node(id)?.local?.node }
    try giveFreshID(id, fresh, keepsSynced: false, name: name.name)
    if try rename(name), let local { state.retries.becameCopy(local, for: id, state.clock.now) }
    state.report.happened(.conflict(path: joined(name.path + [name.old]), copy: name.text))
  }

  /// Replaces the local version by the zone's. The local bytes are old, or are beside it. From now
  /// on both sides agree on the zone's version. The swap keeps the replaced file, and compares its
  /// bytes with the zone's once more before it is deleted.
  private func giveWay(_ id: RecordID) throws {
    try state.write { tree in
      guard var row = try tree.node(id), let local = row.local else { return }
      row.local = local.withoutMetadata
      row.synced = row.local?.node
      try tree.markDirty(id)
      try tree.put(row)
    }
  }

  /// Gives a node a conflict name. A file with a temporary name returns to the folder under it.
  /// - Returns: The new place; nil if the file no longer exists.
  @discardableResult
  func renameAside(_ id: RecordID) throws -> [FileNameBytes]? {
    guard let fresh = try freshName(id) else { return nil }
    let conflict = try conflict(of: id)
    try state.write { tree in
      guard var row = try tree.node(id), var local = row.local else { return }
      try tree.rememberAccess(of: row)
      local.node.place = Place(parent: fresh.parent, name: fresh.name)
      row.local = local
      try tree.put(row)
      try tree.markDirty(id)
    }
    if try rename(fresh), let (local, winner) = conflict {
      state.retries.becameCopy(local, for: winner, state.clock.now)
    }
    state.report.happened(.conflict(path: joined(fresh.path + [fresh.old]), copy: fresh.text))
    return fresh.path + [fresh.name.bytes]
  }

  /// Returns a local version, and the zone's record with its name.
  private func conflict(of id: RecordID) throws -> (local: Node, winner: RecordID)? {
    guard let local = try state.read({ try $0.node(id)?.local?.node }) else { return nil }
    let winner = try state.zone.read { view in
      try ScopedRecords(view, state.scope).child(at: local.place)
    }
    return winner.map { (local, $0) }
  }

  /// A rename to a conflict name within one directory.
  private struct ConflictName {
    var from: Descriptor
    var old: FileNameBytes
    var to: Descriptor
    var parent: RecordID
    var path: [FileNameBytes]
    var name: FileName

    var text: [UInt8] { joined(path + [name.bytes]) }
  }

  /// Finds a conflict name that is free on the disk, in the index and in the zone.
  private func freshName(_ id: RecordID) throws -> ConflictName? {
    guard let root = state.root, let staging = try state.staging else { return nil }
    let label = ConflictLabel(state)
    return try state.zone.read { view in
      let records = ScopedRecords(view, state.scope)
      return try state.read { tree in
        guard let local = try tree.node(id)?.local, let full = try tree.path(of: id),
          let old = full.last
        else { return nil }
        let isParked = local.node.place.parent == .parked
        let parent = isParked ? RecordID.root : local.node.place.parent
        let path = isParked ? [] : Array(full.dropLast())
        let to = try root.openDirectory(path)
        var attempt = 1
        while true {
          let name = conflictName(of: local.node.place.name, label: label, attempt: attempt)
          let place = Place(parent: parent, name: name)
          if try tree.child(at: place) == nil, try records.child(at: place) == nil,
            try FileStat.at(to, name.bytes) == nil
          {
            return ConflictName(
              from: isParked ? staging.parked : to, old: old, to: to, parent: parent, path: path,
              name: name)
          }
          attempt += 1
        }
      }
    }
  }

  /// Renames a file to its conflict name. Returns false if another entry is in the way, or the file
  /// is gone: nothing was copied then.
  private func rename(_ fresh: ConflictName) throws -> Bool {
    var isRenamed = true
    // This is needed even if the rename fails: the index has the file under its new name.
    state.hint(changed: [joined(fresh.path + [fresh.old]), fresh.text])
    do throws(FolderError) {
      try Rename.toFreeName(
        fresh.from, fresh.old, fresh.to, fresh.name.bytes, via: state.staging?.displaced)
    } catch {
      // Whatever happened in between, the next scan finds the present places. Scans of the folder
      // don't include files with temporary names.
      state.scanQueue.needsParked = true
      guard error.code == .notFound || error.code == .exists else { throw error }
      isRenamed = false
    }
    state.scanQueue.look(below: fresh.text)
    return isRenamed
  }

  /// Moves the local version to the rescue folder, under its path.
  func rescue(_ id: RecordID, because reason: String) throws {
    guard let root = state.root else { return }
    let path = try state.read { try $0.path(of: id) }
    guard let path, let name = path.last else { return }
    do throws(FolderError) {
      let directory = try root.openDirectory(Array(path.dropLast()))
      try RescueShelf(state).setAside(name, from: directory, path, id, because: reason)
    } catch {
      guard error.code == .notFound else { throw error }
    }
    try state.write { tree in
      guard var row = try tree.node(id) else { return }
      try tree.rememberAccess(of: row)
      row.local = nil
      row.synced = nil
      try tree.markDirty(id)
      try tree.put(row)
    }
  }

  // MARK: Reasons

  /// Returns the reason that a local version is moved to the rescue folder.
  private func reason(for cause: RescueCause, of id: RecordID) -> String {
    switch cause {
    case .permission: reasonForRescue
    case .deletion: Self.reasonForDeletion
    case .damage: CrashDamage(state).reasonForDamage(of: id)
    case .cameBack: CrashDamage.reasonForReturn
    }
  }

  /// The reason that a local version is moved to the rescue folder instead of being sent.
  private var reasonForRescue: String {
    if state.zone.isReadOnly {
      return "this home is anonymous and only reads; use one with an account to put something there"
    }
    guard state.zone.scope == .public else {
      return "this share is read-only for you; ask its owner for permission to write"
    }
    return "somebody else published it and alone may change it; publish a copy of your own"
  }

  /// The reason that a file is moved to the rescue folder after the zone deleted it.
  private static let reasonForDeletion =
    "it is what was deleted on another device; put it back if it is to be mirrored again"
}
