import CairnZone

/// The result for one record: the three-way merge of its local and remote node with the synced one
/// as the base, aspect by aspect. It considers this record only; `Survival` and `Collisions` add
/// the effects of records on each other, by names and directories.
struct Merge {
  /// The correction of the local node's identity that must come before steps.
  enum Correction: Equatable {
    case detach, setAside, renameAside
    case rescue(RescueCause)
  }

  let id: RecordID
  let local: Node?
  /// The state of the record in the log. Only `.nowhere` means that it was deleted.
  let presence: Presence
  /// The node that this mount shows of it; nil also if the record is outside of the mount.
  var shown: Node? { presence.node }
  /// The last agreed state, or its replacement.
  let synced: Node?
  /// A Boolean value that indicates whether the zone would accept a change of this very record.
  private let mayWrite: Bool
  /// A Boolean value that indicates whether the record is selected for the folder of this device.
  var isWanted: Bool
  /// The target of both sides, or of the zone alone if it isn't selected here; nil if neither side
  /// keeps it.
  var target: Node?
  /// A correction of identity that the record needs first.
  var correction: Correction?
  /// The reason that the record is left alone.
  var waits: Deferral?
  /// A Boolean value that indicates whether the local node is an earlier version than the noted
  /// agreement. That must be noted, because a later scan no longer knows that the folder was in an
  /// earlier state.
  private(set) var isBehind = false
  /// A Boolean value that indicates whether this is a directory, deleted on one side and unchanged
  /// on the other, that is deleted unless something stays in it.
  private(set) var isConditional = false

  /// A Boolean value that indicates whether the three trees agree, so that there is nothing to do.
  var isSettled: Bool {
    isWanted ? local == shown && local == synced : local == nil && synced == nil
  }
  /// A Boolean value that indicates whether the folder lacks or loses the record because it isn't
  /// selected on this device. The file stays while it has unsent changes, or waits for any reason.
  var isUnwanted: Bool {
    !isWanted && shown != nil && target == shown && correction == nil && waits == nil
  }
  /// A Boolean value that indicates whether an earlier plan moved the local node to a temporary
  /// name.
  var isParked: Bool { local?.place.parent == .parked }
  /// A Boolean value that indicates whether no commit ever had the local node.
  var isUnrecorded: Bool { local != nil && presence.isFree && synced == nil }

  /// Looks the record up in the three trees and merges it.
  init(_ id: RecordID, in trees: some Trees) throws {
    self.id = id
    mayWrite = try trees.mayWrite(id)
    isWanted = try trees.isWanted(id)
    local = try trees.local(id)
    presence = try trees.remote(id)
    let remote = presence.node
    let noted = try trees.synced(id)
    if let sent = try Self.sentBase(id, local, remote, noted, in: trees) {
      synced = sent
    } else {
      synced = try Self.base(id, local, remote, noted, in: trees)
      isBehind = synced != nil && synced != noted
    }
    if local?.kind == .file(nil) {
      guard try !trees.isDamaged(id) else {
        // The record's earlier state is in the zone, and returns to its position.
        target = remote
        correction = .rescue(.damage)
        return
      }
      waits = .unread
    }
    switch (local, remote) {
    case (nil, nil): target = nil
    case (let local?, nil): try mergeUnknown(local, in: trees)
    case (nil, let remote?):
      try mergeAbsent(remote, in: trees)
      // The entry at the record's position is an edit of it, not a deletion.
      if target == nil, try trees.isHeld(id), try trees.localChild(remote.place) == nil {
        target = remote
        isConditional = false
        waits = .held
      }
    case (let local?, let remote?):
      try merge(local, remote, in: trees)
    }
    if waits == nil, correction == nil, needsBytes, try trees.isBeingFetched(id) {
      waits = .unfetched
    }
  }

  /// A Boolean value that indicates whether the folder needs other bytes than it has.
  private var needsBytes: Bool {
    guard isWanted, case .file = target?.kind else { return false }
    return local?.kind != target?.kind
  }

