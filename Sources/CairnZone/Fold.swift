/// The pure replay step: it computes the state of a zone after an entry of its log from the state
/// before and the entry. It owns the order of the rules. It must not know the storage of the state,
/// the seal of an entry, or the time.
///
/// `CairnReplica` checks signatures, the digest of an entry, and the link between the zone's id and
/// its owner before.
public enum Fold {
  /// The version of this program's rules.
  public static let version: UInt32 = 1

  /// Computes the effect of `commit`, stored with digest `digest` at position `sequence`, on
  /// `state`.
  ///
  /// A commit is atomic: one invalid change refuses all of it. The same commit on an equal state
  /// gives an equal verdict everywhere. The cost follows the number of changes and the depth of
  /// moved directories, never the size of the zone.
  ///
  /// - Precondition: `sequence` is the position after `state.header.sequence`.
  /// - Throws: only errors of `state`.
  public static func judge(
    _ commit: Commit, at sequence: UInt64, digest: Bytes32, on state: some ZoneState
  ) throws -> Verdict {
    let before = try state.header
    precondition(
      sequence == before.sequence + 1, "a log is folded one entry after the other, in order")
    do {
      return .applied(
        try delta(of: commit, at: sequence, digest: digest, after: before, on: state))
    } catch let refused as Refused {
      return .refused(refused.refusal)
    }
  }

  /// The header at the next position, with that digest.
  ///
  /// - Precondition: `sequence` is the position after `header.sequence`.
  public static func advanced(
    at sequence: UInt64, digest: Bytes32, on header: ZoneHeader
  ) -> ZoneHeader {
    precondition(
      sequence == header.sequence + 1, "a log is folded one entry after the other, in order")
    var header = header
    header.sequence = sequence
    header.head = digest
    return header
  }

  private static func delta(
    of commit: Commit, at sequence: UInt64, digest: Bytes32, after before: ZoneHeader,
    on state: some ZoneState
  ) throws -> Delta {
    guard commit.previous == before.head else {
      throw Refused(
        .serverRecordChanged, nil,
        "The commit was made for another state of the zone; make it anew.")
    }
    // The rights before the commit decide: no commit can grant the rights that it needs.
    let opened = try openedHeader(before, by: commit, at: sequence)
    let rights = opened.rights(of: commit.author.user)
    try checkRights(rights, for: commit, in: opened)

    let stamp = Stamp(
      sequence: sequence, user: commit.author.user, device: commit.author.device,
      time: commit.time)
    var delta = Delta(header: advanced(at: sequence, digest: digest, on: opened))
    try takeShare(commit, rights, stamp, after: before, in: &delta.header)

    try takePast(commit, after: before, on: state, in: &delta)
    try takeChunks(of: commit, rights, after: before, on: state, in: &delta)
    var rules = RecordRules(
      state: state, stamp: stamp, newChunks: Set(delta.chunks.lazy.map(\.name)),
      carried: before.carried)
    if before.genesis == nil { rules.makeRoot() }
    try rules.apply(commit.records)
    delta.saved = rules.saved
    delta.deleted = rules.deleted
    delta.left = rules.left
    try takeSize(rules, in: &delta.header)
    return delta
  }

  /// Computes share, zone and epoch after the commit.
  private static func takeShare(
    _ commit: Commit, _ rights: Set<Right>, _ stamp: Stamp, after before: ZoneHeader,
    in header: inout ZoneHeader
  ) throws(Refused) {
    if header.kind == .public, !commit.share.allSatisfy(\.isOfPublicZones) {
      throw Refused(.invalidArguments, nil, "A public zone has no share.")
    }
    header.share = try ShareRules(
      owner: header.owner, author: commit.author.user, rights: rights, stamp: stamp,
      closings: before.closings
    ).share(after: commit.share, from: before.share)
    let isMember = !rights.isEmpty || before.isMember(stamp.user)
    try ZoneRules(author: commit.author, rights: rights, isMember: isMember)
      .apply(commit.share, to: &header, stamp: stamp)
    if header.share != before.share { header.share?.changed = stamp }
    header.keys = try KeyRules(author: commit.author.user, before: before)
      .keys(bringing: commit.keys, in: header)
    if header.isNarrower(than: before, by: commit.share) { header.isRekeyDue = true }
    if commit.nextKey != nil {
      header.epoch += 1
      header.isRekeyDue = false
    }
  }

  /// Computes the bytes of all files after the commit. Growth beyond the owner's limit is refused.
  private static func takeSize(
    _ rules: RecordRules<some ZoneState>, in header: inout ZoneHeader
  ) throws(Refused) {
    let (bytes, overflows) = header.bytes.addingReportingOverflow(rules.added)
    guard !overflows else { throw Refused(.limitExceeded, nil, "The files are too large.") }
    header.bytes = bytes - min(bytes, rules.removed)
    if let quota = header.quota, header.bytes > quota, rules.added > rules.removed {
      throw Refused(
        .quotaExceeded, rules.saved.keys.min(),
        "The zone would have \(header.bytes) bytes, and its owner's limit is \(quota).")
    }
  }

