import CairnIdentity
import CairnPlan
import CairnZone

/// Decides which node each scanned entry is: the same node, a moved one, one with replaced bytes,
/// or a new one. It works on one transaction's view of the index. For the whole scan it keeps the
/// nodes that weren't found at their places.
struct Matcher {
  /// The nodes that aren't at their places; deleted at the end of the scan if they aren't found.
  private(set) var missing: Set<RecordID> = []
  /// Directories that nobody has listed yet under their identity.
  private(set) var unlisted: [Look] = []
  /// Changes that no hint names: the other names of files that were written by one of them, and
  /// entries in the former places of moved files.
  private var untold: [Look] = []
  /// The inodes whose other names were looked at in this scan.
  private var namedInodes: Set<UInt64> = []
  /// The new paths of moved directories.
  private var movedDirectories: [[FileNameBytes]] = []
  private var ids = RecordIDSequence()
  /// A Boolean value that indicates whether there are entries that weren't in the folder before.
  private(set) var madeNew = false
  private let only: OnlyFile?
  /// The steps in progress when the last run was interrupted.
  private let journal: Journal
  /// The change time of inodes from which a power cut may have removed the name.
  private let undoneSince: Int64?
  /// A Boolean value that indicates whether nodes get the modes of their entries.
  let hasModes: Bool

  /// Creates a matcher. A power cut, and no person, removed entries that were created or renamed
  /// since `undoneSince` and are missing: they come again.
  init(
    only: OnlyFile? = nil, journal: Journal = Journal(), undoneSince: Int64? = nil,
    carried: CarriedAttributes = []
  ) {
    self.only = only
    self.journal = journal
    self.undoneSince = undoneSince
    hasModes = carried.contains(.mode)
  }

  /// Adds one wave of scanned entries to the tree. `probe` returns the present entry at the last
  /// known place of a node.
  mutating func take(
    _ sightings: [Sighting], into tree: FolderTree, probe: (NodeRow) throws -> FileStat?
  ) throws {
    var appeared: [(sighting: Sighting, stat: FileStat, occupant: NodeRow?)] = []
    var displaced: Set<RecordID> = []
    var linked: [(sighting: Sighting, stat: FileStat, wasKnown: Bool)] = []
    var gone: [NodeRow.Local] = []
    for sighting in Self.latest(of: sightings) {
      let nodes = try tree.nodes(at: sighting.place)
      let known =
        nodes.first { node in sighting.stat.map { node.isSameInode(as: $0) } ?? false }
        ?? nodes.first
      // One name is one file: a second node there is somewhere else, or nowhere.
      for other in nodes where other.id != known?.id { missing.insert(other.id) }
      guard let stat = sighting.stat, stat.kind != .other else {
        if let known { missing.insert(known.id) }
        if let local = known?.local { gone.append(local) }
        continue
      }
      if let known, known.isSameInode(as: stat) {
        missing.remove(known.id)
        if stat.links > 1, !known.isUnchanged(stat) { linked.append((sighting, stat, true)) }
        try refresh(known, sighting, stat, in: tree)
      } else {
        if let known { displaced.insert(known.id) }
        if let local = known?.local { gone.append(local) }
        if stat.links > 1 { linked.append((sighting, stat, false)) }
        appeared.append((sighting, stat, known))
      }
    }
    let lookalikes = try lookalikes(of: appeared.map(\.stat), in: tree)
    var claims: [Int: NodeRow] = [:]
    var moved: Set<RecordID> = []
    // Former places, which may have new entries without hints.
    var former: [Place] = []
    for (index, new) in appeared.enumerated() {
      guard
        let node = try origin(of: new.sighting, new.stat, displaced, &former, tree, probe)
          ?? lookalikes.only(like: new.stat, at: new.sighting.place),
        moved.insert(node.id).inserted
      else { continue }
      claims[index] = node
    }
    for (index, new) in appeared.enumerated() {
      try settle(
        new.sighting, new.stat, occupant: new.occupant, claim: claims[index], moved: moved,
        in: tree)
    }
    for (index, new) in appeared.enumerated() where new.stat.links > 1 {
      // Its directory may have moved just now, and the file may have its former name there, too.
      guard let place = claims[index]?.local?.node.place, new.stat.kind == .file else { continue }
      former.append(place)
    }
    for place in former { try look(at: place, in: tree) }
    for (sighting, stat, wasKnown) in linked where stat.kind == .file {
      try findOtherNames(of: sighting.place, stat, wasKnown: wasKnown, in: tree)
    }
    let seen = Set(sightings.map(\.place))
    try findOtherNames(of: gone, but: seen, in: tree)
  }

