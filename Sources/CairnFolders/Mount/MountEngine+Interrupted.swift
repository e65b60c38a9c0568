import CairnCloud
import CairnPlan
import CairnZone

/// What an interruption leaves between the zone, the disk and the index: it is found out before the
/// next look at the folder, or our own acts would be taken for a person's.
extension MountEngine {
  func recognizeOwnActs() throws {
    if arrivals.mayBeThere { try recognizeArrivals() }
    if attention.needsParked, let staging { try takeUpParked(staging) }
    if exchange.mayHaveSent { try recognizeOwnCommit() }
  }

  /// Where the zone has what the folder showed at the last look, that is what both agreed on. What
  /// a person changed since our own commit would seem to conflict with it.
  private func recognizeOwnCommit() throws {
    exchange.needsPull = true
    try pullIfNeeded()
    try zone.read { view in
      let records = ScopedRecords(view, scope)
      try index.write(mount) { tree in
        for id in try tree.dirty(limit: .max) {
          guard var row = try tree.node(id), let local = row.local?.node, local != row.synced
          else { continue }
          let remote = try records.node(id)
          if try local == remote || row.synced == nil && wasSent(local, id, remote, view) {
            row.synced = local
          } else {
            if let remote {
              row.synced = row.synced.map { local.agreement(with: remote, after: $0) }
            }
            // Somebody may have changed or deleted it since.
            if case .file(let content?) = local.kind, local.kind != remote?.kind,
              case .file(let agreed?) = row.synced?.kind,
              try view.hadContent(content, after: agreed, record: id)
            {
              row.synced?.kind = local.kind
              row.synced?.attributes.modified = local.attributes.modified
            }
          }
          try tree.put(row)
        }
      }
    }
    exchange.mayHaveSent = false
  }

  /// Whether a node that nobody agreed on yet was sent all the same; somebody changed or deleted
  /// its record since.
  private func wasSent(
    _ local: Node, _ id: RecordID, _ remote: Node?, _ view: ZoneView
  ) throws -> Bool {
    guard try remote != nil || view.deletion(of: id) != nil else { return false }
    switch local.kind {
    case .file(let content?): return try view.hadContent(content, record: id)
    case .directory: return remote?.isDirectory ?? true
    case .file(nil), .symlink: return false
    }
  }

  /// Notes the files and directories that the steps are about to put into the folder, to move or to
  /// give other attributes.
  /// - Returns: what was staged, by the numbers of the steps.
  func noteArrivals(
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
    arrivals.mayBeThere = true
    try index.write(mount) { tree in
      var moved: [RecordID: Place] = [:]
      for (position, step) in steps.enumerated() {
        guard var row = try Self.arrival(step, staged[position], tree) else { continue }
        if case .move(let id, _, let to) = step { moved[id] = to }
        if case .replace(let id, _, _) = step,
          let agreed = try moved[id] ?? tree.node(id)?.synced?.place
        {
          // Where its person moved it isn't agreed on by other bytes.
          row.synced?.place = agreed
        }
        try tree.noteArrival(row)
      }
    }
    return staged
  }

  /// How the record's node will be once the step is done; nil if nobody could mistake it.
  private static func arrival(
    _ step: FolderStep, _ staged: StagedFile?, _ tree: FolderTree
  ) throws -> NodeRow? {
    switch step {
    case .setAttributes(let id, _, let attributes): return try arrival(id, attributes, tree)
    case .install(let id, let node), .replace(let id, _, let node):
      guard let staged else { return try arrival(id, node.attributes, tree) }
      return NodeRow(id: id, local: NodeRow.Local(node, staged.stat), synced: node)
    case .makeDirectory(let id, let place):
      let attributes = Attributes(isExecutable: false, modified: 0)
      let node = Node(place: place, kind: .directory, attributes: attributes)
      return NodeRow(id: id, local: nil, synced: node)
    case .move(let id, _, let to):
      guard var row = try tree.node(id), row.local != nil, row.synced != nil else { return nil }
      row.local?.node.place = to
      row.synced?.place = to
      return row
    case .park, .remove: return nil
    }
  }

  /// What the step changes comes from the zone; what it leaves as it is may be this person's.
  private static func arrival(
    _ id: RecordID, _ attributes: Attributes, _ tree: FolderTree
  ) throws -> NodeRow? {
    guard var row = try tree.node(id), let before = row.local?.node, !before.isDirectory,
      row.synced != nil
    else { return nil }
    row.local?.node.attributes = attributes
    if attributes.isExecutable != before.attributes.isExecutable {
      row.synced?.attributes.isExecutable = attributes.isExecutable
    }
    if attributes.modified != before.attributes.modified {
      row.synced?.attributes.modified = attributes.modified
    }
    return row
  }