  /// The header with the commit's statements about the zone as a whole: genesis and epoch.
  private static func openedHeader(
    _ before: ZoneHeader, by commit: Commit, at sequence: UInt64
  ) throws(Refused) -> ZoneHeader {
    var header = before
    guard (commit.lock != nil) == (before.kind == .public) else {
      throw Refused(
        .invalidArguments, nil, "In public zones, and only there, an entry locks the next place.")
    }
    header.lock = commit.lock
    if sequence == 1 {
      guard let genesis = commit.genesis else {
        throw Refused(.zoneNotFound, nil, "The first commit of a zone must say whose it is.")
      }
      guard genesis.owner == commit.author.user else {
        throw Refused(.permissionFailure, nil, "A zone can only be made by its owner.")
      }
      guard commit.epoch == 1 else {
        throw Refused(.invalidArguments, nil, "The first key epoch of a zone is 1.")
      }
      guard genesis.name.utf8.count <= Share.maximumTitleSize else {
        throw Refused(
          .invalidArguments, nil,
          "The name of a zone has at most \(Share.maximumTitleSize) bytes.")
      }
      // A zone starts at the location of its creation.
      header.genesis = Genesis(owner: genesis.owner, name: genesis.name)
      header.owner = header.kind == .owned ? genesis.owner : nil
      header.site = genesis.site.map { Site(id: $0, location: "") }
    } else {
      guard commit.genesis == nil else {
        throw Refused(.invalidArguments, nil, "Only the first commit of a zone may found it.")
      }
      guard before.genesis != nil else {
        throw Refused(.zoneNotFound, nil, "The zone was never founded by a valid first commit.")
      }
      guard !before.isPurged else {
        throw Refused(.userDeletedZone, nil, "The owner ended the zone.")
      }
      guard before.minimumVersion <= version else {
        throw Refused(
          .incompatibleVersion, nil,
          "The zone needs version \(before.minimumVersion) of the rules, and this program knows "
            + "\(version): install a newer Cairn.")
      }
      guard commit.epoch == before.epoch else {
        throw Refused(
          .invalidArguments, nil,
          "The entry is of key epoch \(commit.epoch), and \(before.epoch) is in force.")
      }
      guard !before.revokedDevices.contains(commit.author) else {
        throw Refused(.permissionFailure, nil, "The author's device was revoked before.")
      }
      guard before.kind == .owned || commit.author.user == before.genesis?.owner else {
        throw Refused(.permissionFailure, nil, "Only who publishes writes into a public zone.")
      }
    }
    header.epoch = commit.epoch
    return header
  }

  /// Checks the rights for the commit as a whole. Each share change also has a rule of its own.
  private static func checkRights(
    _ rights: Set<Right>, for commit: Commit, in header: ZoneHeader
  ) throws(Refused) {
    if commit.nextKey != nil {
      guard rights.contains(.administer), header.kind == .owned else {
        throw Refused(
          .permissionFailure, nil, "Only the owner or an administrator may raise the key epoch.")
      }
    }
    // A commit without any change counts as a write, too, so that strangers cannot fill the log.
    let isEmpty =
      commit.records.isEmpty && commit.chunks.isEmpty && commit.share.isEmpty
      && commit.keys.isEmpty
    let writes =
      !commit.records.isEmpty || !commit.chunks.isEmpty || (isEmpty && commit.nextKey == nil)
    if writes, !rights.contains(.write) {
      throw Refused(
        .permissionFailure, commit.records.first?.id,
        "The author may not change records here; ask the owner for permission to write.")
    }
  }

  /// The new chunks and the moved chunks. Of several entries with one name, the first counts.
  private static func takeChunks(
    of commit: Commit, _ rights: Set<Right>, after before: ZoneHeader, on state: some ZoneState,
    in delta: inout Delta
  ) throws {
    var names: Set<ChunkName> = []
    guard commit.chunks.count(where: { $0.after != nil }) <= ChunkEntry.mostAfter else {
      throw Refused(.limitExceeded, nil, "A commit has too many chunks that grew from others.")
    }
    for stated in commit.chunks {
      let entry = try whole(stated, on: state)
      if let pack = entry.pack { try checkPack(pack, after: before, on: state) }
      if entry.isAgain { try checkMove(of: entry, rights, on: state) }
      guard names.insert(entry.name).inserted else { continue }
      if entry.isAgain {
        delta.movedChunks.append(entry)
      } else if try !state.hasChunk(entry.name) {
        delta.chunks.append(entry)
      }
    }
  }

