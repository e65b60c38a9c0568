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

  /// Returns whether something below the directory is selected by a mark of its own, or a share of
  /// its own is there.
  private func isAbove(_ id: RecordID) throws -> Bool {
    if let above { return above.contains(id) }
    var found: Set<RecordID> = []
    func climb(from id: RecordID) throws {
      var next = try view.record(id)?.place?.parent
      while let parent = next, parent != .root, parent != scope.base, found.insert(parent).inserted
      {
        next = try view.record(parent)?.place?.parent
      }
    }
    for (marked, mark) in selection.marks where mark != .none { try climb(from: marked) }
    for reference in scope.holdsReferences ? try view.references() : [] {
      try climb(from: reference.id)
    }
    above = found
    return found.contains(id)
  }
}
