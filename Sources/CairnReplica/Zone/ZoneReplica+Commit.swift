import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

extension ZoneReplica {
  /// Puts the commit after `sequence`, if that still is the end of the log. With `rekey` it raises
  /// the epoch, and gives the next key to all participants after the commit.
  public func commit(
    records: [RecordChange], share: [ShareChange], expecting sequence: UInt64,
    rekey: Bool = false, genesis: Genesis? = nil, nonce: Bytes16? = nil,
    bringing extra: [ChunkEntry] = [], as reversal: ReversalNote? = nil
  ) throws -> ZoneHeader {
    guard header.sequence == sequence else { throw Self.moved }
    try people.use.check()
    try checkIsHere()
    try LogConsistency(self).checkEnd()
    guard let key = keys[max(header.epoch, 1)] else { throw Self.shutOut }
    try checkRights(for: records)
    let chunks =
      try takeChunks(for: records)
      + carrier.carried(extra, isOtherZone: true)
    var genesis = genesis
    genesis?.site = try sites.trail().here
    let nextKey = rekey ? ZoneKey.random(epoch: key.epoch + 1) : nil
    let commit = Commit(
      previous: header.head, author: account.author, time: WallClock.now, genesis: genesis,
      epoch: key.epoch, nextKey: nextKey?.digest(in: zone), chunks: chunks, records: records,
      share: share, keys: try memberKeys(for: share, isFirst: genesis != nil),
      chain: try ownChain(), run: people.use.run, lock: try lock(behind: header.sequence + 1),
      reversal: reversal)
    let next = header.sequence + 1
    var delta = try judge(commit, at: next)
    let bytes = try seal(commit, at: next, key, nextKey, delta.header.boxKeys, nonce)
    if genesis != nil { try claimFolders() }
    entriesTried += 1
    try LogAppend(self).put(bytes, at: next, rekey: rekey)
    // Only the digest was unknown when the commit was checked.
    delta.header.head = EntryCodec.digest(of: bytes)
    try accept(delta, bytes, of: commit, next: nextKey)
    loose.drop(chunks)
    try protectWhatIsOver(isRaised: rekey)
    return header
  }

  /// Returns the lock for the place after an entry of a public log: a name that a person with an
  /// older key of this person cannot compute.
  private func lock(behind sequence: UInt64) throws -> Bytes32? {
    guard header.kind == .public else { return nil }
    try learnKeys()
    guard let key = account.encryption.last else { return nil }
    return ChainPlace.lock(folder.publicName(sequence + 1, by: key))
  }

  /// Creates a new zone's folders as the founder's, before anybody else can create them.
  private func claimFolders() throws {
    do throws(StoreError) {
      for name in folder.claimed { try store.claim(name) }
    } catch {
      throw CloudError(error)
    }
  }

  /// Protects ended epochs after the commit: an unmarked end is marked after the next entry, and an
  /// uncopied part is copied by the next person who raises the epoch.
  private func protectWhatIsOver(isRaised: Bool) throws {
    do {
      try EpochEndRecords(self).putOfLastRaise()
      if isRaised { try SpareEntries(self).putAllOfFormerMembers() }
    } catch is CloudError {}
  }

  /// Returns the keys for a commit: those of people that it adds, and this person's own if the zone
  /// doesn't have it, or has an older one.
  private func memberKeys(
    for share: [ShareChange], isFirst: Bool
  ) throws -> [UserID: Bytes32] {
    guard header.kind == .owned else { return [:] }
    var keys: [UserID: Bytes32] = [:]
    var isIn = isFirst || header.isMember(account.user)
    for change in share {
      switch change {
      case .invite(let user, _, _) where !header.isMember(user):
        keys[user] = try encryptionKey(of: user)
      case .accept, .claim: isIn = true
      case .remove(let user) where user == account.user: isIn = false
      default: break
      }
    }
    guard isIn, header.keys[account.user] != account.encryptionKey else { return keys }
    // Another device may have revoked one that has the key known here.
    try learnKeys()
    let known = header.keys[account.user]
    if known.map({ account.has($0) }) ?? true, known != account.encryptionKey {
      keys[account.user] = account.encryptionKey
    }
    return keys
  }

  private func encryptionKey(of user: UserID) throws -> Bytes32? {
    do {
      return try people.refresh(user)?.encryptionKey
    } catch is IdentityError {
      return nil
    } catch let error as StoreError {
      throw CloudError(error)
    }
  }

  /// Returns the known position in this person's own chain; its first entry before anything was
  /// read.
  private func ownChain() throws -> ChainHead {
    do {
      if let me = try people.person(account.user) {
        return ChainHead(length: me.length, head: me.head)
      }
    } catch let error as StoreError {
      throw CloudError(error)
    } catch is IdentityError {
      // Then nobody can read the commit; the daemon reports it at its start.
    }
    return ChainHead(length: 1, head: IdentityLog.digest(of: account.origin))
  }