  /// Returns the missing nodes by their looks; none if the new entries have inode numbers.
  private func lookalikes(of stats: [FileStat], in tree: FolderTree) throws -> Lookalikes {
    var lookalikes = Lookalikes()
    guard stats.contains(where: { $0.inode == 0 }) else { return lookalikes }
    for id in missing { if let row = try tree.node(id) { lookalikes.add(row) } }
    return lookalikes
  }

  /// Finds the other names of a file that lost a name: it may have been written by that name
  /// before, and there are no hints for the other names.
  private mutating func findOtherNames(
    of gone: [NodeRow.Local], but seen: Set<Place> = [], in tree: FolderTree
  ) throws {
    for local in gone {
      guard case .file = local.node.kind else { continue }
      try findNames(of: local.inode, born: local.birth, in: tree) { _, other in
        !seen.contains(other.node.place)
      }
    }
  }

  /// Finds the other names of a file: a write by one of its names gives a hint about that name
  /// only. A new name alone changes nothing but the ctime of the inode, which doesn't have the
  /// others read again.
  private mutating func findOtherNames(
    of place: Place, _ stat: FileStat, wasKnown: Bool, in tree: FolderTree
  ) throws {
    try findNames(of: stat.inode, born: stat.birth, in: tree) { row, local in
      guard local.node.place != place else { return false }
      return wasKnown
        ? !row.isUnchanged(stat)
        : !row.hasSameBytes(as: stat) || local.shape.isExecutable != stat.isExecutable
    }
  }

  /// Requests a scan of the known names of an inode, once in a scan.
  private mutating func findNames(
    of inode: UInt64, born birth: Int64, in tree: FolderTree,
    where isMeant: (NodeRow, NodeRow.Local) -> Bool
  ) throws {
    guard namedInodes.insert(inode).inserted else { return }
    for row in try tree.nodes(inode: inode) {
      guard let local = row.local, local.birth == birth, isMeant(row, local)
      else { continue }
      try look(at: local.node.place, in: tree)
    }
  }

  /// Requests a check of a place in this scan.
  private mutating func look(at place: Place, in tree: FolderTree) throws {
    guard let path = try tree.path(of: place.parent) else { return }
    untold.append(.entry(parent: place.parent, path: path, name: place.name))
  }

  /// Returns the looks that no hint names, and empties the list.
  mutating func takeUntold() -> [Look] {
    defer { untold = [] }
    return untold
  }

  /// Returns whether a power cut, and not a person, may have taken a node's name.
  private func mayBeUndone(_ row: NodeRow?) -> Bool {
    guard let undoneSince, let local = row?.local else { return false }
    return local.changed >= undoneSince
  }

  /// Ends the scan: nodes that weren't found anywhere are gone from the disk, with everything below
  /// them. Those that are hidden now weren't deleted.
  mutating func finish(in tree: FolderTree, hidden: Set<RecordID> = []) throws {
    var gone: [NodeRow.Local] = []
    for id in missing {
      if try hidden.contains(id) || mayBeUndone(tree.node(id)) {
        try tree.lose(id)
      } else {
        gone += try tree.vanish(id)
      }
    }
    missing = []
    try findOtherNames(of: gone, in: tree)
  }

  /// Returns the directories to list next, and empties the list.
  mutating func takeUnlisted() -> [Look] {
    defer { unlisted = [] }
    return unlisted
  }

  /// Returns the new paths of directories that moved since the last call.
  mutating func takeMovedDirectories() -> [[FileNameBytes]] {
    defer { movedDirectories = [] }
    return movedDirectories
  }

