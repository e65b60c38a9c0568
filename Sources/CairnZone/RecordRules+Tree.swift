/// The tree after a commit must be one: every record with a place stands in a live directory, under
/// a name of its own, and every directory leads up to the root.
///
/// It holds before the commit, so only what the commit touches has to be looked at.
extension RecordRules {
  /// Checks the state after all changes.
  func checkTree() throws {
    try checkParents()
    try checkNames()
    try checkDeletedDirectories()
    try checkCycles()
  }

  /// The record as it is after the commit.
  private func recordAfter(_ id: RecordID) throws -> Record? {
    if let record = saved[id] { return record }
    return deleted[id] == nil ? try state.record(id) : nil
  }

  private func checkParents() throws {
    // Most new files share few directories: each is looked up once.
    var directories: Set<RecordID> = []
    for id in placed {
      guard let parent = saved[id]?.place?.parent, !directories.contains(parent) else { continue }
      guard let record = try recordAfter(parent), record.type == .directory else {
        throw Refused(
          .referenceViolation, id, "The record's directory isn't there, or is no directory.")
      }
      directories.insert(parent)
    }
  }

  private func checkNames() throws {
    var claims: Set<Place> = []
    claims.reserveCapacity(placed.count)
    for id in placed {
      guard let place = saved[id]?.place else { continue }
      guard claims.insert(place).inserted else {
        throw Refused(
          .constraintViolation, id, "The commit gives the name “\(place.name)” to two records.")
      }
      // A directory that the commit makes has no children in the state.
      guard try !isNew(place.parent),
        let other = try state.child(of: place.parent, named: place.name), other != id,
        staysAt(place, other)
      else { continue }
      throw Refused(
        .constraintViolation, id, "The name “\(place.name)” is taken in that directory.")
    }
  }

  private func isNew(_ id: RecordID) throws -> Bool {
    guard let record = saved[id] else { return false }
    return record.created == stamp
  }

  /// Whether a record that stood at `place` before the commit still does.
  private func staysAt(_ place: Place, _ id: RecordID) -> Bool {
    if deleted[id] != nil { return false }
    guard let record = saved[id] else { return true }
    return record.place == place
  }

  /// A directory goes only when nothing stays in it. What moves into it was refused already, since
  /// a deleted directory is nobody's parent.
  private func checkDeletedDirectories() throws {
    for directory in deletedDirectories {
      var last: RecordID?
      while true {
        // The first child that stays ends it, so the pages read are paid for by the changes.
        let page = try state.children(of: directory, after: last, limit: 512)
        for child in page where !leaves(child, directory) {
          throw Refused(
            .referenceViolation, directory, "The directory to delete isn't empty.")
        }
        guard let end = page.last else { break }
        last = end
      }
    }
  }

  private func leaves(_ child: RecordID, _ directory: RecordID) -> Bool {
    if deleted[child] != nil { return true }
    guard let record = saved[child] else { return false }
    return record.place?.parent != directory
  }

  /// Walks up from every directory that is new or moved. What is known to lead to the root is
  /// walked once, so that many moves below one another cost their number and not its square.
  private func checkCycles() throws {
    var rooted: Set<RecordID> = [.root]
    for id in placed where saved[id]?.type == .directory {
      var path: Set<RecordID> = []
      var step = id
      while !rooted.contains(step) {
        guard path.insert(step).inserted else {
          throw Refused(.referenceViolation, id, "A directory can't be moved below itself.")
        }
        guard let parent = try recordAfter(step)?.place?.parent else {
          throw Refused(
            .referenceViolation, id, "The directory doesn't stand below the zone's root.")
        }
        step = parent
      }
      rooted.formUnion(path)
    }
  }
}
