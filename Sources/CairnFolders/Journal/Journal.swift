import CairnPlan
import CairnZone

/// The steps that this device was about to apply to the folder when its process ended, one row for
/// each record: the intended node with its inode, and the intended agreement of both sides. It is
/// read when the folder is attached, and settled by the first full scan. It isn't needed where a
/// portion of steps was written, or a sync cycle failed.
struct Journal {
  private var rows: [RecordID: NodeRow] = [:]
  private var files: [UInt64: RecordID] = [:]
  private var directories: [Place: RecordID] = [:]
  /// The files without an inode number, by their places.
  private var unnumbered: [Place: RecordID] = [:]

  init() {}

  /// Creates a journal from rows in the order of their notes.
  init(_ noted: [NodeRow]) {
    for row in noted { rows[row.id] = row }
    for row in rows.values {
      if let local = row.local {
        if local.inode == 0 {
          unnumbered[local.node.place] = row.id
        } else {
          files[local.inode] = row.id
        }
      } else if let place = row.synced?.place {
        directories[place] = row.id
      }
    }
  }

  var isEmpty: Bool { rows.isEmpty }
  var ids: [RecordID] { rows.keys.sorted() }

  func row(_ id: RecordID) -> NodeRow? { rows[id] }

  /// Returns the row of the very file that was about to be put into the folder. Without an inode
  /// number, it must be at the intended place.
  func file(_ stat: FileStat, at place: Place) -> NodeRow? {
    let id = stat.inode == 0 ? unnumbered[place] : files[stat.inode]
    guard let row = id.flatMap({ rows[$0] }), row.local?.isCertainly(stat) == true
    else { return nil }
    return row
  }

  /// Returns the row of the directory that was about to be created there; it had no inode before.
  func directory(at place: Place) -> NodeRow? { directories[place].flatMap { rows[$0] } }

  /// Returns whether the record was about to be put there. Then nobody put it over the earlier
  /// entry, which had been moved.
  func isMeant(_ id: RecordID, at place: Place) -> Bool {
    rows[id].map { ($0.local?.node.place ?? $0.synced?.place) == place } ?? false
  }

  /// Forgets a record: a scan found it, or it is nowhere.
  mutating func forget(_ id: RecordID) {
    guard let row = rows.removeValue(forKey: id) else { return }
    if let local = row.local { files[local.inode] = nil }
    unnumbered = unnumbered.filter { $0.value != id }
    directories = directories.filter { $0.value != id }
  }

  // MARK: The rule

  /// Returns the agreement of both sides after the scan: each intended aspect that the disk shows.
  /// Nil if the node isn't on the disk, or isn't from this device.
  static func agreement(of row: NodeRow, with meant: NodeRow) -> Node? {
    guard let local = row.local, let wanted = meant.synced else { return nil }
    let isOurs = isOurs(local, meant)
    guard var agreed = row.synced else { return isOurs ? wanted : nil }
    if isOurs, !wanted.isDirectory, agreed.kind != wanted.kind {
      // The file has, or had before somebody changed it, the intended bytes.
      agreed.kind = wanted.kind
      agreed.attributes.modified = wanted.attributes.modified
    }
    return local.node.agreement(with: wanted, after: agreed)
  }

  /// Returns whether the node is the intended one, at any place.
  static func isOurs(_ local: NodeRow.Local, _ meant: NodeRow) -> Bool {
    guard let file = meant.local else {
      return local.node.isDirectory && local.node.place == meant.synced?.place
    }
    return local.inode == 0
      ? local.isSameVersion(as: file)
      : local.inode == file.inode && local.birth == file.birth
  }

  // MARK: What is noted

  /// Returns the nodes after the steps, and the agreement of both sides then; without those that
  /// could not be mistaken for a person's change.
  static func meant(
    by steps: [FolderStep], _ staged: [Int: StagedFile],
    _ known: (RecordID) throws -> NodeRow?
  ) rethrows -> [NodeRow] {
    var rows: [RecordID: NodeRow] = [:]
    var order: [RecordID] = []
    for (position, step) in steps.enumerated() {
      let before = try rows[step.id] ?? known(step.id)
      guard let row = meant(by: step, staged[position], before) else { continue }
      if rows.updateValue(row, forKey: step.id) == nil { order.append(step.id) }
    }
    return order.compactMap { rows[$0] }
  }

  private static func meant(
    by step: FolderStep, _ staged: StagedFile?, _ before: NodeRow?
  ) -> NodeRow? {
    switch step {
    case .setAttributes(_, _, let attributes): return meant(by: attributes, before)
    case .install(let id, let node):
      return staged.map { NodeRow(id: id, local: NodeRow.Local(node, $0.stat), synced: node) }
    case .replace(let id, _, let node):
      guard let staged else { return meant(by: node.attributes, before) }
      // Different bytes don't mean agreement on the place to which its person moved it.
      var synced = before?.synced ?? node
      synced.kind = node.kind
      synced.attributes.modified = node.attributes.modified
      return NodeRow(id: id, local: NodeRow.Local(node, staged.stat), synced: synced)
    case .makeDirectory(let id, let place):
      let attributes = Attributes(isExecutable: false, modified: 0)
      let node = Node(place: place, kind: .directory, attributes: attributes)
      return NodeRow(id: id, local: nil, synced: node)
    case .move(_, _, let to):
      guard var row = before, row.local != nil, row.synced != nil else { return nil }
      row.local?.node.place = to
      row.synced?.place = to
      return row
    case .park, .remove: return nil
    }
  }

  private static func meant(by attributes: Attributes, _ before: NodeRow?) -> NodeRow? {
    guard var row = before, let local = row.local, !local.node.isDirectory, row.synced != nil else {
      return nil
    }
    row.synced?.take(attributes, where: local.node.attributes, of: local.node)
    row.local?.node.attributes = attributes
    return row
  }
}

/// Writes the journal before steps are applied, and settles it after a start.
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
    if let staging = state.staging { try ParkedFiles(state).takeUpParked(staging) }
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
      guard let id = Staging.record(of: name), let local = journal.row(id)?.local,
        let stat = try FileStat.at(staging.incoming, name), local.inode == stat.inode,
        !local.shape.hasSameBytes(as: stat)
      else { continue }
      try Rename.toFreeName(
        staging.incoming, name, staging.displaced, staging.freshName(for: id), via: nil)
    }
  }
}
