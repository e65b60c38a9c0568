import CairnDiagnostics
import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// Reading the log: one entry after another, without skipping. The next position is free, which is
/// the end; or it contains a valid entry; or it is held, and the reader stops before it and checks
/// again.
extension ZoneReplica {
  /// Replays new entries, up to the end of the log, of this person's access, or of the position
  /// `last`. A log that differs from earlier reads is reported, and nothing of it is replayed.
  public func pull(upTo last: UInt64 = .max) throws -> PulledEntries {
    if looks.owesTaken {
      if try SnapshotBootstrap(self).isLeftUnproven() { try forgetFold(keeping: keys) }
      looks.owesTaken = false
    }
    var (vain, first): (Set<ObjectKey>, CloudError?) = ([], nil)
    while true {
      do {
        let pulled = try read(upTo: last, except: vain)
        if pulled.applied > 0 {
          Diagnostics.log.debug(
            "entries applied",
            [
              .value("zone", zone), .value("entries", pulled.applied),
              .value("sequence", header.sequence),
            ])
        }
        // Without anything else, the problem with a log start is the problem.
        if header.sequence == 0, let first { throw first }
        return pulled
      } catch let error as CloudError {
        guard trouble != nil || !error.isWorthRetrying, try !SnapshotBootstrap(self).isProven(),
          let taken = looks.taken
        else { throw error }
        vain.insert(taken.object)
        first = first ?? error
        try SnapshotBootstrap(self).drop(taken)
      }
    }
  }

  /// The same, without log starts that the log did not confirm.
  private func read(upTo last: UInt64, except vain: Set<ObjectKey>) throws -> PulledEntries {
    var pulled = PulledEntries()
    open?.look()
    looks.forgetEnd()
    var next = try EntryReader(self)
    defer { ahead.drop() }
    try LogConsistency(self).checkHistory(upTo: last, except: vain)
    // A Boolean value that indicates whether nothing was behind the last replayed entry, in the
    // epoch that is still in force.
    var isAtEnd = false
    // The epoch whose end was checked, and whether it is open.
    var (asked, isOpen): (UInt64, Bool) = (0, false)
    while try header.sequence < last && !endsHere && (canReadOn || findsKey()) {
      let batch = isAtEnd ? EntryReader.Batch() : try next.read(upTo: last)
      var stopped: Stopped?
      if batch.entries.isEmpty {
        if try !isMoreBehind(isOpen: isOpen && asked == max(header.epoch, 1)) { break }
        stopped = Stopped(sequence: header.sequence + 1, reason: "It is missing.")
        isAtEnd = false
      } else {
        let epoch = max(header.epoch, 1)
        let end = try asked == epoch ? nil : LogRecovery(self).followEnd()
        (asked, isOpen) = (epoch, end == .open && batch.behind == .nothing)
        if end == .followed { continue }
        stopped = try fold(batch, into: &pulled)
        isAtEnd =
          stopped == nil && header.kind == .owned && batch.behind == .nothing
          && header.epoch == epoch
      }
      guard let stopped else { continue }
      switch try LogRecovery(self).goRound(stopped) {
      case .found: continue
      case .missing:
        try EpochEndRecords(self).refuseUnfounded()
        let damage = try LogConsistency(self).missing(stopped.sequence).error
        // A newcomer cannot distinguish lost entries from ones that never existed.
        throw anchor.map { $0.sequence >= stopped.sequence } ?? false
          ? LogConsistency(self).disputed : damage
      case .nothing:
        guard let raise = try LogRecovery(self).standingRaise(stopped) else {
          throw try LogConsistency(self).hold(stopped).error
        }
        course.take(raise, at: stopped.sequence)
      }
    }
    if header.sequence < last { try SnapshotBootstrap(self).check() }
    looks.hasReadAll = looks.hasReadAll || header.sequence < last
    try LogConsistency(self).checkAnchor(isWhole: header.sequence < last)
    if header.sequence < last, canReadOn { looks.see(header.sequence, at: WallClock.now) }
    if let found = try elsewhere() {
      trouble = found
      // Earlier entries hold, and come first.
      if pulled.applied == 0, header.sequence < last { throw found.error }
    }
    return pulled
  }

  /// Returns whether the log continues behind a free position, whose entry was removed. Once per
  /// run several positions are checked; the end-of-epoch record, unless the epoch was just found
  /// `isOpen`.
  private func isMoreBehind(isOpen: Bool) throws -> Bool {
    guard header.kind == .owned, header.sequence > 0 else { return false }
    if looks.owesBehind {
      guard try !LogRecovery(self).isProven(behind: header.sequence + 1) else { return true }
      looks.owesBehind = false
    }
    return try !isOpen && EpochEndRecords(self).end() != nil
  }

  /// A Boolean value that indicates whether the key of the epoch in force is known; without it the
  /// next position is unknown. A removed person stays here forever.
  var canReadOn: Bool { keys[max(header.epoch, 1)] != nil }

