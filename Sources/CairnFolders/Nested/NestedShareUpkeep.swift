import CairnContainer
import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// The references: directories and files of this mount that have zones, and mounts, of their own.
/// They are handled before anything is planned, so that records which moved to the other zone are
/// never treated as deleted.
///
/// It uses these parts of the state: `clock`, `disk`, `hint`, `hintEverything`, `index`, `path`,
/// `read`, `references`, `report`, `retries`, `root`, `scanQueue`, `scanner`, `scope`, `staging`,
/// `write`, `zone`, `zoneSync`.
struct NestedShareUpkeep {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Moves the mounts at references to the places that zone and disk require, starts new ones, and
  /// takes back parts that returned.
  /// - Throws: `CloudError` if the container can't be used now; any error of the index.
  /// - Returns: Whether something was moved, so that the folder has to be scanned before anything
  ///   is planned.
  @discardableResult
  func tendReferences() throws -> Bool {
    state.references.areDue = false
    guard let nested = state.references.owner, state.zone.scope == .private,
      state.scope.holdsReferences, state.scanner != nil
    else { return false }
    let (records, shown) = try state.zone.read { view in
      let scoped = ScopedRecords(view, state.scope)
      let all = try view.references()
      return try (all, all.filter { try $0.place.map { try scoped.contains($0.parent) } ?? false })
    }
    let (known, isAnyBack) = try state.read { tree in
      (try tree.references(), try !tree.references(isBack: true).isEmpty)
    }
    guard !records.isEmpty || !known.isEmpty || isAnyBack else { return false }
    try noteFiles()
    let ids = Set(records.map(\.id))
    let gone = known.filter { !ids.contains($0.id) }
    // All of them first: a mount that still works must not show the parts of those that don't.
    for row in gone { nested.pause(row.part) }
    for row in gone { try takeBack(row, nested) }
    try finishTakingBack(
      nested, but: Set(records.compactMap { $0.target.flatMap { ZonePart(bytes: $0) } }))
    var rows = Dictionary(uniqueKeysWithValues: known.map { ($0.id, $0) })
    let moved = try sendMoves(
      shown.compactMap { record in
        rows[record.id].flatMap { row in record.place.map { (row, $0) } }
      })
    rows.merge(moved) { $1 }
    for record in shown {
      guard let place = moved[record.id]?.place ?? record.place, let target = record.target,
        let part = ZonePart(bytes: target)
      else { continue }
      do {
        if let row = rows[record.id] {
          try follow(row, remote: place, nested)
        } else {
          try takeUp(record.id, part, at: place, nested)
        }
        state.report.clearProblem(at: try path(of: place).map { joined($0) } ?? [])
      } catch let error as FolderError {
        state.report.add([
          PathProblem(
            path: try path(of: place).map { joined($0) } ?? [], code: .referenceViolation,
            message: "the shared folder can't be put in its place: \(error.reason)",
            remedy: "move away what stands there; it is tried again by itself")
        ])
      }
    }
    try leaveOutReferences()
    return !moved.isEmpty
  }

  /// Returns whether there is a reference to tend, here or in the zone.
  func isNeeded() throws -> Bool {
    guard state.references.owner != nil, state.zone.scope == .private, state.scope.holdsReferences
    else { return false }
    let isKnown = try state.read { tree in
      try !tree.references().isEmpty || !tree.references(isBack: true).isEmpty
    }
    return try isKnown || state.zone.read { try !$0.references().isEmpty }
  }

  /// Sends the new places of folders and files of other mounts that this device's person moved.
  /// - Returns: The references that have other places in the zone now, with these places.
  private func sendMoves(
    _ rows: [(row: ReferenceRow, remote: Place)]
  ) throws -> [RecordID: ReferenceRow] {
    let changes: [RecordChange]
    // An unreadable place is reported by its scan.
    do { changes = try moves(of: rows) } catch is FolderError { return [:] }
    guard !changes.isEmpty else { return [:] }
    // A move that isn't possible yet doesn't delay the others.
    let sent =
      try commit(changes)
      ? changes : changes.filter { try changes.count > 1 && commit([$0]) }
    let places = Dictionary(sent.map { ($0.id, $0.place) }) { first, _ in first }
    var moved: [RecordID: ReferenceRow] = [:]
    for (row, _) in rows {
      guard case let place?? = places[row.id] else { continue }
      // Another entry may have the old place now.
      state.hint(changed: [joined(try path(of: row.place) ?? [])])
      moved[row.id] = row
      moved[row.id]?.place = place
    }
    // At once: the person may move it again now, and then the zone's place is still this device's.
    try state.write { tree in
      for row in moved.values { try tree.put(row) }
    }
    return moved
  }

