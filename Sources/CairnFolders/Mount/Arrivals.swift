import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// Keeps the identity of entries that a person moves here from another mount. Their history
/// continues, and their bytes aren't stored again if the owner is the same.
///
/// It uses these parts of the state: `clock`, `disk`, `identity`, `index`, `isReadOnly`, `mount`,
/// `only`, `read`, `references`, `retries`, `root`, `scope`, `write`, `zone`, `zoneSync`.
struct Arrivals {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Gives records that arrived from another mount their former ids.
  /// - Returns: The batch, with these ids.
  func keepIdentity(_ batch: [RecordID]) throws -> [RecordID] {
    guard !state.isReadOnly, state.only == nil, let owner = state.references.owner,
      let identity = state.identity,
      !state.index.neighbours.others(than: state.mount, device: identity.device).isEmpty
    else { return batch }
    let kept = try parentsFirst(batch).map { id in
      guard !state.retries.isWaiting(id), let origin = try origin(of: id) else { return id }
      let continues =
        try origin.folder.part.zone == state.zone.id
        ? relocate(id, origin.record) : follow(origin, owner)
      return try continues && take(id, origin.record) ? origin.record : id
    }
    // The former record may be in the batch itself, for instance because it left this zone before.
    var seen: Set<RecordID> = []
    return kept.filter { seen.insert($0).inserted }
  }

  /// Sorts a batch so that a directory is moved before its contents are examined.
  private func parentsFirst(_ batch: [RecordID]) throws -> [RecordID] {
    guard state.index.neighbours.hasParts(of: state.zone.id, otherThan: state.mount) else {
      return batch
    }
    return try state.read { tree in
      try batch.map { (id: $0, depth: try tree.path(of: $0)?.count ?? 0) }
    }.sorted { ($0.depth, $0.id) < ($1.depth, $1.id) }.map(\.id)
  }

  /// Returns the former place of a new entry; nil if the entry is still there, because the file has
  /// several names.
  private func origin(of id: RecordID) throws -> Neighbours.Origin? {
    let new = try state.read { tree -> (row: NodeRow, path: [FileNameBytes])? in
      guard let row = try tree.node(id), row.local != nil, row.synced == nil else { return nil }
      return try tree.path(of: id).map { (row, $0) }
    }
    guard let new, try state.zone.read({ try $0.record(id) == nil }), let root = state.root,
      let name = new.path.last
    else { return nil }
    do throws(FolderError) {
      let directory = try root.openDirectory(Array(new.path.dropLast()))
      guard let stat = try FileStat.at(directory, name), new.row.isSameInode(as: stat) else {
        return nil
      }
      return try found(stat)
    } catch {
      // The entry is gone, or can't be read: then it counts as new.
      return nil
    }
  }

  private func found(_ stat: FileStat) throws(FolderError) -> Neighbours.Origin? {
    let origin: Neighbours.Origin?
    do {
      origin = try state.index.origin(
        of: stat, otherThan: state.mount, now: state.clock.now)
    } catch {
      return nil
    }
    guard let origin, let name = origin.path.last else { return nil }
    do throws(FolderError) {
      let home = try Descriptor.openRoot(origin.folder.path, on: state.disk)
      let place = try home.openDirectory(Array(origin.path.dropLast()))
      let other = try FileStat.at(place, name)
      return other?.inode == stat.inode ? nil : origin
    } catch {
      guard error.code == .notFound else { throw error }
      return origin
    }
  }

  /// Makes the account note the location of the records' versions.
  private func follow(
    _ origin: Neighbours.Origin, _ owner: any NestedMounts
  ) throws -> Bool {
    guard try state.zone.read({ try $0.record(origin.record) == nil }) else { return false }
    do {
      let zone = try owner.follow(
        origin.record, from: origin.folder.part.zone, to: state.zone)
      guard let zone else { return false }
      if !state.references.lenders.contains(where: { $0.id == zone.id }) {
        state.references.lenders.append(zone)
      }
      return true
    } catch let error as CloudError {
      // If this can't be noted now, the entry counts as new, so that nothing waits.
      guard error.isWorthRetrying else { throw error }
      return false
    }
  }

  /// Moves a record that another mount shows within the zone. A record that was deleted meanwhile
  /// is created again under its id.
  private func relocate(_ id: RecordID, _ record: RecordID) throws -> Bool {
    let local = try state.read { try $0.node(id)?.local?.node.place }
    guard var place = local, let current = try state.zone.read({ try $0.record(record) }) else {
      return local != nil
    }
    if place.parent == .root { place.parent = state.scope.base }
    guard current.place != place else { return true }
    let change = RecordChange(id: record, act: .update, place: place)
    guard try NestedShareUpkeep(state).commit([change]) else { return false }
    state.zoneSync.needsPull = true
    return true
  }

  private func take(_ id: RecordID, _ record: RecordID) throws -> Bool {
    try state.write { tree in
      guard try tree.node(record) == nil, let local = try tree.node(id)?.local else {
        return false
      }
      try tree.remove(id)
      try tree.put(NodeRow(id: record, local: local, synced: nil))
      try tree.reparent(from: id, to: record)
      try tree.takeDirty(id)
      try tree.markDirty(record)
      return true
    }
  }
}