  /// The object at a position of a log.
  enum Found: Equatable {
    case nothing
    case bytes([UInt8])
    /// A file that is no object, with the reason.
    case rubbish(String)

    /// The bytes, if there are any.
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
  }

  /// An entry as found, with its position.
  struct Placed {
    var sequence: UInt64
    var found: Found
  }

  /// The reason why an entry is not replayed.
  struct Stopped {
    var sequence: UInt64
    /// The reason as a sentence.
    var reason: String
    /// The object.
    var found = Found.nothing
    /// The kind of the object, as far as known.
    var holder = LogTrouble.Holder.entry
    /// The claimed author, if they are not visible.
    var unseen: UserID?
    /// The commit, if it could be opened and its signature is valid.
    var commit: Commit?
    /// The signer of the entry behind it that names another one, though it is valid.
    var contradictor: UserID?
  }

  // MARK: Folding

  /// Replays entries in order, in one transaction, while they are valid.
  /// - Returns: the reason for stopping, if it did.
  private func fold(_ batch: EntryReader.Batch, into pulled: inout PulledEntries) throws -> Stopped?
  {
    var fold = Folding(header: header, keys: keys, proven: proven)
    let first = max(header.epoch, 1)
    let (entries, place) = (batch.entries, try openPlace())
    var stored: (header: ZoneHeader, keys: Keyring)?
    try index.write { db in
      stored = try stateAhead(db)
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
      try noteAge(of: fold.header, db)
    }
    if let stored {
      pulled.applied += Int(stored.header.sequence) - Int(header.sequence)
      goOn(from: stored.header, stored.keys)
      return nil
    }
    (header, keys, proven) = (fold.header, fold.keys, fold.proven)
    course.drop(upTo: header.sequence)
    pulled.applied += fold.pulled.applied
    ended = fold.raised ?? ended
    try EpochEndRecords(self).putOfLastRaise()
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
    var stopped: Stopped?
    var failure: CloudError?
    /// The entry that raised the epoch, and the epoch that it ended.
    var raised: (epoch: UInt64, sequence: UInt64)?
  }

  private func take(
    _ entry: Placed, before next: Found, _ fold: inout Folding, _ state: IndexedZone
  ) throws {
    let sequence = entry.sequence
    guard let bytes = entry.found.bytes else {
      if case .rubbish(let why) = entry.found {
        fold.stopped = Stopped(
          sequence: sequence, reason: why, found: entry.found, holder: .rubbish)
      }
      return
    }
    let (digest, epoch) = (EntryCodec.digest(of: bytes), max(fold.header.epoch, 1))
    do {
      let opened = try openAsIs(bytes, at: sequence, keys: fold.keys, fold.header)
      LogConsistency(self).noticeClone(opened.commit, at: sequence)
      let (delta, newKey) = try judge(
        opened, bytes, at: sequence, digest: digest, keys: fold.keys, on: state)
      let judges = opened.commit.nextKey == nil ? fold.header : delta.header
      if let other = try contradictor(of: digest, at: sequence, next, fold.keys, judges) {
        fold.stopped = Stopped(
          sequence: sequence, reason: "The entry behind it names another one in its place.",
          found: entry.found, commit: opened.commit, contradictor: other)
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
      fold.stopped = Stopped(
        sequence: sequence, reason: refused.reason, found: entry.found,
        holder: refused.holder, unseen: refused.unseen, commit: refused.commit)
    }
  }

  /// The author with rights whose entry behind a position names another one there: then nobody may
  /// continue from the current one. Revoked devices are ignored: behind the end of an epoch a thief
  /// can put anything.
  private func contradictor(
    of digest: Bytes32, at sequence: UInt64, _ next: Found, _ keys: Keyring, _ header: ZoneHeader
  ) throws -> UserID? {
    guard header.kind == .owned, header.genesis != nil, !course.tells(sequence),
      let bytes = next.bytes
    else { return nil }
    do {
      let commit = try open(bytes, at: sequence + 1, keys: keys).commit
      let isHeard = header.believes(commit.author) && !people.hasRevoked(commit.author)
      return isHeard && commit.previous != digest ? commit.author.user : nil
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
      if !account.has(mine) { try learnKeys() }
      opened = try open(bytes, at: sequence, keys: keys)
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
    do { return try open(bytes, at: sequence, keys: keys) } catch let refused as EntryRefused {
      let isSame = try course.entries[sequence] == bytes || isAsRead(bytes, sequence, header)
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
    let named = keys[max(header.epoch, 1)].map { folder.place(sequence, $0) }
    guard let place = try header.kind == .owned ? named : place(sequence) else { return true }
    do {
      guard try store.get(place, upTo: EntryCodec.limit) == bytes else { return false }
      return try store.size(of: place) == bytes.count || bytes.count > EntryCodec.limit
    } catch {
      throw CloudError(error)
    }
  }
}
