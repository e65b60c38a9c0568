import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// The start of a log by the snapshot of its log start, if the entries below it are deleted or need
/// not be read. It decides which log start counts; it owns nothing.
struct SnapshotBootstrap {
  let replica: ZoneReplica

  init(_ replica: ZoneReplica) { self.replica = replica }

  private var folder: ZoneFolder { replica.folder }
  private var floors: Floors { Floors(folder: folder, store: replica.store) }

  /// A log start whose snapshot is loaded, until the log confirms it.
  struct Taken {
    /// The position of the log start.
    let checkpoint: UInt64
    /// The pointer to it.
    let object: ObjectKey
    /// The keys known before: the log must reach the newest epoch of these.
    let keys: Keyring
    /// The anchor of the log, if there is one above the log start.
    let anchor: LogAnchor?
  }

  /// Continues from the highest valid log start above the replayed position, if there is one.
  /// - Parameters:
  ///   - last: The highest allowed position of a log start.
  ///   - vain: Pointers to log starts that the log did not confirm.
  /// - Returns: whether there is one, whose snapshot is then loaded.
  /// - Throws: `CloudError` if the container cannot be read.
  func take(upTo last: UInt64, except vain: Set<ObjectKey>) throws -> Bool {
    guard replica.header.kind == .owned, !replica.header.isPurged else { return false }
    let (keys, given, anchor) = (
      try EpochEndRecords(replica).knownKeys(), replica.keys, replica.anchor
    )
    for told in try floors.told(keys)
    where told.checkpoint > replica.header.sequence && told.checkpoint <= last
      && !vain.contains(told.object)
    {
      guard let snapshot = try floors.read(told),
        let raised = try author(of: snapshot, told.key, keys), try isOfThisLog(snapshot.passed)
      else { continue }
      do {
        try load(snapshot, by: raised, told.key, keys)
      } catch is SnapshotDamage {
        // A lower one may be whole, or the entries themselves may still exist.
        continue
      }
      replica.looks.taken = Taken(
        checkpoint: told.checkpoint, object: told.object, keys: given, anchor: anchor)
      return true
    }
    return false
  }

  /// Returns whether our entry counts although the entry before it was deleted: a log start above
  /// it says so.
  /// - Parameters:
  ///   - digest: The digest of the entry.
  ///   - place: Its position.
  /// - Returns: nil if there is no log start above it.
  /// - Throws: `CloudError` if the container cannot be read.
  func counts(_ digest: Bytes32, at place: UInt64) throws -> Bool? {
    let keys = try EpochEndRecords(replica).knownKeys()
    for told in try floors.told(keys) where told.checkpoint >= place {
      guard let snapshot = try floors.read(told),
        try author(of: snapshot, told.key, keys) != nil, try isOfThisLog(snapshot.passed)
      else { continue }
      return snapshot.passed.digest(at: place) == digest
    }
    return nil
  }

  /// The author of the log start of a snapshot, if everything is consistent and they may do it: its
  /// entry is in the log, and is by the zone's owner as far as known here.
  private func author(of snapshot: Snapshot, _ key: ZoneKey, _ keys: Keyring) throws -> Stamp? {
    guard SnapshotHeader(snapshot.header).isOf(folder), snapshot.header.epoch == key.epoch,
      snapshot.place > snapshot.header.sequence,
      try replica.find(at: folder.place(snapshot.place, key)) == .bytes(snapshot.entry)
    else { return nil }
    do {
      guard let commit = try replica.opened(snapshot.entry, at: snapshot.place, keys)?.commit,
        commit.epoch == key.epoch, snapshot.floor(in: commit) != nil
      else { return nil }
      // The inviter has already verified every entry up to their position. Without the first key,
      // only the author of the log start shows whose log it is.
      let isAnchored =
        replica.keys[1] != nil && replica.anchor.map { $0.sequence >= snapshot.place } ?? false
      guard isAnchored || owners.contains(commit.author.user) else { return nil }
      return Stamp(
        sequence: snapshot.place, user: commit.author.user, device: commit.author.device,
        time: commit.time)
    } catch is EntryRefused {
      return nil
    }
  }

  private var owners: Set<UserID> {
    Set([replica.header.owner ?? replica.loose.owner, folder.founder].compactMap { $0 })
  }

  /// Returns whether the entries that were read here agree with the owner's statement about these
  /// positions.
  private func isOfThisLog(_ passed: PassedPositions) throws -> Bool {
    let read = replica.header.sequence
    if read > 0 {
      let known = try replica.index.read { db in
        let state = try IndexedZone(db, zone: folder.zone, header: replica.header)
        for place in PassedPositions.places(upTo: passed.last).reversed() where place <= read {
          if let own = try state.log.digest(at: place), let told = passed.digest(at: place) {
            return own == told
          }
        }
        return true
      }
      guard known else { return false }
    }
    guard let anchor = replica.anchor, let told = passed.digest(at: anchor.sequence) else {
      return true
    }
    return told == anchor.digest
  }

