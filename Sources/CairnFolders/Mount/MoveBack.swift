import CairnIdentity
import CairnPlan
import CairnZone

/// Undoes moves into a folder in which the person may not write. Otherwise the source folder would
/// send a deletion, and nobody would have the bytes. `WayBack` finds the moves.
///
/// It uses these parts of the state: `clock`, `disk`, `hint`, `identity`, `index`, `isReadOnly`,
/// `mount`, `planning`, `read`, `report`, `retries`, `root`, `staging`, `write`.
struct MoveBack {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Puts entries from other mounts back to their earlier paths, and returns the rest of the batch.
  func undoMoves(_ batch: [RecordID]) throws -> [RecordID] {
    guard state.isReadOnly, let identity = state.identity, !batch.isEmpty,
      !state.index.neighbours.others(than: state.mount, device: identity.device).isEmpty
    else { return batch }
    let ids = batch.filter { !state.retries.isWaiting($0) }
    let candidates = try state.planning { try WayBack.candidates(ids, in: $0) }
    var back: Set<RecordID> = []
    for id in candidates {
      if let arrival = try arrival(id), try undo(id, arrival) { back.insert(id) }
    }
    return back.isEmpty ? batch : batch.filter { !back.contains($0) }
  }

  private struct Arrival {
    var row: NodeRow
    var path: [FileNameBytes]
  }

  /// Returns the entry of a record in the folder; nil if it went back with its directory meanwhile.
  private func arrival(_ id: RecordID) throws -> Arrival? {
    try state.read { tree in
      guard let row = try tree.node(id), row.local != nil, let path = try tree.path(of: id) else {
        return nil
      }
      return Arrival(row: row, path: path)
    }
  }

  /// Undoes one move. Returns false if it didn't come from another mount, or cannot go back there.
  private func undo(_ id: RecordID, _ arrival: Arrival) throws -> Bool {
    guard let root = state.root, let name = arrival.path.last else { return false }
    do {
      let directory = try root.openDirectory(Array(arrival.path.dropLast()))
      guard let stat = try FileStat.at(directory, name), arrival.row.isSameInode(as: stat),
        let origin = try state.index.origin(of: stat, otherThan: state.mount, now: state.clock.now),
        let oldName = origin.path.last
      else { return false }
      let home = try Descriptor.openRoot(origin.folder.path, on: state.disk)
      guard try MountMark.marker(in: home, origin.folder.staging) == origin.folder.mark else {
        return false
      }
      let place = try home.openDirectory(Array(origin.path.dropLast()))
      try Rename.toFreeName(directory, name, place, oldName, via: state.staging?.displaced)
      state.report.undid(Self.problem(arrival.path, origin))
    } catch let error as FolderError {
      // It is gone with the directory that was put back; or its old place is taken or gone.
      guard error.code == .notFound else { return false }
      return try isGone(arrival.path)
    }
    try state.write { tree in
      // Everything in a directory went back with it.
      var stack = [id]
      while let id = stack.popLast() {
        stack += try tree.childIDs(of: id)
        guard var row = try tree.node(id) else { continue }
        row.local = nil
        try tree.markDirty(id)
        try tree.put(row)
      }
    }
    state.hint(changed: [joined(arrival.path)])
    return true
  }

  private func isGone(_ path: [FileNameBytes]) throws -> Bool {
    guard let root = state.root, let name = path.last else { return true }
    do throws(FolderError) {
      let isThere = try FileStat.at(root.openDirectory(Array(path.dropLast())), name) != nil
      if isThere { return false }
    } catch {
      guard error.code == .notFound else { throw error }
    }
    state.hint(changed: [joined(path)])
    return true
  }

  private static func problem(
    _ path: [FileNameBytes], _ origin: Neighbours.Origin
  ) -> PathProblem {
    let place = origin.folder.path + [UInt8(ascii: "/")] + joined(origin.path)
    let text = String(decoding: place, as: UTF8.self)
    return PathProblem(
      path: joined(path), code: .permissionFailure,
      message: "it can't be moved into this share, which is read-only for you; it is back at "
        + text,
      remedy: "ask the owner of the share for the permission to write")
  }
}