  /// Tells the scanner the places of other mounts.
  func leaveOutReferences() throws {
    let rows = try state.read { try $0.references() }
    state.scanner?.leftOut = Set(rows.map(\.place))
    state.references.areThere = !rows.isEmpty
  }

  /// Returns the names that lead to a place; nil if its directory isn't on the disk.
  func path(of place: Place) throws -> [FileNameBytes]? {
    try state.read { try $0.path(of: place.parent) }.map { $0 + [place.name.bytes] }
  }

  func absolute(_ names: [FileNameBytes]) -> [UInt8] {
    state.path + [UInt8(ascii: "/")] + joined(names)
  }

  // MARK: New references

  private func takeUp(
    _ id: RecordID, _ part: ZonePart, at place: Place, _ nested: any NestedMounts
  ) throws {
    guard let nesting = try nested.nesting(of: part) else {
      throw CloudError(
        .serviceUnavailable, "the account doesn't know the zone of a shared folder yet",
        remedy: "nothing to do, it is tried again")
    }
    let local = try state.read { tree in
      try (tree.node(nesting.record)?.local?.node.place, tree.path(of: nesting.record))
    }
    var row = ReferenceRow(
      id: id, part: part, record: nesting.record, place: local.0 ?? place, isFile: nesting.isFile)
    // If the two differ, the next check decides.
    if row.place != place { state.references.areDue = true }
    // If this device never had it, its directory may still have to arrive.
    guard let names = try local.1 ?? path(of: place) else { return state.references.areDue = true }
    if local.1 == nil, let there = state.scanner?.strangers[part] {
      // The index was lost; the mark on the disk has the place.
      row.place = there.place
      return try takeUp(row, there.path, nested)
    }
    try takeUp(row, names, nested)
  }

  private func takeUp(
    _ row: ReferenceRow, _ names: [FileNameBytes], _ nested: any NestedMounts
  ) throws {
    guard let root = state.root, let last = names.last else { return }
    let stat: FileStat
    let above = try root.openDirectory(Array(names.dropLast()))
    if row.isFile {
      stat = try FileStat.of(above)
    } else {
      do throws(FolderError) { try above.makeDirectory(last, mode: 0o777) } catch {
        guard error.code == .exists else { throw error }
      }
      stat = try FileStat.of(root.openDirectory(names))
      try forgetOldMark(on: names, of: row.part, nested)
    }
    // The nodes come first: otherwise the other mount would find a folder full of unknown files.
    // From here on, entries at a reference are left out, with or without a mark.
    let inner = try state.index.register(row.part, stat)
    try state.write { tree in
      try tree.moveOut(row, to: FolderTree(db: tree.db, mount: inner, cache: tree.cache))
      try tree.put(row)
    }
    try forgetSettledWaits()
    try mark(row, names)
    try nested.mirror(row.part, at: absolute(names), isFile: row.isFile)
  }

  private func mark(_ row: ReferenceRow, _ names: [FileNameBytes]) throws {
    let home = row.isFile ? Array(names.dropLast()) : names
    try MountMark.claim(
      home.isEmpty ? state.path : absolute(home), for: row.part, isFile: row.isFile, on: state.disk)
  }

  /// Removes the mark of a deleted zone that an interruption may have left.
  private func forgetOldMark(
    on names: [FileNameBytes], of part: ZonePart, _ nested: any NestedMounts
  ) throws {
    guard let root = state.root, let old = try MountMark.mark(in: root, names), old != part,
      nested.path(of: old) == nil, try nested.nesting(of: old) == nil
    else { return }
    try MountMark.unclaim(absolute(names), for: old, on: state.disk)
  }

  /// Ends the waiting of records that moved to another mount.
  func forgetSettledWaits() throws {
    guard state.retries.isWaiting else { return }
    let dirty = try state.read { tree in try Set(tree.dirty(limit: .max)) }
    state.retries.keepWaiting(dirty)
  }

  // MARK: Known references

  private func follow(
    _ row: ReferenceRow, remote: Place, _ nested: any NestedMounts
  ) throws {
    var row = row
    guard let local = try whereabouts(of: row) ?? markAgain(row) else {
      // If its folder is missing, its own mount reports that, and nothing counts as deleted.
      return row.isFile ? try seek(row, nested) : ()
    }
    if remote != row.place {
      guard try move(row.part, from: local, to: remote) else {
        return state.references.areDue = true
      }
      row.place = remote
    } else if local.place != row.place {
      // It was moved again, or the move can't be committed yet.
      return state.references.areDue = true
    }
    try state.write { try $0.put(row) }
    guard let names = try path(of: row.place) else { return state.references.areDue = true }
    if nested.path(of: row.part) != absolute(names) {
      try carryOwnFolder(of: row, to: names, nested)
      try nested.mirror(row.part, at: absolute(names), isFile: row.isFile)
    }
  }

