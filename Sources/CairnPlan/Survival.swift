import CairnZone

/// Refines a survey by what directories do to their entries and entries to their directories: moves
/// of both sides that would make a cycle, and directories that must stay because something in them
/// does. What it decides doesn't depend on the order in which it looks at records.
extension Survey {
  /// A local move that would, together with remote ones, put a directory into itself is undone.
  /// Each cycle has a local move, since the zone alone has no cycle.
  mutating func undoCycles() throws {
    let moved = try scope.filter { try self[$0].isUndoable }
    var isDone = moved.isEmpty
    while !isDone {
      isDone = true
      var clear: Set<RecordID> = [.root, .parked]
      for id in moved {
        for member in try cycle(above: id, clear: &clear) where try self[member].isUndoable {
          try update(member) { $0.undoMove() }
          isDone = false
        }
      }
    }
  }

  /// The cycle that the way up from the directory ends in, if it doesn't end at the root.
  private mutating func cycle(
    above id: RecordID, clear: inout Set<RecordID>
  ) throws -> ArraySlice<RecordID> {
    var path: [RecordID] = []
    var positions: [RecordID: Int] = [:]
    var next = id
    while !clear.contains(next) {
      if let start = positions[next] { return path[start...] }
      positions[next] = path.count
      path.append(next)
      let merge = try self[next]
      guard let node = merge.target ?? merge.local ?? merge.shown else { break }
      next = node.place.parent
    }
    clear.formUnion(path)
    return []
  }

  /// Keeps each directory that isn't wanted, as long as something in it stays in the folder.
  mutating func keepWanted() throws {
    for id in scope {
      var next = try self[id].goal(.folder)?.place.parent
      while let parent = next, parent != .root, parent != .parked, try !self[parent].isWanted {
        try update(parent) { $0.isWanted = true }
        next = try self[parent].target?.place.parent
      }
    }
  }

  /// Keeps each directory that would go, as long as something stays in it. If all that stays are
  /// records that wait, so does the directory.
  mutating func keepParents() throws {
    for id in scope where try self[id].waits == nil {
      var next = try self[id].target?.place.parent
      while let parent = next, try self[parent].isGoing {
        try update(parent) { try $0.keep() }
        next = try self[parent].target?.place.parent
      }
    }
    for id in scope where try self[id].waits != nil {
      var child = id
      while let parent = try self[child].target?.place.parent, try self[parent].isGoing {
        try update(parent) { $0.wait(for: child) }
        child = parent
      }
    }
  }
}

extension Merge {
  /// A Boolean value that indicates whether the target has the place of the folder and not the
  /// zone's, which the record has, too.
  fileprivate var isUndoable: Bool {
    guard let target, let local, let shown, target.kind == .directory else { return false }
    return target.place == local.place && target.place != shown.place
  }

  fileprivate var isGoing: Bool { isConditional && target == nil }
}
