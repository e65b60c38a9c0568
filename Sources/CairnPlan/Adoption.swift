import CairnZone

/// Finds the unrecorded local nodes that are records of the zone: in a mirror that starts with a
/// full folder, after the loss of an index, or if both sides created the same entry. It works from
/// the top down through as many levels as match, so that one plan adopts a whole tree. If nothing
/// is left to adopt, it identifies old files: their records were deleted by others, or others have
/// their names now.
struct Adoption<T: Trees> {
  private var survey: Survey<T>
  /// The nodes checked so far, each with its record, if it is one.
  private var results: [RecordID: RecordID?] = [:]
  private var steps: [IdentityStep] = []

  /// Returns the adoptions that the survey's records require.
  static func steps(in survey: Survey<T>) throws -> [IdentityStep] {
    var adoption = Adoption(survey: survey)
    for id in survey.scope { try adoption.resolve(id) }
    if survey.trees.mayBeOlder {
      for id in survey.scope { try adoption.resolveMoved(id) }
    }
    // A node that may still be adopted must not be taken for an older one.
    if adoption.steps.isEmpty { try adoption.recallRest() }
    return adoption.steps
  }

  private init(survey: Survey<T>) { self.survey = survey }

  /// Resolves the node, after its parents from the top down.
  private mutating func resolve(_ id: RecordID) throws {
    var chain: [Merge] = []
    var next = id
    while results[next] == nil {
      let merge = try survey[next]
      guard merge.isUnrecorded, !merge.isParked, let local = merge.local else { break }
      // Marks the node as checked, so that the walk ends on any trees.
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

  /// Resolves a node in a folder that is newer than its index. The engine may have moved the node:
  /// into a conflict copy, for instance, while another one took its position. The node is a record
  /// that the folder lacks and whose exact bytes it has, or had before others changed them. The
  /// record must have the node's name, or have had it until others moved it. The node's former
  /// record then counts as new, or is the entry at its position. A conflict copy whose bytes are
  /// those before the conflict is neither: the zone's content is at both positions.
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
      // In a directory that remains unrecorded nothing can match.
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
      // Different bytes without a synced node: the index got lost, unless the file is somebody
      // else's, or the record isn't selected for the folder.
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
    guard try survey.trees.isLastChangedHere(record) else { return false }
    return try survey.trees.isForgotten(record)
      || !survey.trees.stood(at: place, otherThan: record)
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
      if let record = try forgottenRecord(of: local, among: former),
        recalled.insert(record).inserted
      {
        steps.append(.adopt(local: id, remote: record))
      } else if let record = try record(of: local, among: former),
        recalled.insert(record).inserted
      {
        steps.append(.recall(local: id, as: record))
      } else if try isDeleted(local, former) {
        steps.append(.rescue(id, .deletion))
      }
    }
  }

  /// Returns the record of a new file that this device sent before the index forgot it, and that a
  /// person has renamed since: its place is free, and it has the bytes and the time of this file.
  private func forgottenRecord(of local: Node, among former: [Merge]) throws -> RecordID? {
    guard try survey.trees.remoteChild(local.place) == nil else { return nil }
    return try former.first { candidate in
      guard candidate.local == nil, candidate.synced == nil, let remote = candidate.shown,
        remote.kind == local.kind
      else { return false }
      return try survey.trees.localChild(remote.place) == nil
        && survey.trees.isForgotten(candidate.id)
    }?.id
  }

  /// Returns whether a file is one that others deleted: none of its possible records exists any
  /// more. At the position of another record, one missing record is enough. The exception is an
  /// existing record that has these bytes in the zone and others here: then this file may be the
  /// last one with them. If one of the records is outside of the mount, the file can't be told from
  /// a copy of it.
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

  /// Returns the former record of a directory: one that others moved away from there, or deleted. A
  /// deleted directory is deleted here, too, as in every other folder, unless it contains something
  /// that stays.
  private mutating func formerDirectory(_ local: Node) throws -> RecordID? {
    if let moved = try movedRecord(from: local, among: nil) { return moved }
    guard let record = try survey.trees.directory(deletedFrom: local.place) else { return nil }
    let candidate = try survey[record]
    let isUnknown = candidate.local == nil && candidate.synced == nil
    return isUnknown && candidate.presence == .nowhere ? record : nil
  }

  /// Returns the record of a file at another record's position. If a record has these exact bytes
  /// now, no other record is used: a change of that record here would leave the bytes nowhere.
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
      // The record's own file is at the record's position, and isn't scanned yet.
      if try survey.trees.localChild(place) == nil { return candidate.id }
    }
    return nil
  }

  /// Returns the record that was at the node's position: others moved it, and the folder shows it
  /// at the old position. The entry that has the name in the zone now is a different one.
  private mutating func movedRecord(
    from local: Node, among former: Set<RecordID>?
  ) throws -> RecordID? {
    for id in try survey.trees.records(thatLeft: local.place) where former?.contains(id) != false {
      let candidate = try survey[id]
      guard candidate.local == nil, candidate.synced == nil, let remote = candidate.shown,
        remote.kind.isSameSort(as: local.kind)
      else { continue }
      // A symlink is identified by its target alone.
      if case .symlink = local.kind, remote.kind != local.kind { continue }
      return id
    }
    return nil
  }
}
