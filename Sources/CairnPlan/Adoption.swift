import CairnZone

/// Finds the unrecorded local nodes that are records of the zone: a mirror that starts with a full
/// folder, an index that got lost, the same thing made on two sides. Goes from the top down through
/// as many levels as match, so that a tree is adopted in one plan. Where nothing is left to adopt,
/// it recalls what files were whose records others deleted, or whose names are others' by now.
struct Adoption<T: Trees> {
  private var survey: Survey<T>
  /// The nodes looked at so far, each with the record that it is, if it is one.
  private var results: [RecordID: RecordID?] = [:]
  private var steps: [IdentityStep] = []

  /// The adoptions that the survey's records call for.
  static func steps(in survey: Survey<T>) throws -> [IdentityStep] {
    var adoption = Adoption(survey: survey)
    for id in survey.scope { try adoption.resolve(id) }
    if survey.trees.mayBeOlder {
      for id in survey.scope { try adoption.resolveMoved(id) }
    }
    // What may still be adopted must not be taken for something older.
    if adoption.steps.isEmpty { try adoption.recallRest() }
    return adoption.steps
  }

  private init(survey: Survey<T>) { self.survey = survey }

  /// Looks at the node, after its parents from the top down.
  private mutating func resolve(_ id: RecordID) throws {
    var chain: [Merge] = []
    var next = id
    while results[next] == nil {
      let merge = try survey[next]
      guard merge.isUnrecorded, !merge.isParked, let local = merge.local else { break }
      // Marks the node as looked at, so that the walk ends on any trees.
      results[next] = .some(nil)
      chain.append(merge)
      next = local.place.parent
    }
    for merge in chain.reversed() {
      guard let record = try match(for: merge) else { continue }
      results[merge.id] = record
      steps.append(.adopt(local: merge.id, remote: record))
    }
  }

  /// In a folder that is newer than its index, a node may have been moved by us: into a conflict
  /// copy, for instance, while another one took its place. Where a record that the folder doesn't
  /// have stands under its name, or stood there until others moved it, and has its very bytes or
  /// had them until others changed it, it is that one. What it was before then comes as new, or is
  /// what stands there. A conflict copy of ours whose bytes went back to those before the conflict
  /// is neither: what the zone has stands in both places.
  private mutating func resolveMoved(_ id: RecordID) throws {
    let merge = try survey[id]
    guard let local = merge.local, let synced = try survey.trees.synced(id), !merge.isParked,
      local.place != synced.place, case .file(let content?) = local.kind,
      merge.shown?.place != local.place
    else { return }
    let standing = try survey.trees.remoteChild(local.place)
    for record in try standing.map({ [$0] }) ?? survey.trees.records(thatLeft: local.place)
    where record != id {
      let other = try survey[record]
      guard other.local == nil, other.synced == nil, let remote = other.shown else { continue }
      guard try remote.kind == local.kind || survey.trees.isPastContent(content, of: record) else {
        guard local.kind == synced.kind, standing != nil, let now = merge.shown,
          try now.kind != local.kind && survey.trees.isLastChangedHere(record)
        else { continue }
        return steps.append(.rescue(id, .cameBack))
      }
      return steps.append(
        standing == nil ? .recall(local: id, as: record) : .adopt(local: id, remote: record))
    }
  }

  private mutating func match(for merge: Merge) throws -> RecordID? {
    guard let local = merge.local else { return nil }
    var place = local.place
    if let parent = results[place.parent] {
      // In an unrecorded directory that stays one nothing can match.
      guard let parent else { return nil }
      place.parent = parent
    }
    guard let record = try survey.trees.remoteChild(place) else { return nil }
    let other = try survey[record]
    guard other.local == nil, let remote = other.shown else { return nil }
    return try isSame(local, remote, as: other) ? record : nil
  }

  private func isSame(_ local: Node, _ remote: Node, as other: Merge) throws -> Bool {
    switch (local.kind, remote.kind) {
    case (.directory, .directory): return true
    case (.symlink(let left), .symlink(let right)):
      if left == right { return true }
      return try other.isWanted && other.synced == nil && isLaterEdit(remote.place, of: other.id)
    case (.file(let left?), .file(let right)):
      if left == right { return true }
      // Different bytes without a synced node: an index got lost, unless it's someone else's file,
      // or the record isn't wanted in the folder.
      guard other.synced == nil, other.isWanted else { return false }
      return try survey.trees.isPastContent(left, of: other.id)
        || isLaterEdit(remote.place, of: other.id)
    default: return false
    }
  }

  /// Returns whether a file at a record's place, with unknown bytes, can only be this device's
  /// later edit of that record. In a folder in an earlier state, it may as well be an edit of the
  /// record that was there before.
  private func isLaterEdit(_ place: Place, of record: RecordID) throws -> Bool {
    try survey.trees.isLastChangedHere(record)
      && !survey.trees.stood(at: place, otherThan: record)
  }

