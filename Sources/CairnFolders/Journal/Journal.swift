import CairnPlan
import CairnZone

/// What this device was about to do in the folder when its process ended, a row a record: how its
/// node was going to be, with its inode, and what both sides were going to agree on. It is read
/// when the folder is attached, and answered by the first look at all of it. Where a portion of
/// steps was written, or a turn failed, nobody has to ask it.
struct Journal {
  private var rows: [RecordID: NodeRow] = [:]
  private var files: [UInt64: RecordID] = [:]
  private var directories: [Place: RecordID] = [:]

  init() {}

  /// Takes the rows in the order in which they were noted.
  init(_ noted: [NodeRow]) {
    for row in noted { rows[row.id] = row }
    for row in rows.values {
      if let local = row.local {
        files[local.inode] = row.id
      } else if let place = row.synced?.place {
        directories[place] = row.id
      }
    }
  }

  var isEmpty: Bool { rows.isEmpty }
  var ids: [RecordID] { rows.keys.sorted() }

  func row(_ id: RecordID) -> NodeRow? { rows[id] }

  /// The row of the very file that was going to be put into the folder.
  func file(_ stat: FileStat) -> NodeRow? {
    guard let row = files[stat.inode].flatMap({ rows[$0] }), row.local?.isCertainly(stat) == true
    else { return nil }
    return row
  }

  /// The row of the directory that was going to be made there: before that it has no inode.
  func directory(at place: Place) -> NodeRow? { directories[place].flatMap { rows[$0] } }

  /// Whether the record was going to stand there: then nobody put it over what stood there, which
  /// had been moved.
  func isMeant(_ id: RecordID, at place: Place) -> Bool {
    rows[id].map { ($0.local?.node.place ?? $0.synced?.place) == place } ?? false
  }

  /// The record is where a look found it, or isn't anywhere.
  mutating func forget(_ id: RecordID) {
    guard let row = rows.removeValue(forKey: id) else { return }
    if let local = row.local { files[local.inode] = nil }
    directories = directories.filter { $0.value != id }
  }

  // MARK: The rule

  /// What both sides agree on after the look: each aspect of what was meant that the disk shows.
  /// Nil if the node isn't on the disk, or never was ours.
  static func agreement(of row: NodeRow, with meant: NodeRow) -> Node? {
    guard let local = row.local, let wanted = meant.synced else { return nil }
    let isOurs = isOurs(local, meant)
    guard var agreed = row.synced else { return isOurs ? wanted : nil }
    if isOurs, !wanted.isDirectory, agreed.kind != wanted.kind {
      // The bytes that stand there, or stood there before somebody changed them, are those.
      agreed.kind = wanted.kind
      agreed.attributes.modified = wanted.attributes.modified
    }
    return local.node.agreement(with: wanted, after: agreed)
  }

  /// Whether the node is what was going to stand there, wherever it is now.
  static func isOurs(_ local: NodeRow.Local, _ meant: NodeRow) -> Bool {
    guard let file = meant.local else {
      return local.node.isDirectory && local.node.place == meant.synced?.place
    }
    return local.inode == file.inode && local.birth == file.birth
  }

  // MARK: What is noted

  /// How the nodes will be once the steps are done, and what both sides will agree on then; nothing
  /// of those that nobody could mistake for a person's doing.
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
      // Where its person moved it isn't agreed on by other bytes.
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

/// Writes the journal before steps are carried out, and answers it after a start.
struct JournalKeeper {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Notes what the steps are about to do.
  /// - Returns: what was staged, by the numbers of the steps.
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

  /// After the first look at all of the folder: what was meant and is there is agreed on. What
  /// wasn't found by then didn't come about, or is gone.
  func settleJournal() throws {
    guard let scanner = state.scanner, !scanner.journal.isEmpty else { return }
    var journal = scanner.journal
    // They may be where nobody could look yet.
    let mayTurnUp = !state.attention.unread.isQuiet
    var old: [[UInt8]] = []
    try state.write { tree in
      for id in journal.ids {
        guard let meant = journal.row(id) else { continue }
        var row = try tree.node(id)
        let isFound = row?.local.map { Journal.isOurs($0, meant) } ?? false
        if mayTurnUp, !isFound { continue }
        journal.forget(id)
        // A rename that is a link and a removal may have left both names.
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
      if !state.agenda.isWaiting(id) {
        state.postpone(id, .blocked, "it isn't known yet where it stands")
      }
      state.agenda[id].isLeftOut = true
    }
  }

  /// Reads what an interrupted run was about to do; the next look answers it.
  func takeUpJournal(_ staging: Staging, _ scanner: Scanner) throws {
    scanner.journal = Journal(try state.read { try $0.meant() })
    guard try !scanner.journal.isEmpty || hasLeftovers(staging) else { return }
    // What the index has from here on must be on the disk after a power cut, or it seems deleted.
    try state.root?.syncFileSystem()
    if !scanner.journal.isEmpty { state.hintEverything() }
  }

  /// Whether something tells of steps that an interruption may have left half durable.
  private func hasLeftovers(_ staging: Staging) throws -> Bool {
    for folder in [staging.parked, staging.displaced] {
      guard try DirectoryListing.names(of: folder).isEmpty else { return true }
    }
    return false
  }

  /// Keeps what a person wrote into a file that had arrived, and that a power cut put back into the
  /// staging folder: it is looked at as one that was displaced.
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
