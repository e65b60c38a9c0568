import CairnZone

/// The merges of all records that a plan is about: the dirty ones, and those that they could bump
/// into. Owns what has been looked up and merged so far; the later stages of planning refine it.
struct Survey<T: Trees> {
  let trees: T
  /// The records to be planned, in the order of their ids.
  private(set) var scope: [RecordID] = []
  private var merges: [RecordID: Merge] = [:]

  /// Merges the dirty records, and every record that isn't settled and is a parent, a child to be
  /// removed or a rival for the name of one of them. So it doesn't matter whether somebody forgot
  /// to call a record dirty.
  init(_ dirty: [RecordID], in trees: T) throws {
    self.trees = trees
    var seen: Set<RecordID> = [.root, .parked]
    var climbed: Set<RecordID> = [.root, .parked]
    var open = dirty
    while let id = open.popLast() {
      guard seen.insert(id).inserted else { continue }
      let merge = try self[id]
      // What isn't in the folder stays in the zone, and with it the directories that it is in.
      guard !merge.isSettled || merge.isUnwanted else { continue }
      scope.append(id)
      try open.append(contentsOf: neighbours(of: merge))
      if merge.isMovedDirectory { try climb(from: id, into: &open, climbed: &climbed) }
    }
    scope.sort()
  }

  /// The record's merge, as refined so far.
  subscript(id: RecordID) -> Merge {
    mutating get throws {
      if let merge = merges[id] { return merge }
      let merge = try Merge(id, in: trees)
      merges[id] = merge
      return merge
    }
  }

  /// Refines a merge.
  mutating func update(_ id: RecordID, _ change: (inout Merge) throws -> Void) throws {
    var merge = try self[id]
    try change(&merge)
    merges[id] = merge
  }

  /// Returns the records of a directory that a removal concerns only: a new directory may contain a
  /// whole tree, and each record in it is planned when it is dirty itself.
  private func neighbours(of merge: Merge) throws -> [RecordID] {
    var result: [RecordID] = []
    if let local = merge.local {
      result.append(local.place.parent)
      if let rival = try trees.remoteChild(local.place) { result.append(rival) }
      let isGoing = merge.shown == nil && merge.target == nil || merge.isUnwanted
      if isGoing, local.kind == .directory { result += try trees.localChildren(of: merge.id) }
    }
    if let remote = merge.shown {
      result.append(remote.place.parent)
      if let rival = try trees.localChild(remote.place) { result.append(rival) }
      if merge.local == nil, merge.target == nil, remote.kind == .directory {
        result += try trees.remoteChildren(of: merge.id)
      }
    }
    return result
  }

  /// All directories above a moved one, on both sides: any of them could have been moved into it.
  private mutating func climb(
    from id: RecordID, into open: inout [RecordID], climbed: inout Set<RecordID>
  ) throws {
    var next = [id]
    while let id = next.popLast() {
      guard climbed.insert(id).inserted else { continue }
      let merge = try self[id]
      open.append(id)
      for node in [merge.local, merge.shown] {
        if let node { next.append(node.place.parent) }
      }
    }
  }
}

extension Merge {
  /// A Boolean value that indicates whether this is a directory with different places.
  fileprivate var isMovedDirectory: Bool {
    guard let local, let shown else { return false }
    return local.place != shown.place && local.kind == .directory
  }
}