  // MARK: Recalling

  /// Recognizes the remaining old files: a file is old if the zone knows its bytes with its time. A
  /// file that others deleted goes to the rescue folder: it must not come back by itself, but a
  /// person who put it there on purpose finds it. At the place of another record it is nobody's
  /// conflict copy, and the merge of its former record decides. With a free name it is the entry
  /// that was there before others moved it; if there was none, the person who moved it is unknown,
  /// and it stays.
  private mutating func recallRest() throws {
    var recalled: Set<RecordID> = []
    for id in survey.scope {
      let merge = try survey[id]
      guard merge.isUnrecorded, !merge.isParked, let local = merge.local else { continue }
      switch local.kind {
      case .file(_?): break
      case .file(nil): continue
      case .directory:
        if let record = try formerDirectory(local), recalled.insert(record).inserted {
          steps.append(.recall(local: id, as: record))
        }
        continue
      case .symlink(let target):
        guard try survey.trees.remoteChild(local.place) == nil else { continue }
        if let record = try movedRecord(from: local, among: nil) {
          if recalled.insert(record).inserted { steps.append(.recall(local: id, as: record)) }
        } else if try survey.trees.symlink(deletedFrom: local.place) == target {
          steps.append(.rescue(id, .deletion))
        }
        continue
      }
      let former = try survey.trees.formerRecords(of: local).map { try survey[$0] }
      guard !former.isEmpty else { continue }
      if let record = try record(of: local, among: former), recalled.insert(record).inserted {
        steps.append(.recall(local: id, as: record))
      } else if try isDeleted(local, former) {
        steps.append(.rescue(id, .deletion))
      }
    }
  }

  /// Whether a file is what others deleted: none of the records that it may have been is there any
  /// more. In the place of another record one that isn't there is enough, unless one that is there
  /// has these bytes in the zone and others here: then this file may be the last that has them. If
  /// one of the records is outside of the mount, nothing tells the file from a copy of it.
  private func isDeleted(_ local: Node, _ former: [Merge]) throws -> Bool {
    var (alive, isAnyDeleted) = ([Merge](), false)
    for merge in former {
      switch merge.presence {
      case .here: alive.append(merge)
      case .nowhere: isAnyDeleted = true
      case .elsewhere, .inAnotherZone: return false
      }
    }
    guard isAnyDeleted else { return false }
    let holders = alive.filter { $0.shown?.kind == local.kind }
    let isKept = holders.allSatisfy { $0.target?.kind == local.kind }
    return try alive.isEmpty || isKept && survey.trees.remoteChild(local.place) != nil
  }

  /// The record that a directory was: one that others moved away from there, or deleted. A deleted
  /// one goes, as in each other folder, unless there is something in it that stays.
  private mutating func formerDirectory(_ local: Node) throws -> RecordID? {
    if let moved = try movedRecord(from: local, among: nil) { return moved }
    guard let record = try survey.trees.directory(deletedFrom: local.place) else { return nil }
    let candidate = try survey[record]
    let isUnknown = candidate.local == nil && candidate.synced == nil
    return isUnknown && candidate.presence == .nowhere ? record : nil
  }

  /// The record that a file in the place of another one is. If a record has these very bytes now,
  /// no other will do: a change of that one here would leave the bytes nowhere.
  private mutating func record(of local: Node, among former: [Merge]) throws -> RecordID? {
    guard let rival = try survey.trees.remoteChild(local.place) else {
      return try movedRecord(from: local, among: Set(former.map(\.id)))
    }
    let other = try survey[rival]
    guard other.local == nil, other.synced == nil else { return nil }
    let holders = former.filter { $0.shown?.kind == local.kind }
    for candidate in holders.isEmpty ? former : holders {
      guard candidate.local == nil, candidate.synced == nil, let place = candidate.shown?.place
      else { continue }
      // The record's own file stands where the record is, and waits to be looked at.
      if try survey.trees.localChild(place) == nil { return candidate.id }
    }
    return nil
  }

  /// The record that stood where the node stands: others moved it, and the folder shows it where it
  /// was. Whatever has that name by now is something else.
  private mutating func movedRecord(
    from local: Node, among former: Set<RecordID>?
  ) throws -> RecordID? {
    for id in try survey.trees.records(thatLeft: local.place) where former?.contains(id) != false {
      let candidate = try survey[id]
      guard candidate.local == nil, candidate.synced == nil, let remote = candidate.shown,
        remote.kind.isSameSort(as: local.kind)
      else { continue }
      // Of a symlink its target is all that tells it.
      if case .symlink = local.kind, remote.kind != local.kind { continue }
      return id
    }
    return nil
  }
}