  private func seal(
    _ commit: Commit, at sequence: UInt64, _ key: ZoneKey, _ next: ZoneKey?,
    _ members: Set<Bytes32>, _ nonce: Bytes16?
  ) throws -> [UInt8] {
    do {
      return try EntryCodec.seal(
        commit, zone: zone, sequence: sequence, key: key, next: next, boxesFor: members,
        nonce: nonce, account: account)
    } catch {
      throw CloudError(.limitExceeded, error.description, remedy: "nothing to do, it is split")
    }
  }

  /// Founds a public zone. If another device of this person was first, nothing changes.
  func found(named name: String) throws {
    try whileOvertaken {
      _ = try pull()
      guard header.genesis == nil else { return }
      _ = try commit(
        records: [], share: [], expecting: header.sequence,
        genesis: Genesis(owner: account.user, name: name), nonce: Bytes16(high: 0, low: 0))
    }
  }

  /// Commits after any newer entries, and retries whenever somebody else was faster.
  func commitAnyway(
    records: [RecordChange] = [], share: [ShareChange] = [], rekey: Bool = false,
    bringing chunks: [ChunkEntry] = []
  ) throws -> ZoneHeader {
    try onTop(sawEnd: sawEnd, tried: { entriesTried }, read: { _ = try pull() }) {
      try commit(
        records: records, share: share, expecting: header.sequence, rekey: rekey,
        bringing: chunks)
    }
  }

  /// A Boolean value that indicates whether the log was seen to end here a moment ago, without a
  /// problem.
  var sawEnd: Bool { looks.sawEnd(header.sequence, by: WallClock.now) }

  static let shutOut = CloudError(
    .permissionFailure, "the key of the zone isn't known here: you were removed from the share",
    remedy: "ask the owner to invite you again")

  static let moved = CloudError(
    .serverRecordChanged, "somebody else's commit came first",
    remedy: "nothing to do, it is tried again")

  /// Checks an own commit by the rules before it is stored, because all readers stop at an invalid
  /// entry until it is removed. The digest is still unknown.
  private func judge(_ commit: Commit, at sequence: UInt64) throws -> Delta {
    let verdict = try index.read { db in
      guard try stateAhead(db) == nil else { throw Self.moved }
      return try Fold.judge(
        commit, at: sequence, digest: .zero, on: IndexedZone(db, zone: zone, header: header))
    }
    switch verdict {
    case .applied(let delta): return delta
    case .refused(let refusal):
      throw CloudError(refusal, owner: try ownerName)
    }
  }

  /// The name of the zone's owner in a message.
  var ownerName: String? {
    get throws {
      guard let owner = header.owner, owner != account.user else { return nil }
      do { return try people.person(owner)?.handle } catch is IdentityError { return nil }
    }
  }

  /// Checks the rights. A person who may not write must not leave a pack either; the rules decide
  /// about the rest once there is one.
  private func checkRights(for records: [RecordChange]) throws {
    guard let record = records.first, header.genesis != nil, !header.mayWrite(account.user) else {
      return
    }
    guard header.kind == .owned else {
      throw CloudError(
        .permissionFailure, "record \(record.id) can't be saved: only who published it changes it",
        remedy: "ask them, or publish a copy of your own")
    }
    throw CloudError(
      .permissionFailure, "record \(record.id) can't be saved: this share lets you read, not write",
      remedy: "ask the owner of the share for the permission")
  }

  // MARK: Content

  /// A Boolean value that indicates whether new chunks of this person are stored. If they can't
  /// edit the zone, a content gets an id, but no location in the container. If the zone is stored
  /// elsewhere, the content is stored there.
  var mayStore: Bool { get throws { try loose.terms.mayStore && elsewhere() == nil } }

  /// Returns the entries of the chunks that these changes need and the zone doesn't have. Chunks
  /// that it had before a history cutoff are added again, from their present location.
  private func takeChunks(for records: [RecordChange]) throws -> [ChunkEntry] {
    let needed = Set(records.flatMap(\.contents).flatMap(\.chunks))
    guard !needed.isEmpty else { return [] }
    let new = try withoutOrphans(loose.take(needed))
    let missing = needed.subtracting(new.map(\.name))
    guard !missing.isEmpty else { return new }
    let former = try index.read { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      return try state.chunks.onlyInPast(missing)
    }
    return try former.isEmpty ? new : new + carrier.carried(former)
  }

  /// Drops chunks that begin with others that the zone doesn't have any more. Their contents are
  /// read again, and stored whole.
  private func withoutOrphans(_ chunks: [ChunkEntry]) throws -> [ChunkEntry] {
    guard chunks.contains(where: { $0.after != nil }) else { return chunks }
    let orphans = try index.read { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      return try chunks.filter { try !Fold.accepts($0, on: state) }
    }
    guard !orphans.isEmpty else { return chunks }
    loose.drop(orphans)
    let names = Set(orphans.map(\.name))
    return chunks.filter { !names.contains($0.name) }
  }
}
