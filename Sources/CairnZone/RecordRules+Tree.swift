/// The tree rule: after a commit every record with a place is in a live directory, under a unique
/// name, and every directory leads up to the root.
///
/// The rule holds before the commit, so only the touched records are checked.
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
      // A directory of this commit has no children in the state.
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

  /// Returns whether a record at `place` before the commit is still there.
  private func staysAt(_ place: Place, _ id: RecordID) -> Bool {
    if deleted[id] != nil { return false }
    guard let record = saved[id] else { return true }
    return record.place == place
  }

  /// Checks that deleted directories are empty. Moves into them were already refused, because a
  /// deleted directory cannot be a parent.
  private func checkDeletedDirectories() throws {
    for directory in deletedDirectories {
      var last: RecordID?
      while true {
        // The first remaining child ends the loop, so the changes pay for the pages that are read.
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

  /// Walks up from every new or moved directory. Known ways to the root are walked once, so many
  /// nested moves cost their number, and not its square.
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
