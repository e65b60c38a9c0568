import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// Replays entries that were fetched: it opens them, and has the rules judge their commits. It owns
/// nothing.
struct EntryReplay {
  private let replica: ZoneReplica

  init(_ replica: ZoneReplica) { self.replica = replica }

  private var header: ZoneHeader { replica.header }
  private var zone: ZoneID { replica.zone }
  private var people: People { replica.people }
  private var account: Account { replica.account }

  /// Replays entries in order, in one transaction, while they are valid.
  /// - Returns: the reason for stopping, if it did.
  func fold(_ batch: LogBatch, into pulled: inout PulledEntries) throws -> LogStop? {
    var fold = Folding(header: header, keys: replica.keys, proven: replica.proven)
    let first = max(header.epoch, 1)
    let (entries, place) = (batch.entries, try replica.openPlace())
    var stored: (header: ZoneHeader, keys: Keyring)?
    try replica.index.write { db in
      stored = try replica.stateAhead(db)
      guard stored == nil else { return }
      for (position, entry) in entries.enumerated() {
        // Behind an entry that raises the epoch the positions have other names.
        let isOver = fold.stopped != nil || fold.failure != nil
        if isOver || max(fold.header.epoch, 1) != first { break }
        let next = position + 1 < entries.count ? entries[position + 1].found : batch.behind
        let before = fold.header.sequence
        let state = try IndexedZone(db, zone: zone, header: fold.header)
        try take(entry, before: next, &fold, state)
        if fold.header.sequence > before { try state.log.note(place, at: entry.sequence) }
      }
      try replica.noteAge(of: fold.header, db)
    }
    if let stored {
      pulled.applied += Int(stored.header.sequence) - Int(header.sequence)
      replica.goOn(from: stored.header, stored.keys)
      return nil
    }
    (replica.header, replica.keys, replica.proven) = (fold.header, fold.keys, fold.proven)
    if fold.pulled.applied > 0 { replica.last = (header.head, first) }
    replica.cursor.expected.drop(upTo: header.sequence)
    pulled.applied += fold.pulled.applied
    replica.ended = fold.raised ?? replica.ended
    try EpochEndRecords(replica).putOfLastRaise()
    try hear(fold.heads)
    if let failure = fold.failure { throw failure }
    return fold.stopped
  }

  /// Compares authors' statements about their own chains with the container.
  private func hear(_ heads: [UserID: ChainHead]) throws {
    do {
      for (user, head) in heads { try people.hear(head, of: user) }
    } catch let error as StoreError {
      // The next commit repeats it.
      guard error.isWorthRetrying else { return }
      throw CloudError(error)
    }
  }

  /// The state of a replica in one transaction.
  private struct Folding {
    var header: ZoneHeader
    var keys: Keyring
    var proven: Set<UInt64>
    var pulled = PulledEntries()
    /// Each author's last statement about their own chain.
    var heads: [UserID: ChainHead] = [:]
    var stopped: LogStop?
    var failure: CloudError?
    /// The entry that raised the epoch, and the epoch that it ended.
    var raised: (epoch: UInt64, sequence: UInt64)?
  }

  private func take(
    _ entry: LogBatch.Placed, before next: LogObject, _ fold: inout Folding, _ state: IndexedZone
  ) throws {
    let sequence = entry.sequence
    guard let bytes = entry.found.bytes else {
      if case .rubbish(let why) = entry.found {
        fold.stopped = LogStop(
          sequence: sequence, reason: why, found: entry.found, holder: .rubbish)
      }
      return
    }
    let (digest, epoch) = (EntryCodec.digest(of: bytes), max(fold.header.epoch, 1))
    do {
      let opened = try openAsIs(bytes, at: sequence, keys: fold.keys, fold.header)
      LogConsistency(replica).noticeClone(opened.commit, at: sequence)
      let (delta, newKey) = try judge(
        opened, bytes, at: sequence, digest: digest, keys: fold.keys, on: state)
      let judges = opened.commit.nextKey == nil ? fold.header : delta.header
      if let other = try contradictor(of: digest, at: sequence, next, fold.keys, judges) {
        var stop = LogStop(
          sequence: sequence, reason: "The entry behind it names another one in its place.",
          found: entry.found, commit: opened.commit, contradictor: other)
        stop.digest = digest
        stop.isRevoked = people.hasRevoked(opened.commit.author)
        fold.stopped = stop
        return
      }
      try state.apply(delta, of: opened.commit, epoch: epoch)
      try state.keptEntries.keep(bytes, at: sequence)
      var isNew = fold.proven.insert(epoch).inserted
      if let key = newKey {
        fold.keys.replace(with: key)
        isNew = fold.proven.insert(key.epoch).inserted || isNew
      }
      if isNew { try state.log.save(fold.keys.only(fold.proven)) }
      if opened.commit.nextKey != nil { fold.raised = (epoch, sequence) }
      fold.header = delta.header
      fold.pulled.applied += 1
      if let head = opened.commit.chain { fold.heads[opened.commit.author.user] = head }
    } catch let error as CloudError {
      // Earlier entries hold, and later ones are not read without it.
      fold.failure = error
    } catch let refused as EntryRefused {
      fold.stopped = LogStop(
        sequence: sequence, reason: refused.reason, found: entry.found,
        holder: refused.holder, unseen: refused.unseen, commit: refused.commit)
    }
  }

