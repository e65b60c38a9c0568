import CairnZone

extension Survey {
  /// Separates records with one name, one in the zone already and one in the folder only. The first
  /// in the log keeps the name; the other one is renamed. If that cannot be changed, the first one
  /// waits.
  mutating func separateNames() throws {
    for id in scope {
      let merge = try self[id]
      guard let place = merge.target?.place else { continue }
      if place == merge.shown?.place, place != merge.local?.place {
        guard let rival = try trees.localChild(place), rival != id else { continue }
        try separate(winner: id, loser: rival, at: place)
      } else if place == merge.local?.place, place != merge.shown?.place {
        guard let rival = try trees.remoteChild(place), rival != id else { continue }
        try separate(winner: rival, loser: id, at: place)
      }
    }
  }

  private mutating func separate(winner: RecordID, loser: RecordID, at place: Place) throws {
    let other = try self[loser]
    guard try self[winner].target?.place == place, other.target?.place == place else { return }
    let first = try self[winner]
    if first.local == nil, first.synced != nil, try trees.isHeld(winner) {
      // A deleted directory that stays while the deletion of its contents waits. An entry that its
      // person put in its place is no conflict, and waits as long.
      try update(winner) { $0.waits = $0.waits ?? .held }
      try update(loser) { $0.waits = $0.waits ?? .blocked(by: winner) }
    } else if other.waits != nil {
      try update(winner) { $0.waits = $0.waits ?? .blocked(by: loser) }
    } else if other.correction == nil {
      // A person may move a conflict copy, which has a record, to that name again.
      if other.isUnrecorded, let local = other.local, try trees.wasSetAside(local, for: winner) {
        try update(loser) { $0.waits = .repeated }
        return try update(winner) { $0.waits = $0.waits ?? .blocked(by: loser) }
      }
      try update(loser) { $0.correction = .renameAside }
    }
  }
}