  /// Returns a chunk as the zone gets it. One that begins with a chunk of the zone, as it was
  /// before the commit, gets the pack and the place of that one, and its own place behind it.
  private static func whole(
    _ entry: ChunkEntry, on state: some ZoneState
  ) throws -> ChunkEntry {
    guard let other = entry.after else { return entry }
    guard entry.pack == nil, !entry.isAgain, let start = try state.chunk(other),
      start.place.count + entry.place.count <= ChunkEntry.longestPlace
    else {
      throw Refused(
        .referenceViolation, nil, "A chunk grew from one that the zone doesn't have; store it anew."
      )
    }
    return ChunkEntry(
      name: entry.name, size: entry.size, place: start.place + entry.place, pack: start.pack)
  }

  /// Checks the generation of a pack. Owners raise the generation in one zone after another, and
  /// records that move between their zones keep their packs, so a pack may be one generation ahead.
  /// A pack far ahead would never be closed.
  private static func checkPack(
    _ pack: PackStamp, after before: ZoneHeader, on state: some ZoneState
  ) throws {
    guard before.canHaveOpened(pack) else {
      throw Refused(.referenceViolation, nil, "A chunk stands in a pack that nobody has opened.")
    }
    if pack.generation < before.generation, try !state.keepsPack(pack.pack) {
      throw Refused(
        .referenceViolation, nil, "A chunk stands in a pack that is closed; store it anew.")
    }
  }

  /// Returns whether a commit may add a chunk in such a pack.
  public static func accepts(_ pack: PackStamp, on state: some ZoneState) throws -> Bool {
    let header = try state.header
    guard header.canHaveOpened(pack) else { return false }
    return try pack.generation >= header.generation || state.keepsPack(pack.pack)
  }

  /// Returns whether a commit may add a chunk that begins with another one. True for all other
  /// chunks.
  public static func accepts(_ entry: ChunkEntry, on state: some ZoneState) throws -> Bool {
    guard entry.after != nil else { return true }
    let whole: ChunkEntry
    do { whole = try Self.whole(entry, on: state) } catch is Refused { return false }
    return try whole.pack.map { try accepts($0, on: state) } ?? true
  }

  private static func checkMove(
    of entry: ChunkEntry, _ rights: Set<Right>, on state: some ZoneState
  ) throws {
    guard rights.contains(.own) else {
      throw Refused(.permissionFailure, nil, "Only the owner may pack anew what the zone has.")
    }
    guard try state.size(ofChunk: entry.name) == entry.size else {
      throw Refused(.referenceViolation, nil, "The zone has no such chunk to be packed anew.")
    }
  }

  /// Applies the removal of history: by a log start, whose digest must match the state here, and by
  /// closing packs, which must leave each live record its chunks.
  private static func takePast(
    _ commit: Commit, after before: ZoneHeader, on state: some ZoneState, in delta: inout Delta
  ) throws {
    for case .zone(let change) in commit.share {
      switch change {
      case .floor(let floor):
        guard before.checkpoints.contains(floor.checkpoint),
          try state.digest(ofCheckpoint: floor.checkpoint) == floor.digest
        else {
          throw Refused(
            .serverRecordChanged, nil,
            "The floor names a state at place \(floor.checkpoint) that isn't the one here.")
        }
        delta.forgottenDeletions = floor.forgotten
      case .retire(let retirement):
        guard commit.records.isEmpty, commit.chunks.isEmpty else {
          throw Refused(.invalidArguments, nil, "A commit that closes packs changes no records.")
        }
        guard delta.retirement == nil else {
          throw Refused(.invalidArguments, nil, "A commit closes packs once.")
        }
        if let record = try state.record(closedOutBy: retirement) {
          throw Refused(
            .referenceViolation, record, "The record needs a pack that would be closed.")
        }
        delta.retirement = retirement
      case .forget(let forgetting): delta.forgotten.append(forgetting)
      case .closePast:
        guard commit.nextKey != nil, commit.records.isEmpty, commit.chunks.isEmpty else {
          throw Refused(
            .invalidArguments, nil,
            "A commit that closes the past raises the epoch, and changes no records.")
        }
        delta.closesPast = true
      case .goesOn: try checkEnd(commit, after: before)
      default: break
      }
    }
  }
}

extension Fold {
  /// Checks that the last entry at a location has no other content, because its readers know only
  /// the entries before it.
  private static func checkEnd(_ commit: Commit, after before: ZoneHeader) throws(Refused) {
    guard commit.records.isEmpty, commit.chunks.isEmpty, commit.share.count == 1,
      before.kind == .public || commit.nextKey != nil
    else {
      throw Refused(
        .invalidArguments, nil,
        "A commit that says where the zone goes on raises the epoch, and changes nothing else.")
    }
  }
}

extension ZoneHeader {
  /// Returns whether a zone of the owner can have opened the pack's generation by now.
  public func canHaveOpened(_ pack: PackStamp) -> Bool {
    pack.generation == 0 || pack.generation - 1 <= generation
  }
}

extension ShareChange {
  /// A Boolean value that indicates whether the change concerns the author's own devices or the
  /// location, and so needs no share.
  fileprivate var isOfPublicZones: Bool {
    switch self {
    case .zone(.revokeDevice), .zone(.goesOn): true
    default: false
    }
  }
}