  private func load(
    _ snapshot: Snapshot, by raised: Stamp, _ key: ZoneKey, _ keys: Keyring
  ) throws {
    let reader = SnapshotReader(
      folder: folder, store: replica.store, key: key, keys: keys)
    try replica.index.write { db in
      try reader.load(
        snapshot, by: raised, into: IndexedZone(db, zone: folder.zone, header: replica.header))
    }
    var opened = [key] + snapshot.hidden.compactMap { keys[$0.epoch] }
    // The first entry proves its key, though it is not replayed.
    if let first = keys[1],
      EntryCodec.nonce(of: snapshot.first, zone: folder.zone, keys: Keyring([first])) != nil
    {
      opened.append(first)
    }
    try replica.enter(snapshot.header, opened)
    // For positions below it, the log start's statement counts.
    if let anchor = replica.anchor, anchor.sequence <= snapshot.header.sequence {
      replica.anchor = nil
    }
  }

  /// Checks that the log confirms the log start, which was only trusted because of its entry, and
  /// that it reaches the newest epoch with a known key. Removed people and revoked devices know
  /// older keys, and could show a log of their own under them.
  /// - Throws: `CloudError` if it does not.
  func check() throws {
    guard try !isProven(), let taken = replica.looks.taken else { return }
    throw CloudError(
      .assetNotAvailable,
      "disputed: the log of zone \(folder.zone) doesn't say what its snapshot at entry "
        + "\(taken.checkpoint) says of it",
      remedy: "tell the owner of the share; nothing of it was taken")
  }

  /// Returns whether the replayed state began without a log start, or with one that the log
  /// confirmed.
  /// - Throws: `CloudError` if the container cannot be read.
  func isProven() throws -> Bool {
    guard let taken = replica.looks.taken else { return true }
    let isFolded = replica.header.floor.map { $0.checkpoint >= taken.checkpoint } ?? false
    guard isFolded, replica.header.epoch >= taken.keys.latest?.epoch ?? 0,
      try !isEndedBelow(taken)
    else { return false }
    replica.looks.taken = nil
    return true
  }

  /// Forgets everything that began with an unconfirmed log start.
  /// - Throws: errors of SQLite.
  func drop(_ taken: Taken) throws {
    try replica.forgetFold(keeping: taken.keys)
    replica.anchor = taken.anchor
  }

  /// Returns whether the owner ended the epoch in force before the log start. Then it belongs to
  /// another log by a holder of old keys, and a reader who was away knows no newer ones.
  private func isEndedBelow(_ taken: Taken) throws -> Bool {
    guard let key = replica.keys[max(replica.header.epoch, 1)],
      let copies = try replica.find(at: folder.end(of: key)).bytes.flatMap({ LogCopies($0) }),
      copies.place <= taken.checkpoint, let entry = copies.entries.last,
      let raise = try replica.opened(entry, at: copies.place, replica.keys)?.commit
    else { return false }
    return raise.nextKey != nil && raise.epoch == key.epoch && owners.contains(raise.author.user)
      && !replica.people.hasRevoked(raise.author)
  }

  /// Returns whether a crash left the snapshot of an unconfirmed log start.
  /// - Throws: errors of SQLite.
  func isLeftUnproven() throws -> Bool {
    try replica.index.read { db in
      let state = try IndexedZone(db, zone: folder.zone, header: replica.header)
      // Up to a snapshot's position, nobody knows the epochs of entries.
      return try replica.header.checkpoints.contains { try state.log.epoch(at: $0) == 0 }
    }
  }
}

extension ZoneReplica {
  /// Opens an entry that is needed for its content, wherever it was found; nil if it is none.
  func opened(
    _ bytes: [UInt8], at sequence: UInt64, _ keys: Keyring
  ) throws -> EntryCodec.Opened? {
    do { return try open(bytes, at: sequence, keys: keys) } catch is EntryRefused { return nil }
  }

  /// Continues after a state that was loaded into the index, which these keys opened.
  fileprivate func enter(_ header: ZoneHeader, _ opened: [ZoneKey]) throws {
    (cursor.expected, cursor.trouble, ended) = (ExpectedEntries(), nil, nil)
    self.header = header
    for key in opened {
      keys.insert(key)
      proven.insert(key.epoch)
    }
    let known = provenKeys
    try index.write { db in try IndexedZone(db, zone: zone, header: header).log.save(known) }
  }
}
