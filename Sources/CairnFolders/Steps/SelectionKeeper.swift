import CairnPlan
import CairnReplica
import CairnZone
import Glibc

/// Keeps a mount's selection, and has the folder follow it. The file `selection` in the folder's
/// own directory has it: the index may be lost, and nothing that isn't selected may come then. The
/// index notes which selection its rows follow already.
///
/// It uses these parts of the state: `folder`, `notices`, `path`, `read`, `references`, `report`,
/// `retries`, `root`, `scanner`, `scope`, `stagingName`, `write`, `writeDurably`,
/// `zone`, `zoneSync`.
struct SelectionKeeper {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  private static let name = MountMark.selectionName
  private static let unfinishedName = MountMark.unfinishedSelectionName
  /// The largest file that is read: a million marks.
  private static let limit = 40 << 20

  /// Loads the selection, and marks what differs from the one that the index follows.
  func load(_ root: Descriptor) throws {
    var selection = try Self.read(root, state.stagingName)
    if state.scope.only == nil { selection.hidden = try IgnoreTree.readLocal(root) }
    state.scope.selection = selection
    state.scanner?.ignores.local = selection.hidden
    try follow()
  }

  /// Reads this device's own rules again, before a scan that sees what they hide now.
  func loadRules() throws {
    guard state.scope.only == nil, let root = state.root else { return }
    let rules = try IgnoreTree.readLocal(root)
    guard rules != state.scope.selection.hidden else { return }
    state.scope.selection.hidden = rules
    state.scanner?.ignores.local = rules
    try follow()
  }

  /// Reads the selection of a folder. Without a readable file everything is selected: then too much
  /// comes, and nothing goes.
  static func read(_ root: Descriptor, _ folder: FileNameBytes) throws -> SyncSelection {
    do throws(FolderError) {
      let file = try root.openFile([folder, name])
      var selection =
        SyncSelection(text: try file.readAll(upTo: limit, as: "read the selection"))
        ?? SyncSelection()
      selection.hidden = nil
      return selection
    } catch {
      guard error.code == .notFound else { throw error }
      return SyncSelection()
    }
  }

  /// Writes the selection of a folder; it is on the disk when this returns.
  static func write(
    _ selection: SyncSelection, _ root: Descriptor, _ folder: FileNameBytes
  ) throws {
    let own = try root.openDirectory([folder])
    if selection.marks.isEmpty {
      guard try FileStat.at(own, name) != nil else { return }
      try own.remove(name)
    } else {
      let flags = O_WRONLY | O_CREAT | O_TRUNC
      let file = try own.open([unfinishedName], flags: flags, mode: 0o600)
      try file.write(selection.text, as: "write the selection")
      try file.sync()
      let result = own.disk.rename(
        unfinishedName, in: own.number, to: name, in: own.number, .replacing)
      guard result >= 0 else { throw FolderError(-result, name, "write the selection") }
    }
    try own.sync()
  }

  /// Selects something else. What isn't selected any more leaves the folder, as soon as the zone
  /// has all its changes; what is, comes.
  func select(_ selection: SyncSelection) throws {
    guard let root = state.root else {
      throw FolderError(.detached, state.path, "the folder isn't there now")
    }
    try FolderSteps(state).finishPortion()
    // An index from before would take files that this device left out, and that are selected again
    // but not fetched yet, for deleted ones. Only a transaction that writes syncs the earlier ones.
    try state.writeDurably { tree in
      try tree.setSelection(tree.selection ?? SyncSelection().textWithRules)
    }
    try Self.write(selection, root, state.stagingName)
    let rules = state.scope.selection.hidden
    state.scope.selection = selection
    state.scope.selection.hidden = rules
    try follow()
    // A file in the place of one that wasn't here is no edit of that one, although this device may
    // have changed it before.
    guard state.folder.attached?.startsAfter != nil else { return }
    let sequence = state.zone.header.sequence
    try state.write { try $0.setStartsAfter(sequence) }
    state.folder.note { $0.startsAfter = sequence }
  }

  /// Marks all records whose selection may differ from the one that the index follows.
  func follow() throws {
    state.zoneSync.isSelectionBehind = false
    let now = state.scope.selection
    let followed = try state.read { try $0.selection }
    let before = followed.flatMap { SyncSelection(text: $0) } ?? SyncSelection()
    guard before != now else { return }
    // A zone whose index was lost doesn't know its records before it is read again.
    guard try state.read({ try $0.seen }) <= state.zone.header.sequence else {
      (state.zoneSync.isSelectionBehind, state.zoneSync.needsPull) = (true, true)
      return
    }
    try state.zone.read { view in
      let records = ScopedRecords(view, state.scope)
      try state.write { tree in
        var changed = now.differences(from: before)
        // Rules may hide anything, wherever it is.
        if now.hidden != before.hidden { changed.formUnion(try records.children(of: .root)) }
        for id in changed {
          try tree.markDirty(id, .remote)
          for inner in try records.descendants(of: records.zoneID(id)) {
            try tree.markDirty(inner, .remote)
            state.retries.release(inner)
          }
        }
        try tree.setSelection(now.textWithRules)
      }
    }
    state.notices.mayHaveBytes()
    state.references.areDue = true
    state.report.leftOut?.isCurrent = false
  }

