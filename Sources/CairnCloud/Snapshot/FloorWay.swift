import CairnIndex
import CairnStore
import CairnZone

/// The way into a log whose entries below a floor aren't there any more, or needn't be read: by the
/// floor's snapshot. It decides which floor counts; it owns nothing.
struct FloorWay {
  let replica: ZoneReplica

  init(_ replica: ZoneReplica) { self.replica = replica }

  private var folder: ZoneFolder { replica.folder }
  private var floors: Floors { Floors(folder: folder, store: replica.store) }

  /// A floor whose snapshot is folded, as long as the log hasn't shown that it is one of its own.
  struct Taken {
    /// The floor's place.
    let checkpoint: UInt64
    /// What tells of it.
    let object: ObjectKey
    /// What was known before: to the newest epoch of these keys the log must come.
    let keys: Keyring
    /// By what the log must come, if it was told and isn't below the floor.
    let anchor: LogAnchor?
  }

  /// Goes on from the highest floor above what is folded, if there is one that counts.
  /// - Parameters:
  ///   - last: no floor above that place.
  ///   - vain: what tells of floors that the log was seen not to go on from.
  /// - Returns: whether there is one, so that what is folded is its snapshot.
  /// - Throws: `CloudError` if the container can't be read.
  func take(upTo last: UInt64, except vain: Set<ObjectKey>) throws -> Bool {
    guard replica.header.kind == .owned, !replica.header.isPurged else { return false }
    let (keys, given, anchor) = (try EpochMarks(replica).knownKeys(), replica.keys, replica.anchor)
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
        // A lower one may be whole, or the entries themselves be there yet.
        continue
      }
      replica.looks.taken = Taken(
        checkpoint: told.checkpoint, object: told.object, keys: given, anchor: anchor)
      return true
    }
    return false
  }

  /// Whether an entry of ours that was put behind one which is gone counts: a floor stands above
  /// it, and says so.
  /// - Parameters:
  ///   - digest: the entry's.
  ///   - place: where it was put.
  /// - Returns: nil if no floor stands above it.
  /// - Throws: `CloudError` if the container can't be read.
  func counts(_ digest: Bytes32, at place: UInt64) throws -> Bool? {
    let keys = try EpochMarks(replica).knownKeys()
    for told in try floors.told(keys) where told.checkpoint >= place {
      guard let snapshot = try floors.read(told),
        try author(of: snapshot, told.key, keys) != nil, try isOfThisLog(snapshot.passed)
      else { continue }
      return snapshot.passed.digest(at: place) == digest
    }
    return nil
  }

  /// Who raised the floor that a snapshot is of, if all of it holds together and they may: its
  /// entry stands in the log, and is by who owns the zone as far as is known here.
  private func author(of snapshot: Snapshot, _ key: ZoneKey, _ keys: Keyring) throws -> Stamp? {
    guard SnapshotHeader(snapshot.header).isOf(folder), snapshot.header.epoch == key.epoch,
      snapshot.place > snapshot.header.sequence,
      try replica.find(at: folder.place(snapshot.place, key)) == .bytes(snapshot.entry)
    else { return nil }
    do {
      guard let commit = try replica.opened(snapshot.entry, at: snapshot.place, keys)?.commit,
        commit.epoch == key.epoch, snapshot.floor(in: commit) != nil
      else { return nil }
      // Below what whoever let this person in had read, they have seen that it is valid. Who wasn't
      // given the first key can't see whose log it is but by who raised the floor.
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

  /// Whether what was read here is what the owner says of the same places.
  private func isOfThisLog(_ passed: PassedPlaces) throws -> Bool {
    let read = replica.header.sequence
    if read > 0 {
      let known = try replica.index.read { db in
        let state = try IndexedZone(db, zone: folder.zone, header: replica.header)
        for place in PassedPlaces.places(upTo: passed.last).reversed() where place <= read {
          if let own = try state.digest(at: place), let told = passed.digest(at: place) {
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
    // The first entry proves its key, though it isn't folded.
    if let first = keys[1],
      EntryCodec.nonce(of: snapshot.first, zone: folder.zone, keys: Keyring([first])) != nil
    {
      opened.append(first)
    }
    try replica.enter(snapshot.header, opened)
    // Whatever stands below it, the floor's word counts for.
    if let anchor = replica.anchor, anchor.sequence <= snapshot.header.sequence {
      replica.anchor = nil
    }
  }

  /// Makes sure that the log says of the floor what was believed for its entry's sake alone, and
  /// that it goes on to the newest epoch whose key was handed out: whoever was removed, or has a
  /// device that was revoked, knows older ones, and could show a log of their own under them.
  /// - Throws: `CloudError` if it doesn't.
  func check() throws {
    guard try !isProven(), let taken = replica.looks.taken else { return }
    throw CloudError(
      .assetNotAvailable,
      "disputed: the log of zone \(folder.zone) doesn't say what its snapshot at entry "
        + "\(taken.checkpoint) says of it",
      remedy: "tell the owner of the share; nothing of it was taken")
  }

  /// Whether what is folded began with no floor, or with one that the log is seen to go on from.
  /// - Throws: `CloudError` if the container can't be read.
  func isProven() throws -> Bool {
    guard let taken = replica.looks.taken else { return true }
    let isFolded = replica.header.floor.map { $0.checkpoint >= taken.checkpoint } ?? false
    guard isFolded, replica.header.epoch >= taken.keys.latest?.epoch ?? 0,
      try !isEndedBelow(taken)
    else { return false }
    replica.looks.taken = nil
    return true
  }

  /// Forgets all that began with a floor that the log doesn't go on from.
  /// - Throws: what SQLite says.
  func drop(_ taken: Taken) throws {
    try replica.forgetFold(keeping: taken.keys)
    replica.anchor = taken.anchor
  }

  /// Whether the owner ended the epoch in force before the floor: it is of another log then, by
  /// somebody who has old keys, and whoever was away knows no newer ones.
  private func isEndedBelow(_ taken: Taken) throws -> Bool {
    guard let key = replica.keys[max(replica.header.epoch, 1)],
      let copies = try replica.find(at: folder.end(of: key)).bytes.flatMap({ LogCopies($0) }),
      copies.place <= taken.checkpoint, let entry = copies.entries.last,
      let raise = try replica.opened(entry, at: copies.place, replica.keys)?.commit
    else { return false }
    return raise.nextKey != nil && raise.epoch == key.epoch && owners.contains(raise.author.user)
      && !replica.people.hasRevoked(raise.author)
  }

  /// Whether a crash left the snapshot of a floor that the log didn't show to be one of its own.
  /// - Throws: what SQLite says.
  func isLeftUnproven() throws -> Bool {
    try replica.index.read { db in
      let state = try IndexedZone(db, zone: folder.zone, header: replica.header)
      // Up to a snapshot's place nobody knows under which epoch entries stood.
      return try replica.header.checkpoints.contains { try state.epoch(at: $0) == 0 }
    }
  }
}

extension ZoneReplica {
  /// Opens an entry that is needed for what it says, whoever may have put it where it was found;
  /// nil if it is none.
  func opened(
    _ bytes: [UInt8], at sequence: UInt64, _ keys: Keyring
  ) throws -> EntryCodec.Opened? {
    do { return try open(bytes, at: sequence, keys: keys) } catch is EntryRefused { return nil }
  }

  /// Goes on behind a state that was put into the index, which these keys opened.
  fileprivate func enter(_ header: ZoneHeader, _ opened: [ZoneKey]) throws {
    (course, trouble, ended) = (LogCourse(), nil, nil)
    self.header = header
    for key in opened {
      keys.insert(key)
      proven.insert(key.epoch)
    }
    let known = provenKeys
    try index.write { db in try IndexedZone(db, zone: zone, header: header).save(known) }
  }
}