  /// Keeps what a person wrote into a file that had arrived, and that a power cut put back into the
  /// staging folder: it is looked at as one that was displaced.
  func keepReturned(_ staging: Staging, _ mount: Int64) throws {
    let names = try DirectoryListing.names(of: staging.incoming)
    guard !names.isEmpty else { return }
    let arrivals = try index.read(mount) { try $0.arrivals() }
    let staged = Dictionary(arrivals.map { ($0.id, $0.local) }) { $1 }
    for name in names {
      guard let id = Staging.record(of: name), let local = staged[id] ?? nil,
        let stat = try FileStat.at(staging.incoming, name), local.inode == stat.inode,
        local.size != stat.size || local.node.attributes.modified != stat.modified
      else { continue }
      try Rename.toFreeName(
        staging.incoming, name, staging.kept, staging.freshName(for: id), aside: nil)
    }
  }

  /// Gives what we put into the folder to its records. Without that a person would seem to have
  /// made it: what was deleted in the zone meanwhile would come back, and what was changed there
  /// would conflict.
  private func recognizeArrivals() throws {
    guard let root, let scanner, let staging else { return }
    // What the index has from here on must be on the disk after a power cut, or it seems deleted.
    if try hasLeftovers(staging) { try root.syncFileSystem() }
    try takeUpParked(staging)
    scanner.strays = try index.write(mount) { tree in
      var strays: [UInt64: NodeRow] = [:]
      var ids: Set<RecordID> = []
      let arrivals = try tree.arrivals()
      let moved = Set(arrivals.filter { $0.local != nil }.map(\.id))
      for arrival in arrivals {
        if let node = arrival.synced, let place = arrival.arrivalPlace,
          let stat = try status(at: place, root, tree), node.isSameKind(as: stat.kind),
          let row = try recognized(arrival, stat, tree, moved)
        {
          // Its name in the parked folder may be left.
          let before = try tree.node(row.id)
          if before?.local?.node.place.parent == .parked { attention.needsParked = true }
          if let owner = try tree.child(at: place), owner.id != row.id,
            !moved.contains(owner.id)
          {
            // Should it be elsewhere, it is known there by its inode.
            try tree.vanish(owner.id)
          }
          try tree.put(row)
          try tree.markDirty(row.id, .remote)
          // What an earlier step did to it doesn't stand any more.
          if ids.remove(arrival.id) != nil { strays = strays.filter { $0.value.id != arrival.id } }
        } else if let local = arrival.local {
          strays[local.inode] = arrival
          ids.insert(arrival.id)
          // What isn't found seems to be gone, so it is looked for, even if nobody says so.
          if let place = arrival.arrivalPlace, let parent = try tree.path(of: place.parent) {
            hint(changed: [joined(parent + [place.name.bytes])])
          } else {
            // The directory was made right before, and isn't there any more.
            attention.lookEverywhere()
          }
        }
      }
      // The next look may find the others where a person moved them.
      if strays.isEmpty { try tree.forgetArrivals() }
      return strays
    }
    if scanner.strays.isEmpty { arrivals.done = [] }
    arrivals.mayBeThere = false
  }

  /// Whether something tells of steps that an interruption may have left half durable.
  private func hasLeftovers(_ staging: Staging) throws -> Bool {
    for folder in [staging.parked, staging.kept] {
      guard try DirectoryListing.names(of: folder).isEmpty else { return true }
    }
    return try index.read(mount) { try !$0.arrivals().isEmpty }
  }

  /// A parked node whose file isn't in the parked folder any more isn't on the disk. One that was
  /// parked right before an interruption is there: what took its place since is no edit of it.
  func takeUpParked(_ staging: Staging) throws {
    var (strangers, doubles): ([FileNameBytes], [FileNameBytes]) = ([], [])
    try index.write(mount) { tree in
      var present: Set<RecordID> = []
      for name in try DirectoryListing.names(of: staging.parked) {
        guard let stat = try FileStat.at(staging.parked, name) else { continue }
        let known = try Staging.parkedRecord(of: name).flatMap { try tree.node($0) }
        if let known, try standsElsewhere(known, stat, in: tree) {
          doubles.append(name)
          continue
        }
        guard let known, let row = Self.parked(known, stat) else {
          strangers.append(name)
          continue
        }
        present.insert(row.id)
        guard row != known else { continue }
        try tree.put(row)
        try tree.markDirty(row.id)
      }
      for var row in try tree.children(of: .parked) where !present.contains(row.id) {
        row.local = nil
        try tree.markDirty(row.id)
        try tree.put(row)
      }
    }
    for name in strangers { try giveUpParked(name, staging) }
    for name in doubles { try keepParked(name, staging) }
    attention.needsParked = false
  }

