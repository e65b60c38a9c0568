import CairnPlan
import CairnReplica
import CairnZone

/// Shows in a folder that its person may not write: by files without write bits. Directories keep
/// theirs, because the applier renames in them.
///
/// It uses these parts of the state: `hintEverything`, `isReadOnly`, `permission`, `read`,
/// `report`, `root`, `staging`, `write`, `writeDurably`, `zone`.
struct ModeBits {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Gives all files the modes that show the person's permission, if the permission changed since
  /// the last time. If the present modes are unknown, the folder is scanned completely before.
  func showPermission() throws {
    state.permission.isReadOnly = !state.zone.mayWrite
    // A folder of one's own has the modes that its person gave it.
    switch state.permission.act(isOthers: state.zone.scope == .shared) {
    case .nothing: return
    case .showModesAfterALook:
      guard try state.read({ try $0.dirtyCount }) == 0 else { return }
      try note(showModes())
    case .showModes:
      state.permission.begin()
      try state.writeDurably { try $0.setShownReadOnly(nil) }
      let isWhole = try showModes()
      // Files that the person moved while they could only view may be at places that the index
      // doesn't have yet. They get their write bits after a scan.
      if state.isReadOnly { try note(isWhole) } else { state.hintEverything() }
    case .note: try note(true)
    }
    if !state.isReadOnly { state.report.forgetUndone() }
  }

  private func note(_ isWhole: Bool) throws {
    let needsLook = state.permission.end(isWhole: isWhole)
    try state.write { try $0.setShownReadOnly(state.permission.shown) }
    if needsLook { state.hintEverything() }
  }

  /// Files that stay when the folder isn't a mirror any more are the person's own.
  func showOwnFiles() throws {
    let shown = state.permission.shown ?? (state.zone.scope == .shared)
    // A deleted folder contains nothing any more.
    guard shown, let root = state.root, try FileStat.of(root).links > 0 else { return }
    state.permission.isReadOnly = false
    _ = try showModes()
    state.permission.shown = false
  }

  /// - Returns: whether each file was found where the index has it.
  private func showModes() throws -> Bool {
    guard let staging = try state.staging else { return false }
    var isWhole = true
    let modes = try FileMode(staging)
    var stack: [(RecordID, [FileNameBytes])] = [(.root, []), (.parked, Staging.parkedPath)]
    while let (id, path) = stack.popLast() {
      try state.write { tree in
        let children = try tree.children(of: id)
        if try !showModes(of: children, at: path, modes, in: tree) { isWhole = false }
        for row in children where row.local?.node.isDirectory == true {
          stack.append((row.id, path + Self.name(of: row)))
        }
      }
    }
    return isWhole
  }

  /// The name of a node in its directory.
  private static func name(of row: NodeRow) -> [FileNameBytes] {
    guard let place = row.local?.node.place else { return [] }
    return [place.parent == .parked ? Staging.parkedName(row.id) : place.name.bytes]
  }

  /// Changes the files' modes. The index rows change with them, so that no new mode counts as an
  /// edit.
  private func showModes(
    of rows: [NodeRow], at path: [FileNameBytes], _ modes: FileMode, in tree: FolderTree
  ) throws -> Bool {
    var isWhole = true
    do {
      let directory = try state.root?.openDirectory(path)
      for row in rows {
        guard let directory, case .file = row.local?.node.kind, let name = Self.name(of: row).first
        else { continue }
        if try !showMode(row, name, in: directory, modes, in: tree) { isWhole = false }
      }
    } catch let error as FolderError {
      // A directory that is gone, or in other hands, is found by the next look at it.
      guard error.code == .notFound || error.code == .denied else { throw error }
      if error.code == .notFound, !rows.isEmpty { isWhole = false }
    }
    return isWhole
  }

  private func showMode(
    _ row: NodeRow, _ name: FileNameBytes, in directory: Descriptor, _ modes: FileMode,
    in tree: FolderTree
  ) throws -> Bool {
    do {
      let most = row.local?.node.attributes.mode.map { UInt32($0) | 0o400 } ?? 0o7777
      let looks = try FileMode.set(name, in: directory) {
        modes.mode($0, isReadOnly: state.isReadOnly) & (most | $0)
      }
      guard let looks, row.isSameInode(as: looks.before) else { return false }
      guard row.isUnchanged(looks.before), looks.before != looks.after, var local = row.local
      else { return true }
      (local.changed, local.access) = (looks.after.changed, Access(looks.after))
      var row = row
      row.local = local
      try tree.put(row)
    } catch let error as FolderError {
      // Somebody else's file: its mode isn't ours to change.
      guard error.code == .denied else { throw error }
    }
    return true
  }

  /// Gives a file the mode that shows the permission before it returns to the folder.
  func showMode(of name: FileNameBytes, in directory: Descriptor) throws {
    guard state.zone.scope == .shared, let staging = try state.staging else { return }
    let modes = try FileMode(staging)
    do throws(FolderError) {
      _ = try FileMode.set(name, in: directory) { modes.mode($0, isReadOnly: state.isReadOnly) }
    } catch {
      // Somebody else's file: its mode isn't ours to change.
      guard error.code == .denied else { throw error }
    }
  }

  /// Takes the write bits away that somebody gave a file by force, when its bytes turn out to be
  /// the ones that everybody has.
  func restoreMode(_ row: NodeRow, _ content: ContentID, _ path: [FileNameBytes]) throws {
    guard state.isReadOnly, row.synced?.kind == .file(content), let name = path.last,
      let directory = try state.root?.openDirectory(Array(path.dropLast()))
    else { return }
    try state.write { tree in
      let looks = try FileMode.set(name, in: directory) { $0 & ~FileMode.anyWrite }
      guard let looks, var row = try tree.node(row.id), row.isUnchanged(looks.before) else {
        return
      }
      row.local?.changed = looks.after.changed
      row.local?.access = Access(looks.after)
      try tree.put(row)
    }
  }
}
