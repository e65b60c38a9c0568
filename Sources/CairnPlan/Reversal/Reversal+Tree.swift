import CairnZone

/// The goals together with everything that stays must be a tree: an impossible goal is given up for
/// its record, and for no other.
extension Reversal {
  /// Gives up goals, or adds some, until they are a tree. Each pass either changes nothing, or
  /// gives up a goal, or restores a directory.
  mutating func settle() throws {
    var isOver = false
    while !isOver {
      let parents = try bringParents()
      let circles = try breakCircles()
      let names = try makeNames()
      isOver = try !(keepFull() || names || circles || parents)
    }
  }

  /// The records with goals, in an order that is the same each time.
  private var ids: [RecordID] { goals.keys.sorted() }

  // MARK: Parents

  /// Restores the directories that goals need.
  private mutating func bringParents() throws -> Bool {
    var hasChanged = false
    for id in ids {
      guard let goal = goals[id], let place = goal.then?.place else { continue }
      var next = place.parent
      while next != .root, try after(next)?.type != .directory {
        hasChanged = true
        // A directory that was about to be deleted stays.
        if let going = goals[next], going.then == nil, going.now != nil {
          goals[next] = nil
          continue
        }
        let versions = try versions(of: next)
        let last = versions.first { $0.stood(at: self.place) } ?? versions.last
        guard let then = last.map({ moved($0.record) }), then.type == .directory,
          let above = then.place
        else {
          giveUp(id)
          break
        }
        goals[next] = Goal(then: then)
        next = above.parent
      }
    }
    return hasChanged
  }

  /// Leaves a record in its place; a missing one stays away.
  private mutating func giveUp(_ id: RecordID) {
    guard let now = goals[id]?.now else {
      goals[id] = nil
      return
    }
    goals[id]?.then?.place = now.place
  }

  /// Leaves directories in their places if others have moved their intended parents into them.
  private mutating func breakCircles() throws -> Bool {
    var hasChanged = false
    for id in ids {
      guard let goal = goals[id], goal.isPlaced, goal.then?.type == .directory else { continue }
      var (seen, next) = (Set<RecordID>(), id)
      while next != .root, seen.insert(next).inserted, let above = try after(next)?.place {
        next = above.parent
      }
      guard next != .root, seen.contains(next) else { continue }
      hasChanged = true
      giveUp(id)
    }
    return hasChanged
  }

  // MARK: Names

  /// Makes all names unique: a record that stays keeps its name, and so does the first of those
  /// that come.
  private mutating func makeNames() throws -> Bool {
    var hasChanged = false
    var taken: [Place: RecordID] = [:]
    var wanted = Set(goals.values.compactMap { $0.then?.place })
    for id in ids {
      guard let goal = goals[id], goal.isPlaced, let place = goal.then?.place else { continue }
      guard let other = try taken[place] ?? staying(at: place), other != id else {
        taken[place] = id
        continue
      }
      hasChanged = true
      try makeWay(for: other, id, goal, &wanted)
    }
    return hasChanged
  }

  /// Returns the record that stays at a place.
  private func staying(at place: Place) throws -> RecordID? {
    guard let id = try past.child(at: place), try after(id)?.place == place else { return nil }
    return id
  }

  /// Resolves a taken name of a record: it is merged with the other one, or gets a name beside it,
  /// or stays in its place.
  private mutating func makeWay(
    for other: RecordID, _ id: RecordID, _ goal: Goal, _ wanted: inout Set<Place>
  ) throws {
    guard let then = goal.then, let place = then.place else { return }
    let isSameType = try after(other)?.type == then.type
    if isRestoring, isSameType, then.type != .directory, goals[other] == nil {
      return try merge(id, into: other)
    }
    guard goal.now == nil else { return giveUp(id) }
    if isSameType, then.type == .directory {
      // The entries of the one go into the other.
      goals[id] = nil
      for (child, goal) in goals where goal.then?.place?.parent == id {
        goals[child]?.then?.place?.parent = other
      }
      return
    }
    for attempt in 1... {
      let beside = Place(parent: place.parent, name: nameBeside(then, attempt))
      guard try staying(at: beside) == nil, wanted.insert(beside).inserted else { continue }
      goals[id]?.then?.place = beside
      return
    }
  }

  // MARK: What goes

  /// Keeps directories in which something stays.
  private mutating func keepFull() throws -> Bool {
    var hasChanged = false
    var open = ids.filter {
      goals[$0].map { $0.then == nil && $0.now?.type == .directory } ?? false
    }
    while let id = open.popLast() {
      guard let goal = goals[id], goal.then == nil, let now = goal.now else { continue }
      let isEmpty = try past.children(of: id).allSatisfy { try after($0)?.place?.parent != id }
      guard !isEmpty else { continue }
      goals[id] = nil
      hasChanged = true
      if let parent = now.place?.parent { open.append(parent) }
    }
    return hasChanged
  }
}