  /// Returns the node that had this inode elsewhere, if it really left that place. If it is still
  /// there, the new name is a hard link, which is a file of its own for a zone. If the place has
  /// another entry, possibly without a hint, it is added to `former`.
  private func origin(
    of sighting: Sighting, _ stat: FileStat, _ displaced: Set<RecordID>,
    _ former: inout [Place], _ tree: FolderTree,
    _ probe: (NodeRow) throws -> FileStat?
  ) throws -> NodeRow? {
    let nodes = try tree.nodes(inode: stat.inode)
    for node in nodes {
      guard node.isSameInode(as: stat), node.local?.node.place != sighting.place else { continue }
      if missing.contains(node.id) || displaced.contains(node.id)
        || journal.isMeant(node.id, at: sighting.place)
      {
        return node
      }
      let found = try found(node, probe)
      guard found != .itself else { continue }
      if found == .another, let place = node.local?.node.place { former.append(place) }
      return node
    }
    // A node that left its place at an earlier scan, and whose deletion isn't in the zone yet; a
    // record that has taken over the inode since comes first.
    if let gone = nodes.first(where: { $0.local == nil && $0.wasInode(of: stat) }) { return gone }
    return try meant(sighting, stat, tree, probe)
  }

  /// The entry at a place.
  private enum Found { case itself, another, nothing }

  /// Returns the entry at the place of the last look at a file. If its directory is unreadable, it
  /// may still be there.
  private func found(
    _ node: NodeRow, _ probe: (NodeRow) throws -> FileStat?
  ) throws -> Found {
    do {
      guard let stat = try probe(node) else { return .nothing }
      return node.isSameInode(as: stat) ? .itself : .another
    } catch let error as FolderError {
      return error.code == .notFound ? .nothing : .itself
    }
  }

  /// Returns the node that the engine put into the folder before an interruption: without its
  /// record it would become a second copy. An entry that replaced it since has the record, as at
  /// any other place.
  private func meant(
    _ sighting: Sighting, _ stat: FileStat, _ tree: FolderTree,
    _ probe: (NodeRow) throws -> FileStat?
  ) throws -> NodeRow? {
    guard !journal.isEmpty else { return nil }
    if stat.kind == .directory, let meant = journal.directory(at: sighting.place) {
      let before = try tree.node(meant.id)
      // It may have been elsewhere before, and may have been created again.
      guard before?.local == nil else { return nil }
      return NodeRow(id: meant.id, local: nil, synced: before?.synced ?? meant.synced)
    }
    guard let meant = journal.file(stat, at: sighting.place), var local = meant.local else {
      return nil
    }
    let before = try tree.node(meant.id)
    let isKnown =
      local.inode == 0
      ? before?.local?.isSameVersion(as: local) == true : before?.local?.inode == local.inode
    guard !isKnown else { return nil }
    if let before, before.local != nil, try found(before, probe) == .itself { return nil }
    local.node.place = before?.local?.node.place ?? local.node.place
    // The engine gave it this mode, after the note, unless it has rights that nobody meant.
    let most = local.node.attributes.mode.map { UInt32($0) | 0o400 } ?? 0o777
    if stat.mode & 0o777 & ~most == 0 { local.access = Access(stat) }
    if let seen = stat.extended, seen != local.shownExtended { local.shown.extended = seen }
    let row = NodeRow(id: meant.id, local: local, synced: before?.synced ?? meant.synced)
    try tree.put(row)
    return row
  }

  private mutating func settle(
    _ sighting: Sighting, _ stat: FileStat, occupant: NodeRow?, claim: NodeRow?,
    moved: Set<RecordID>, in tree: FolderTree
  ) throws {
    // Another wave of the same scan may have moved the occupant.
    let occupant = try occupant.flatMap { try tree.node($0.id) }
      .flatMap { $0.local?.node.place == sighting.place ? $0 : nil }
    if let occupant, !moved.contains(occupant.id) {
      let isEdit =
        occupant.local?.node.isSameKind(as: stat.kind) == true
        && (claim.map { stat.kind != .directory && !journal.isMeant($0.id, at: sighting.place) }
          ?? true)
      if isEdit {
        // The path comes first: an editor that renames a file over another one edits it, with any
        // inode.
        if let claim { missing.insert(claim.id) }
        missing.remove(occupant.id)
        return try replace(occupant, sighting, stat, like: claim, in: tree)
      }
      if mayBeUndone(occupant) {
        // It may be found elsewhere in this scan; otherwise the end of the scan decides.
        missing.insert(occupant.id)
      } else {
        try findOtherNames(of: tree.vanish(occupant.id), in: tree)
      }
    }
    if let claim {
      missing.remove(claim.id)
      try move(claim, sighting, stat, in: tree)
    } else {
      try create(sighting, stat, in: tree)
    }
  }

