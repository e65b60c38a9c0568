import CairnPlan
import CairnReplica
import CairnZone

/// A change of a selection, as a person asks for it.
public enum SelectionRequest: Sendable {
  /// Everything is selected.
  case all
  /// Nothing but these paths is selected. `addsNew`: what others add beside them later is, too.
  case only([[UInt8]], addsNew: Bool)
  /// These paths aren't selected any more. Unless `addsNew` is true, what others add beside them
  /// later isn't selected either.
  case without([[UInt8]], addsNew: Bool)
  /// These paths are selected, too.
  case with([[UInt8]])
}

/// A mount's selection, for answers. Paths are relative to the folder.
public struct SelectionDescription: Sendable {
  /// A marked record; an unknown path means that the zone doesn't have it any more.
  public var marks: [(path: [UInt8], mark: SyncSelection.Mark)] = []
  /// The records that aren't selected; nil if everything is.
  public var leftOut: MountReport.LeftOut?
  /// The entries of the listed directory.
  public var choices: [Choice] = []

  /// An entry of a directory of the zone.
  public struct Choice: Sendable {
    /// Its path.
    public var path: [UInt8]
    /// A Boolean value that indicates whether it is a directory.
    public var isDirectory: Bool
    /// The number of files and symbolic links in it, or 1.
    public var files: Int
    /// The sum of their sizes in bytes.
    public var bytes: UInt64
    /// A Boolean value that indicates whether it is selected.
    public var isSelected: Bool
    /// A Boolean value that indicates whether something below it has a mark of its own.
    public var isPartial: Bool
  }
}

/// Turns requests for a selection into marks, and describes them.
///
/// It uses these parts of the state: `read`, `report`, `scope`, `zone`.
struct SelectionRequests {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Applies a request.
  /// - Throws: `FolderError` with `.notFound` if a path names nothing in the zone.
  func apply(_ request: SelectionRequest) throws {
    let selection = try state.zone.read { view in
      let records = ScopedRecords(view, state.scope)
      return try state.read { try Self.selection(after: request, records, $0, state.scope) }
    }
    try SelectionKeeper(state).select(selection)
  }

  /// Returns the selection after a request. Without a tree, the folder is empty.
  static func selection(
    after request: SelectionRequest, _ records: ScopedRecords, _ tree: FolderTree?,
    _ scope: MountScope
  ) throws -> SyncSelection {
    var draft = Draft(records: records, tree: tree, scope: scope)
    switch request {
    case .all: return SyncSelection()
    case .only(let paths, let addsNew):
      let ids = try paths.map { try draft.record(at: $0) }
      try draft.only(ids, addsNew: addsNew)
    case .without(let paths, let addsNew):
      for path in paths { try draft.remove(draft.record(at: path), addsNew: addsNew) }
    case .with(let paths):
      let selected = SelectedRecords(records.view, scope)
      for path in paths {
        let id = try draft.record(at: path)
        guard try !selected.isHidden(id) else {
          let name = String(decoding: path, as: UTF8.self)
          throw FolderError(.unsupported, path, "a pattern in .cairnignore.local hides \(name)")
        }
        try draft.add(id)
      }
    }
    try draft.prune()
    return draft.selection
  }

  /// Describes the selection.
  /// - Parameter directory: The directory whose entries are listed; nil for none.
  /// - Throws: `FolderError` with `.notFound` if it isn't in the zone.
  /// - Returns: The marks, what isn't selected, and the listed entries.
  func describe(listing directory: [UInt8]? = nil) throws -> SelectionDescription {
    try SelectionKeeper(state).count()
    var description = SelectionDescription(leftOut: state.report.leftOut)
    try state.zone.read { view in
      let records = ScopedRecords(view, state.scope)
      try state.read { tree in
        let draft = Draft(records: records, tree: tree, scope: state.scope)
        description.marks = try state.scope.selection.marks.compactMap { id, mark in
          try draft.path(of: id).map { ($0, mark) }
        }.sorted { $0.path.lexicographicallyPrecedes($1.path) }
        guard let directory else { return }
        description.choices = try draft.choices(in: draft.record(at: directory), directory)
      }
    }
    return description
  }

  /// A selection in work, inside one transaction.
  private struct Draft {
    let records: ScopedRecords
    let tree: FolderTree?
    let scope: MountScope
    var selection: SyncSelection

    init(records: ScopedRecords, tree: FolderTree?, scope: MountScope) {
      self.records = records
      self.tree = tree
      self.scope = scope
      selection = scope.selection
    }

    /// Returns the record at a path, in the folder or the zone.
    func record(at path: [UInt8]) throws -> RecordID {
      var id = RecordID.root
      for bytes in path.split(separator: UInt8(ascii: "/")) {
        guard let name = FileName(bytes) else { throw missing(path) }
        let place = Place(parent: id, name: name)
        guard let next = try tree?.child(at: place)?.id ?? records.child(at: place) else {
          throw missing(path)
        }
        id = next
      }
      return id
    }

