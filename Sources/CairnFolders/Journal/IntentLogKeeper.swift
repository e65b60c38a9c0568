import CairnPlan
import CairnZone

/// Writes the journal before steps are applied, and settles it after a start.
///
/// It uses these parts of the state: `hint`, `hintEverything`, `index`, `postpone`, `read`,
/// `retries`, `root`, `scanQueue`, `scanner`, `staging`, `write`.
struct IntentLogKeeper {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Notes the steps that are about to be applied.
  /// - Returns: The staged files, by the numbers of the steps.
  func noteMeant(
    _ steps: [FolderStep], _ names: [Int: FileNameBytes], _ staging: Staging
  ) throws -> [Int: StagedFile] {
    let staged = try names.mapValues { name in
      guard let stat = try FileStat.at(staging.incoming, name) else {
        throw FolderError(.notFound, name, "somebody took it out of the staging folder")
      }
      return StagedFile(name: name, stat: stat)
    }
    let isNeeded = steps.contains { step in
      switch step {
      case .install, .replace, .makeDirectory, .move, .setAttributes: true
      case .park, .remove: false
      }
    }
    guard isNeeded else { return staged }
    try state.write { tree in
      for row in try Journal.meant(by: steps, staged, tree.node) { try tree.noteMeant(row) }
    }
    return staged
  }

  /// Settles the journal after the first full scan: intended nodes that exist are agreed on. The
  /// others didn't come into being, or are gone.
  func settleJournal() throws {
    guard let scanner = state.scanner, !scanner.journal.isEmpty else { return }
    var journal = scanner.journal
    // They may be in a directory that is still unreadable.
    let mayTurnUp = !state.scanQueue.unread.isQuiet
    var old: [[UInt8]] = []
    try state.write { tree in
      for id in journal.ids {
        guard let meant = journal.row(id) else { continue }
        var row = try tree.node(id)
        let isFound = row?.local.map { Journal.isOurs($0, meant) } ?? false
        if mayTurnUp, !isFound { continue }
        journal.forget(id)
        // A rename by a link and a removal may have left both names.
        if let place = row?.synced?.place, place != meant.synced?.place,
          let path = try tree.path(of: place.parent)
        {
          old.append(joined(path + [place.name.bytes]))
        }
        guard let known = row, let agreed = Journal.agreement(of: known, with: meant),
          agreed != known.synced
        else { continue }
        row?.synced = agreed
        if let row { try tree.put(row) }
        try tree.markDirty(id, .remote)
      }
      if journal.isEmpty { try tree.forgetMeant() }
    }
    scanner.journal = journal
    state.hint(changed: old)
    if let staging = try state.staging { try ParkedFiles(state).takeUpParked(staging) }
    for id in journal.ids {
      if !state.retries.isWaiting(id) {
        state.postpone(id, .blocked, "it isn't known yet where it stands")
      }
      state.retries[id].isLeftOut = true
    }
  }

  /// Reads the steps of an interrupted run; the next scan settles them.
  func takeUpJournal(_ staging: Staging, _ scanner: Scanner) throws {
    scanner.journal = Journal(try state.read { try $0.meant() })
    guard try !scanner.journal.isEmpty || hasLeftovers(staging) else { return }
    // A power cut must not take files that the index has from here on: they would seem deleted.
    try state.root?.syncFileSystem()
    if !scanner.journal.isEmpty { state.hintEverything() }
  }

  /// Returns whether there are traces of steps that an interruption may have left half durable.
  private func hasLeftovers(_ staging: Staging) throws -> Bool {
    for folder in [staging.parked, staging.displaced] {
      guard try DirectoryListing.names(of: folder).isEmpty else { return true }
    }
    return false
  }

  /// Keeps a person's edit of a received file that a power cut put back into the staging folder: it
  /// is checked like a replaced file.
  func keepReturned(_ staging: Staging, _ mount: Int64) throws {
    let names = try DirectoryListing.names(of: staging.incoming)
    guard !names.isEmpty else { return }
    let journal = Journal(try state.index.read(mount) { try $0.meant() })
    for name in names {
      guard let id = Staging.record(of: name), let row = journal.row(id),
        let stat = try FileStat.at(staging.incoming, name)
      else { continue }
      guard stat.kind != .directory else {
        try keepReturned(inside: name, of: id, journal, staging)
        continue
      }
      guard let local = row.local, local.inode == stat.inode,
        !local.shape.hasSameBytes(as: stat)
      else { continue }
      try Rename.toFreeName(
        staging.incoming, name, staging.displaced, staging.freshName(for: id), via: nil)
    }
  }

  /// Keeps what a person changed in a directory that was in the folder before a power cut put it
  /// back: everything but the files of the intent log as they were.
  private func keepReturned(
    inside name: FileNameBytes, of id: RecordID, _ journal: Journal, _ staging: Staging
  ) throws {
    let directory = try staging.incoming.openDirectory([name])
    for entry in try DirectoryListing.names(of: directory) {
      guard let stat = try FileStat.at(directory, entry), stat.kind != .symlink else { continue }
      if stat.kind == .directory, let inner = FileName(entry).flatMap({
        journal.directory(at: Place(parent: id, name: $0))
      }) {
        let path = Staging.path(name, entry)
        try keepReturned(inside: path, of: inner.id, journal, staging)
        continue
      }
      let row = journal.file(with: stat.inode)
      if let local = row?.local, local.birth == stat.birth, local.shape.hasSameBytes(as: stat) {
        continue
      }
      try Rename.toFreeName(
        directory, entry, staging.displaced, staging.freshName(for: row?.id ?? id), via: nil)
    }
  }
}