  private mutating func refresh(
    _ known: NodeRow, _ sighting: Sighting, _ stat: FileStat, in tree: FolderTree
  ) throws {
    guard !known.isUnchanged(stat), let local = known.local else { return }
    var row = known
    var node = local.node
    switch stat.kind {
    case .file:
      let isOnlyMode =
        local.shape.isExecutable != stat.isExecutable
        || hasModes && local.access.map { $0.mode != stat.mode & 0o777 } == true
        || stat.extended.map { $0 != local.shownExtended } == true
      // A changed ctime with everything else equal may hide an edit that restored the time.
      let isDoubtful = !isOnlyMode && !local.isUnread && local.changed != stat.changed
      if !known.hasSameBytes(as: stat) || isDoubtful { node.kind = .file(nil) }
    case .symlink: node.kind = .symlink(sighting.target ?? [])
    case .directory, .other: break
    }
    node.attributes = attributes(local, stat)
    // Nobody changed the extended attributes that nobody looked at before.
    if local.isUnread { node.attributes.extended = local.node.attributes.extended }
    row.local = NodeRow.Local(node, stat, after: local)
    try tree.put(row)
    try tree.markDirty(row.id)
  }

  private mutating func replace(
    _ known: NodeRow, _ sighting: Sighting, _ stat: FileStat, like: NodeRow?, in tree: FolderTree
  ) throws {
    var row = known
    var node = try node(sighting, stat)
    if let before = (like ?? known).local { node.attributes = attributes(before, stat) }
    if let like, like.hasSameBytes(as: stat), let kind = like.local?.node.kind { node.kind = kind }
    row.local = NodeRow.Local(node, stat, after: (like ?? known).local)
    try tree.put(row)
    try tree.markDirty(row.id)
    if stat.kind == .directory { unlisted.append(.list(row.id, path: sighting.fullPath)) }
  }

  private mutating func move(
    _ known: NodeRow, _ sighting: Sighting, _ stat: FileStat, in tree: FolderTree
  ) throws {
    var row = known
    var node = try node(sighting, stat)
    if let before = known.local {
      node.attributes = attributes(before, stat)
    } else if known.synced != nil {
      // Nobody knows whether its mode was changed while it was away. The zone's may narrow it.
      node = node.withoutMetadata
      row.synced = row.synced?.withoutMetadata
    }
    // Without an inode number it may be another file of this size and time, which is read.
    if known.hasSameBytes(as: stat), stat.kind != .file || stat.inode != 0,
      let kind = known.local?.node.kind
    {
      node.kind = kind
    }
    if stat.kind == .directory { movedDirectories.append(sighting.fullPath) }
    // The contents of the directory left with it at an earlier scan, and aren't known to be back.
    if stat.kind == .directory, known.local == nil {
      unlisted.append(.list(row.id, path: sighting.fullPath))
    }
    row.local = NodeRow.Local(node, stat, after: known.local)
    try tree.put(row)
    try tree.markDirty(row.id)
    // It is only guessed which directory it is.
    if stat.kind == .directory, stat.inode == 0 {
      unlisted += try Scanner.everything(from: row.id, sighting.fullPath, in: tree)
    }
  }

  private mutating func create(
    _ sighting: Sighting, _ stat: FileStat, in tree: FolderTree
  ) throws {
    madeNew = true
    let id = only?.id ?? ids.next()
    var row = try only.flatMap { try tree.node($0.id) } ?? NodeRow(id: id, local: nil, synced: nil)
    row.local = NodeRow.Local(try node(sighting, stat), stat)
    try tree.put(row)
    try tree.markDirty(row.id)
    if stat.kind == .directory { unlisted.append(.list(row.id, path: sighting.fullPath)) }
  }
}