  /// Returns the agreed state with the record's content, if this device sent that content from this
  /// folder, and the index forgot it: then the file here is a later edit. Nil otherwise.
  private static func sentBase(
    _ id: RecordID, _ local: Node?, _ remote: Node?, _ noted: Node?, in trees: some Trees
  ) throws -> Node? {
    guard trees.mayBeOlder, let remote, var base = noted, case .file(let content?) = local?.kind,
      case .file = remote.kind, case .file = base.kind, remote.kind != base.kind,
      local?.kind != remote.kind, local?.kind != base.kind,
      try !trees.isPastContent(content, of: id), try !trees.cameFromElsewhere(id),
      try trees.isForgotten(id)
    else { return nil }
    base.kind = remote.kind
    base.attributes.modified = remote.attributes.modified
    return base
  }

  /// Returns the last agreed state. In a folder that may be in an earlier state, an earlier version
  /// isn't an edit: the folder was behind at the agreement. If the bytes are those of another
  /// record, they may be a conflict copy, or may have moved. If they were written before the agreed
  /// file, they may have come back. Then the agreed state is unknown.
  private static func base(
    _ id: RecordID, _ local: Node?, _ remote: Node?, _ synced: Node?, in trees: some Trees
  ) throws -> Node? {
    guard trees.mayBeOlder, let local, let synced, case .file(let content?) = local.kind,
      local.kind != synced.kind, local.kind != remote?.kind
    else { return synced }
    let former = try trees.formerRecords(of: local)
    let isOlder = isOlder(local, than: synced)
    // A file that a person put there was agreed on long ago, if the record had it with its time.
    guard try isOlder || !trees.cameFromElsewhere(id) || former.contains(id) else { return synced }
    if try trees.isPastContent(content, of: id) { return local }
    return remote != nil && (isOlder || !former.isEmpty) ? nil : synced
  }

  /// Returns whether a file was last written before another one. If the folder may be in an earlier
  /// state, that file may have returned with bytes that its person wrote and never sent, although
  /// others took its position since.
  private static func isOlder(_ file: Node, than other: Node) -> Bool {
    file.attributes.modified < other.attributes.modified
  }

  /// Merges a record that the mount doesn't show: it is new here, or was deleted or moved out of
  /// the mount remotely.
  private mutating func mergeUnknown(_ local: Node, in trees: some Trees) throws {
    guard waits == nil else {
      target = local
      return
    }
    let isDirectory = local.kind == .directory
    if let synced, isUnchanged(local, since: synced),
      try isDirectory || !trees.cameFromElsewhere(id)
    {
      isConditional = isDirectory && mayWrite
    } else if mayWrite {
      target = local
      // The id of a record that is elsewhere is taken. Without a record the position of a node with
      // a temporary name is unknown.
      correction = synced != nil || !presence.isFree ? .detach : isParked ? .renameAside : nil
    } else if !isDirectory, local.kind != synced?.kind {
      correction = .rescue(.permission)
    }
  }

  /// Merges a record that the folder doesn't have: it is new remotely, or was deleted here. A
  /// deselected record is never treated as deleted.
  private mutating func mergeAbsent(_ remote: Node, in trees: some Trees) throws {
    if isWanted, mayWrite, let synced, isUnchanged(remote, since: synced),
      try !trees.mayBeUnfetched(id)
    {
      isConditional = remote.kind == .directory
    } else {
      target = remote
    }
  }

  private mutating func merge(_ local: Node, _ remote: Node, in trees: some Trees) throws {
    target = remote
    let isDirectory = local.kind == .directory
    guard local.kind.isSameSort(as: remote.kind) else {
      correction = mayWrite || isDirectory ? .detach : .rescue(.permission)
      // The entry here is a different one, and the record's former entry is no longer in the
      // folder.
      if correction == .detach {
        target = nil
        try mergeAbsent(remote, in: trees)
      }
      return
    }
    let base = try synced ?? inferredBase(local, remote, in: trees)
    guard mayWrite else {
      let isEdited = local.kind != remote.kind && local.kind != base?.kind
      if isEdited, waits == nil { correction = .rescue(.permission) }
      return
    }
    var merged = remote
    if !isParked { merged.place = merge3(local.place, remote.place, base: base?.place) }
    merged.attributes.isExecutable = merge3(
      local.attributes.isExecutable, remote.attributes.isExecutable,
      base: base?.attributes.isExecutable)
    if local.kind == remote.kind {
      merged.attributes.modified = merge3(
        local.attributes.modified, remote.attributes.modified, base: base?.attributes.modified)
    } else if remote.kind == base?.kind {
      // The time belongs to the bytes.
      merged.kind = local.kind
      merged.attributes.modified = local.attributes.modified
    } else if local.kind != base?.kind, waits == nil {
      merged = remote
      if isParked {
        correction = .detach
      } else if try trees.wasSetAside(local, for: id) {
        waits = .repeated
      } else {
        correction = .setAside
      }
    }
    merged.takeMode(local, remote, base: synced)
    merged.takeExtended(local, remote, base: synced)
    target = merged
  }