  /// The node as it stands in the parked folder under its record's name; nil if it isn't that. The
  /// index may be older than the file, and somebody may have it open: its bytes are read again.
  private static func parked(_ known: NodeRow, _ stat: FileStat) -> NodeRow? {
    guard var node = known.local?.node ?? known.synced, node.isSameKind(as: stat.kind) else {
      return nil
    }
    node.place.parent = .parked
    var row = known
    if known.isStill(stat) {
      // Its ctime is that of the rename.
      if stat.kind == .file { node.attributes.isExecutable = stat.isExecutable }
      row.local = NodeRow.Local(node, stat)
    } else if stat.kind == .file {
      node.kind = .file(nil)
      node.attributes = Attributes(isExecutable: stat.isExecutable, modified: stat.modified)
      row.local = NodeRow.Local(node, stat)
    } else {
      return nil
    }
    return row
  }

  /// What was parked and is no node that the index knows, as after it was lost: a file is looked at
  /// as one that was displaced, a directory is its person's to look through.
  private func giveUpParked(_ name: FileNameBytes, _ staging: Staging) throws {
    let id = Staging.parkedRecord(of: name) ?? .root
    guard try FileStat.at(staging.parked, name)?.kind == .directory else {
      return try keepParked(name, staging)
    }
    let to = try staging.rescue(name, from: staging.parked, path: [])
    let note = RescueNotes.Note(
      path: joined(to), of: joined([name]),
      reason: "it was about to be moved when the daemon or the machine stopped", time: clock.date)
    try RescueNotes(in: staging.notes).add(note, as: staging.freshName(for: id))
    try lookAtRescued()
  }

  /// Has a parked file looked at as one that was displaced.
  private func keepParked(_ name: FileNameBytes, _ staging: Staging) throws {
    let fresh = staging.freshName(for: Staging.parkedRecord(of: name) ?? .root)
    try Rename.toFreeName(staging.parked, name, staging.kept, fresh, aside: nil)
    kept.load(staging, clock.now)
  }

  /// Whether the file has its place in the folder, too: where a rename is a link and a removal, one
  /// that is interrupted leaves both names.
  private func standsElsewhere(
    _ row: NodeRow, _ stat: FileStat, in tree: FolderTree
  ) throws -> Bool {
    guard let root, stat.kind == .file, let place = row.local?.node.place,
      place.parent != .parked
    else { return false }
    return try status(at: place, root, tree)?.isSameInode(as: stat) ?? false
  }

  /// The row of what stands at the place of an arrival; nil if it is something else. What stood
  /// there may be among what was `moved`, and come to its new place by a later arrival.
  private func recognized(
    _ arrival: NodeRow, _ stat: FileStat, _ tree: FolderTree, _ moved: Set<RecordID>
  ) throws -> NodeRow? {
    guard var node = arrival.synced, let place = arrival.arrivalPlace else { return nil }
    let before = try tree.node(arrival.id)
    if let owner = try tree.child(at: place), owner.id != arrival.id {
      // A directory may have been removed to make room for this one.
      guard moved.contains(owner.id) || arrival.local == nil, !owner.isSameInode(as: stat) else {
        return nil
      }
    }
    if let local = arrival.local {
      guard local.isCertainly(stat) else {
        // It was moved there, and its new bytes didn't come.
        guard var moved = before, moved.isSameInode(as: stat),
          moved.local?.node.place != place
        else { return nil }
        moved.local?.node.place = place
        if node.place == place { moved.synced?.place = place }
        return moved
      }
      if var moved = before, moved.local?.inode == local.inode {
        moved.local?.node.place = place
        if node.place == place { moved.synced?.place = place }
        if !node.isDirectory { Self.take(node.attributes, stat, into: &moved) }
        return moved
      }
      // The place is compared by itself: only a step that moves it agrees on that.
      node.place = before?.synced?.place ?? node.place
      let known = before?.local.flatMap { $0.inode == stat.inode ? $0 : nil }
      return NodeRow(id: arrival.id, local: known ?? local, synced: node)
    }
    // It may have stood elsewhere before, and have been made anew.
    guard before?.local == nil else { return nil }
    // A directory's time is whatever the system gave it.
    node.attributes.modified = stat.modified
    return NodeRow(id: arrival.id, local: NodeRow.Local(node, stat), synced: node)
  }

  /// Agrees on those of a step's attributes that the disk shows.
  private static func take(_ attributes: Attributes, _ stat: FileStat, into row: inout NodeRow) {
    if stat.isExecutable == attributes.isExecutable {
      row.local?.node.attributes.isExecutable = attributes.isExecutable
      row.synced?.attributes.isExecutable = attributes.isExecutable
    }
    if stat.modified == attributes.modified {
      row.local?.node.attributes.modified = attributes.modified
      row.synced?.attributes.modified = attributes.modified
    }
  }

  private func status(
    at place: Place, _ root: Descriptor, _ tree: FolderTree
  ) throws -> FileStat? {
    guard let path = try tree.path(of: place.parent) else { return nil }
    do throws(FolderError) {
      return try FileStat.at(root.openDirectory(path), place.name.bytes)
    } catch {
      guard error.code == .notFound || error.code == .denied else { throw error }
      return nil
    }
  }
}