  /// The author with rights whose entry behind a position names another one there.
  private func contradictor(
    of digest: Bytes32, at sequence: UInt64, _ next: LogObject, _ keys: Keyring,
    _ header: ZoneHeader
  ) throws -> UserID? {
    guard replica.cursor.hearsContradiction(at: sequence, header), let bytes = next.bytes else {
      return nil
    }
    do {
      let commit = try replica.open(bytes, at: sequence + 1, keys: keys).commit
      let behind = SignedEntry(
        sequence: sequence + 1, previous: commit.previous, author: commit.author,
        isRevoked: people.hasRevoked(commit.author))
      return LogCursor.contradictor(behind, of: digest, header)
    } catch is EntryRefused {
      return nil
    }
  }

  /// The effect of an opened entry: replay's verdict on its commit, if it distributes the next key
  /// to exactly the members; and that key.
  private func judge(
    _ opened: EntryCodec.Opened, _ bytes: [UInt8], at sequence: UInt64, digest: Bytes32,
    keys: Keyring, on state: IndexedZone
  ) throws -> (delta: Delta, newKey: ZoneKey?) {
    let delta: Delta
    switch try Fold.judge(opened.commit, at: sequence, digest: digest, on: state) {
    case .applied(let found): delta = found
    case .refused(let refusal):
      throw EntryRefused(
        refusal.reason, opened.commit,
        holder: refusal.code == .incompatibleVersion ? .entry : .rubbish)
    }
    var opened = opened
    // A former member does not know, and reads no further.
    let mine =
      delta.header.revokedDevices.contains(account.author)
      ? nil : delta.header.keys[account.user]
    if let mine, opened.commit.nextKey != nil, opened.newKey == nil {
      if !account.has(mine) { try replica.learnKeys() }
      opened = try replica.open(bytes, at: sequence, keys: keys)
      guard account.has(mine) else {
        throw CloudError(
          .serviceUnavailable,
          "this device hasn't got the key yet to which entry \(sequence) of the log of zone "
            + "\(zone) is sealed",
          remedy: "nothing to do, it is tried again")
      }
    }
    guard opened.handsKey(to: delta.header.boxKeys) ?? (mine == nil) else {
      throw EntryRefused(
        "It leaves somebody out of the next epoch who is in the share, or gives them another key.",
        opened.commit)
    }
    return (delta, opened.newKey)
  }

  /// Opens an entry. An unreadable one is read once more, with its size: a partial or early read of
  /// a store must not count as the stored object.
  private func openAsIs(
    _ bytes: [UInt8], at sequence: UInt64, keys: Keyring, _ header: ZoneHeader
  ) throws -> EntryCodec.Opened {
    do {
      return try replica.open(bytes, at: sequence, keys: keys)
    } catch let refused as EntryRefused {
      let expected = replica.cursor.expected.entries[sequence]
      let isSame = try expected == bytes || isAsRead(bytes, sequence, header)
      guard isSame else {
        throw CloudError(
          .serviceUnavailable,
          "the container gives entry \(sequence) of the log of zone \(zone.digits) differently "
            + "each time",
          remedy: "nothing to do, it is tried again")
      }
      throw refused
    }
  }

  /// Returns whether the store returns the same bytes again, and no more. For an object too large
  /// for an entry, nothing more is read.
  private func isAsRead(
    _ bytes: [UInt8], _ sequence: UInt64, _ header: ZoneHeader
  ) throws -> Bool {
    let key = replica.keys[max(header.epoch, 1)]
    let named = key.map { replica.folder.place(sequence, $0) }
    guard let place = try header.kind == .owned ? named : replica.place(sequence) else {
      return true
    }
    do {
      guard try replica.store.get(place, upTo: EntryCodec.limit) == bytes else { return false }
      return try replica.store.size(of: place) == bytes.count || bytes.count > EntryCodec.limit
    } catch {
      throw CloudError(error)
    }
  }
}