    private func missing(_ path: [UInt8]) -> FolderError {
      FolderError(.notFound, path, "nothing of that name is in the share")
    }

    /// Returns the directory that a record is in; nil for the mount's root and for nothing.
    func parent(of id: RecordID) throws -> RecordID? {
      guard id != .root else { return nil }
      return try records.node(id)?.place.parent ?? tree?.node(id)?.local?.node.place.parent
    }

    func path(of id: RecordID) throws -> [UInt8]? {
      guard id != .root else { return [] }
      guard let node = try records.node(id) ?? tree?.node(id)?.local?.node,
        let above = try path(of: node.place.parent)
      else { return nil }
      return above + (above.isEmpty ? [] : [UInt8(ascii: "/")]) + node.place.name.bytes
    }

    /// Returns whether unmarked records in a directory are selected.
    func passesOn(_ directory: RecordID) throws -> Bool {
      var next: RecordID? = directory
      while let id = next {
        if let mark = selection[id] { return mark == .all }
        next = try parent(of: id)
      }
      return true
    }

    /// Returns the directories above a record, the root included.
    func directories(above id: RecordID) throws -> [RecordID] {
      var (found, next) = ([RecordID](), try parent(of: id))
      while let directory = next {
        found.append(directory)
        next = try parent(of: directory)
      }
      return found
    }

    private mutating func forgetMarks(below id: RecordID) throws {
      for marked in selection.marks.keys where try directories(above: marked).contains(id) {
        selection[marked] = nil
      }
    }

    mutating func only(_ ids: [RecordID], addsNew: Bool) throws {
      selection = SyncSelection()
      guard !ids.contains(.root) else { return }
      guard addsNew else {
        selection[.root] = SyncSelection.Mark.none
        for id in ids { selection[id] = .all }
        return
      }
      let above = Set(try ids.flatMap { try directories(above: $0) })
      for directory in above {
        let others = try children(of: directory).subtracting(above).subtracting(ids)
        for child in others {
          selection[child] = SyncSelection.Mark.none
        }
      }
    }

    mutating func remove(_ id: RecordID, addsNew: Bool) throws {
      try forgetMarks(below: id)
      if !addsNew {
        let above = try directories(above: id)
        for (position, directory) in above.enumerated() where try passesOn(directory) {
          let kept = position == 0 ? id : above[position - 1]
          for child in try children(of: directory) where child != kept && selection[child] == nil {
            selection[child] = .all
          }
        }
        for directory in above where selection[directory] != SyncSelection.Mark.none {
          selection[directory] = directory == .root ? SyncSelection.Mark.none : .itself
        }
      }
      selection[id] = SyncSelection.Mark.none
      if let parent = try parent(of: id), try !passesOn(parent) { selection[id] = nil }
    }

    mutating func add(_ id: RecordID) throws {
      try forgetMarks(below: id)
      selection[id] = nil
      if try !passesOn(parent(of: id) ?? .root) || id == .root && !passesOn(.root) {
        selection[id] = .all
      }
    }

    /// Removes the marks of records that exist nowhere any more.
    mutating func prune() throws {
      for id in selection.marks.keys where id != .root {
        guard try records.view.record(id) == nil, try tree?.node(id)?.local == nil else { continue }
        selection[id] = nil
      }
      // A root with everything needs no mark.
      if selection[.root] == .all { selection[.root] = nil }
    }

    private func children(of directory: RecordID) throws -> Set<RecordID> {
      Set(try records.children(of: directory)).union(try tree?.childIDs(of: directory) ?? [])
    }

    func choices(
      in directory: RecordID, _ path: [UInt8]
    ) throws -> [SelectionDescription.Choice] {
      let selected = SelectedRecords(records.view, scope)
      let prefix = path.isEmpty ? [] : path + [UInt8(ascii: "/")]
      return try records.children(of: directory).compactMap { id in
        guard let node = try records.node(id) else { return nil }
        let below = try node.isDirectory ? records.descendants(of: id) : [id]
        var choice = SelectionDescription.Choice(
          path: prefix + node.place.name.bytes, isDirectory: node.isDirectory, files: 0, bytes: 0,
          isSelected: try node.isDirectory && selection[id] == nil
            ? selected.passesOn(id) || selected.contains(id) : selected.contains(id),
          isPartial: below.contains { $0 != id && selection[$0] != nil })
        for inner in below where try records.node(inner)?.isDirectory == false {
          choice.files += 1
          choice.bytes += try records.view.content(of: inner)?.size ?? 0
        }
        return choice
      }.sorted { $0.path.lexicographicallyPrecedes($1.path) }
    }
  }
}