  /// Returns the present place of another mount's folder.
  func whereabouts(
    of row: ReferenceRow
  ) throws -> (place: Place, path: [FileNameBytes])? {
    if row.isFile { return try whereabouts(ofFile: row) }
    guard let root = state.root else { return nil }
    if let names = try path(of: row.place), try MountMark.mark(in: root, names) == row.part {
      return (row.place, names)
    }
    guard let stranger = state.scanner?.strangers[row.part] else { return nil }
    return try MountMark.mark(in: root, stranger.path) == row.part
      ? (stranger.place, stranger.path) : nil
  }

  private func stands(
    _ names: [FileNameBytes], in root: Descriptor
  ) throws(FolderError) -> Bool {
    guard let name = names.last else { return false }
    do throws(FolderError) {
      return try FileStat.at(root.openDirectory(Array(names.dropLast())), name) != nil
    } catch {
      guard error.code == .notFound || error.code == .denied else { throw error }
      return false
    }
  }

  /// Sets the mark again, because an interruption may have prevented it.
  private func markAgain(
    _ row: ReferenceRow
  ) throws -> (place: Place, path: [FileNameBytes])? {
    guard let root = state.root, !row.isFile, let names = try path(of: row.place) else {
      return nil
    }
    do {
      let stat = try FileStat.of(root.openDirectory(names))
      guard try state.index.isRoot(of: row.part, stat), try MountMark.mark(in: root, names) == nil
      else {
        return nil
      }
    } catch let error as FolderError {
      guard error.code == .notFound else { throw error }
      return nil
    }
    try mark(row, names)
    return (row.place, names)
  }

  /// Moves the folder that a file's mount has beside the file together with the file into another
  /// directory.
  private func carryOwnFolder(
    of row: ReferenceRow, to names: [FileNameBytes], _ nested: any NestedMounts
  ) throws {
    guard row.isFile, let root = state.root, let old = nested.path(of: row.part),
      old.starts(with: state.path + [UInt8(ascii: "/")])
    else { return }
    let before = old.dropFirst(state.path.count + 1).split(separator: UInt8(ascii: "/"))
      .dropLast().map { Array($0) }
    let home = Array(names.dropLast())
    guard before != home else { return }
    nested.pause(row.part)
    let folder = Staging.folder(of: row.part, isFile: true)
    do throws(FolderError) {
      try Rename.toFreeName(
        root.openDirectory(before), folder, root.openDirectory(home), folder, via: nil)
    } catch {
      // Somebody removed the folder, or an older one is there: it is created, or the mark decides.
      guard error.code == .notFound || error.code == .exists else { throw error }
    }
    try mark(row, names)
    _ = try state.index.register(row.part, FileStat.of(root.openDirectory(home)))
  }

  /// Returns whether one of these scans found that a file with a mount of its own is missing: its
  /// person may have renamed it.
  func isFileGone(after looks: [Look]) throws -> Bool {
    guard state.references.areThere, let scanner = state.scanner, let root = state.root else {
      return false
    }
    for look in looks {
      let names =
        look.name.map { [$0] }
        ?? scanner.leftOut.filter { $0.parent == look.directory }.map(\.name)
      for name in names
      where scanner.leftOut.contains(Place(parent: look.directory, name: name)) {
        if try !stands(look.path + [name.bytes], in: root) { return true }
      }
    }
    return false
  }

  /// Renames the folder on the disk, because another device moved it. Returns false if that has to
  /// wait.
  private func move(
    _ part: ZonePart, from local: (place: Place, path: [FileNameBytes]), to place: Place
  ) throws -> Bool {
    guard local.place != place else { return true }
    guard let root = state.root, let target = try path(of: place), let old = local.path.last,
      let new = target.last
    else { return false }
    try Rename.toFreeName(
      root.openDirectory(Array(local.path.dropLast())), old,
      root.openDirectory(Array(target.dropLast())), new, via: state.staging?.displaced)
    state.scanner?.strangers[part] = nil
    return true
  }

  /// Changes the zone in one commit. Returns false if that has to wait.
  func commit(_ changes: [RecordChange]) throws -> Bool {
    let isReady = try state.zone.read { view in
      try changes.allSatisfy { change in
        guard let parent = change.place?.parent, parent != .root else { return true }
        return try view.record(parent)?.type == .directory
      }
    }
    guard isReady else { return false }
    do {
      _ = try state.zone.commit(changes, expecting: state.zone.header.sequence)
      return true
    } catch let error as CloudError {
      if error.isOfContainer { return false }
      switch error.code {
      // An unsent change must first remove the entry that has the name now.
      case .constraintViolation: return false
      case .serverRecordChanged:
        state.zoneSync.needsPull = true
        return false
      default: throw error
      }
    }
  }
}