  /// Returns the replacement of a synced node that was lost with the index.
  private func inferredBase(_ local: Node, _ remote: Node, in trees: some Trees) throws -> Node? {
    guard local != remote else { return remote }
    if case .file(let content?) = local.kind, local.kind != remote.kind,
      try trees.isPastContent(content, of: id)
    {
      return local
    }
    guard try trees.isLastChangedHere(id) else { return nil }
    guard local.kind != remote.kind, trees.mayBeOlder, try !trees.isForgotten(id) else {
      return remote
    }
    // Bytes that another record had, with their time: they are old, or were moved here since.
    let isDoubtful =
      try !trees.formerRecords(of: local).isEmpty || Self.isOlder(local, than: remote)
    return isDoubtful ? nil : remote
  }

  /// Returns whether a deletion on the other side may delete the node: a changed time alone doesn't
  /// save it.
  private func isUnchanged(_ node: Node, since synced: Node) -> Bool {
    node.kind == synced.kind && node.attributes.isExecutable == synced.attributes.isExecutable
      && (node.place == synced.place || node.place.parent == .parked)
  }

  /// Reverts the local move: the target has the position of the zone.
  mutating func undoMove() {
    if let shown { target?.place = shown.place }
  }

  /// Keeps the directory, because something in it stays.
  /// - Throws: `BrokenRule` unless the directory would be removed.
  mutating func keep() throws(BrokenRule) {
    guard isConditional, target == nil else {
      throw BrokenRule("\(id) is kept, and it wasn't about to be removed")
    }
    if let shown {
      target = shown
    } else {
      target = local
      correction = .detach
    }
  }

  /// Makes the directory wait for a record that waits itself.
  mutating func wait(for child: RecordID) {
    target = shown ?? local
    waits = .blocked(by: child)
  }
}

extension Node {
  /// Merges the modes of both sides. A node without a mode says nothing about it. Without an agreed
  /// mode that of the zone counts: the one of the folder may be narrower only because of the rules
  /// of this device, and these are no change.
  fileprivate mutating func takeMode(_ local: Node, _ remote: Node, base: Node?) {
    let (own, other) = (local.attributes.mode, remote.attributes.mode)
    let agreed = base?.attributes.mode
    attributes.mode = own == nil || other != nil && other != agreed ? other : own
    guard let mode = attributes.mode, case .file = kind else { return }
    attributes.mode = Attributes.mode(mode, isExecutable: attributes.isExecutable)
  }

  /// Merges the extended attributes of both sides, each by itself. A node without any says nothing
  /// about them. If they are too many together, those of the zone count.
  fileprivate mutating func takeExtended(_ local: Node, _ remote: Node, base: Node?) {
    let (own, other) = (local.attributes.extended, remote.attributes.extended)
    attributes.extended = other ?? own
    guard let own, let other, own != other else { return }
    let agreed = base?.attributes.extended ?? [:]
    var merged = other
    for name in Set(own.keys).union(agreed.keys) where other[name] == agreed[name] {
      merged[name] = own[name]
    }
    let bytes = merged.reduce(0) { $0 + $1.key.count + $1.value.count }
    if bytes <= Attributes.mostExtendedBytes { attributes.extended = merged }
  }
}

/// Merges one aspect of three sides: the changed side wins, or the log if both changed.
private func merge3<Value: Equatable>(_ local: Value, _ remote: Value, base: Value?) -> Value {
  remote == base ? local : remote
}

extension Node.Kind {
  /// Returns whether both are files, both directories, or both symbolic links.
  func isSameSort(as other: Node.Kind) -> Bool {
    switch (self, other) {
    case (.file, .file), (.directory, .directory), (.symlink, .symlink): true
    default: false
    }
  }
}