  /// Marks the directories that were above a record and aren't selected by themselves: perhaps they
  /// were in the folder because of it.
  static func reconsider(
    above place: Place?, _ selected: SelectedRecords, in tree: FolderTree
  ) throws {
    guard !selected.selection.isEverything else { return }
    var next = place?.parent
    while let id = next, id != .root, id != .parked, let row = try tree.node(id) {
      if row.local != nil, try !selected.contains(id) { try tree.markDirty(id, .remote) }
      next = row.local?.node.place.parent
    }
  }

  // MARK: What a person puts where nothing is selected

  /// Marks what is about to be created in, or moved into, directories whose records aren't
  /// selected: their person put it there. The marks are on the disk before the zone has the
  /// records, or these would leave the folder after a crash.
  func keep(_ groups: [[ZoneChange]]) throws {
    guard !state.scope.selection.marks.isEmpty else { return }
    let selection = try state.zone.read { view in
      try state.read { tree in
        let selected = SelectedRecords(view, state.scope) { id in
          try tree.node(id)?.local?.node.place.parent
        }
        // Directories come before what is in them.
        for change in groups.joined() where change.act != .delete {
          guard let place = change.place, selected.selection[change.id] == nil else { continue }
          let passesOn = try selected.passesOn(place.parent)
          let isMoved = try view.record(change.id)?.type == .directory
          let hadAll = try !isMoved || selected.passesOn(change.id)
          // What is in a directory that leaves the folder leaves with it.
          guard try passesOn ? !hadAll : selected.contains(place.parent) else { continue }
          // A moved directory has what it had: the rest of it doesn't come because of the move.
          selected.selection[change.id] = hadAll ? .all : .itself
        }
        return selected.selection
      }
    }
    try keep(selection)
  }

  /// Marks a record that a person put into the folder although it isn't selected: a directory
  /// without what else the zone has in it.
  func adopt(_ id: RecordID, isDirectory: Bool) throws {
    guard !state.scope.selection.marks.isEmpty else { return }
    let isSelected = try state.zone.read { try SelectedRecords($0, state.scope).contains(id) }
    guard !isSelected else { return }
    var selection = state.scope.selection
    selection[id] = isDirectory ? .itself : .all
    try keep(selection)
  }

  private func keep(_ selection: SyncSelection) throws {
    guard selection != state.scope.selection, let root = state.root else { return }
    try Self.write(selection, root, state.stagingName)
    state.scope.selection = selection
    state.report.leftOut?.isCurrent = false
    try state.write { try $0.setSelection(selection.textWithRules) }
  }

  // MARK: What is left out

  /// Counts what the zone has and the folder doesn't, if that may have changed.
  func count() throws {
    guard !state.scope.selection.isEverything else { return state.report.leftOut = nil }
    guard state.report.leftOut?.isCurrent != true else { return }
    state.report.leftOut = try state.zone.read { view in
      var count = MountReport.LeftOut()
      let records = ScopedRecords(view, state.scope)
      let selected = SelectedRecords(view, state.scope)
      var seen: Set<RecordID> = []
      // Only what is below such a mark can be left out.
      var stack = state.scope.selection.marks.filter { $0.value != .all }.map(\.key)
      if state.scope.selection.hidden != nil {
        try count.addAll(records, selected)
        return count
      }
      for id in stack where try !selected.contains(id) { try count.add(id, records) }
      while let directory = stack.popLast() {
        guard seen.insert(directory).inserted else { continue }
        for id in try records.children(of: directory) {
          if try selected.contains(id) {
            if try selected.passesOn(id) { continue }
          } else if state.scope.selection[id] == nil {
            try count.add(id, records)
          }
          stack.append(id)
        }
      }
      return count
    }
  }
}

extension MountReport.LeftOut {
  /// Counts all records that aren't selected.
  fileprivate mutating func addAll(_ records: ScopedRecords, _ selected: SelectedRecords) throws {
    var stack = [RecordID.root]
    while let directory = stack.popLast() {
      for id in try records.children(of: directory) {
        if try !selected.contains(id) { try add(id, records) }
        if try records.node(id)?.isDirectory == true { stack.append(id) }
      }
    }
  }

  fileprivate mutating func add(_ id: RecordID, _ records: ScopedRecords) throws {
    guard let node = try records.node(id) else { return }
    if node.isDirectory {
      directories += 1
    } else {
      files += 1
      bytes += try records.view.content(of: id)?.size ?? 0
    }
  }
}
