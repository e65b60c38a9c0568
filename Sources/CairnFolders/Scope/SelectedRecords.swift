import CairnPlan
import CairnReplica
import CairnZone

/// The records that a mount's selection includes, inside one transaction. It caches results about
/// directories.
final class SelectedRecords {
  /// The selection; a new mark must be on a record that wasn't asked for.
  var selection: SyncSelection
  private let view: ZoneView
  private let scope: MountScope
  /// Returns the directory of a node that the zone doesn't have yet.
  private let local: (RecordID) throws -> RecordID?
  /// The known answers of the function with this name.
  private var passesOn: [RecordID: Bool] = [:]
  private var above: Set<RecordID>?
  private var aboveReferences: Set<RecordID>?
  /// The names from the mount's root to a directory, and whether the local rules hide it.
  private var paths: [RecordID: (names: [FileNameBytes], isHidden: Bool)] = [:]

  init(
    _ view: ZoneView, _ scope: MountScope,
    local: @escaping (RecordID) throws -> RecordID? = { _ in nil }
  ) {
    self.view = view
    self.scope = scope
    selection = scope.selection
    self.local = local
  }

  /// Returns whether the folder has the record. A record that the zone doesn't have was put there
  /// by its person.
  func contains(_ id: RecordID) throws -> Bool {
    guard !selection.isEverything, id != .root, id != scope.base else { return true }
    if try isHidden(id) { return false }
    switch selection[id] {
    case .all, .itself: return true
    case SyncSelection.Mark.none?: return try isAbove(id)
    case nil:
      guard let parent = try view.record(id)?.place?.parent else { return true }
      return try passesOn(parent) || isAbove(id)
    }
  }

  /// Returns whether a directory's records are selected if they have no marks.
  func passesOn(_ directory: RecordID) throws -> Bool {
    var path: [RecordID] = []
    var step = directory == scope.base ? .root : directory
    var answer = true
    while true {
      if let mark = selection[step] {
        answer = mark == .all
        break
      }
      if let known = passesOn[step] {
        answer = known
        break
      }
      path.append(step)
      guard step != .root, path.count < 100_000,
        let parent = try view.record(step)?.place?.parent ?? local(step)
      else { break }
      step = parent == scope.base ? .root : parent
    }
    for id in path { passesOn[id] = answer }
    return answer
  }

  /// Returns whether the local rules hide the record, or a directory that it is in. They hide no
  /// directory with a share of its own below it.
  func isHidden(_ id: RecordID) throws -> Bool {
    guard let rules = selection.hidden, let record = try view.record(id), let place = record.place
    else { return false }
    let parent = try path(of: place.parent, rules)
    if parent.isHidden { return true }
    let isDirectory = record.type == .directory
    guard rules.pattern(hiding: parent.names + [place.name.bytes], isDirectory: isDirectory) != nil
    else { return false }
    return try !isDirectory || !isAboveReference(id)
  }

  private func path(
    of directory: RecordID, _ rules: LocalRules
  ) throws -> (names: [FileNameBytes], isHidden: Bool) {
    var chain: [(id: RecordID, name: FileNameBytes)] = []
    var step = directory
    while step != .root, step != scope.base, paths[step] == nil, chain.count < 100_000,
      let place = try view.record(step)?.place
    {
      chain.append((step, place.name.bytes))
      step = place.parent
    }
    var found = paths[step] ?? ([], false)
    for (id, name) in chain.reversed() {
      found.names.append(name)
      if !found.isHidden, rules.pattern(hiding: found.names, isDirectory: true) != nil {
        found.isHidden = try !isAboveReference(id)
      }
      paths[id] = found
    }
    return found
  }

  private func isAboveReference(_ id: RecordID) throws -> Bool {
    guard scope.holdsReferences else { return false }
    if let aboveReferences { return aboveReferences.contains(id) }
    var found: Set<RecordID> = []
    for reference in try view.references() { try climb(from: reference.id, into: &found) }
    aboveReferences = found
    return found.contains(id)
  }

  /// Adds the directories above a record.
  private func climb(from id: RecordID, into found: inout Set<RecordID>) throws {
    var next = try view.record(id)?.place?.parent
    while let parent = next, parent != .root, parent != scope.base, found.insert(parent).inserted {
      next = try view.record(parent)?.place?.parent
    }
  }

  /// Returns whether something below the directory is selected by a mark of its own, or a share of
  /// its own is there.
  private func isAbove(_ id: RecordID) throws -> Bool {
    if let above { return above.contains(id) }
    var found: Set<RecordID> = []
    for (marked, mark) in selection.marks where mark != .none {
      try climb(from: marked, into: &found)
    }
    for reference in scope.holdsReferences ? try view.references() : [] {
      try climb(from: reference.id, into: &found)
    }
    above = found
    return found.contains(id)
  }
}
