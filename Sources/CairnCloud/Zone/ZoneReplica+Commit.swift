import CairnIndex
import CairnStore
import CairnThreads
import CairnZone

extension ZoneReplica {
  /// Puts the commit after `sequence`, if that still is the head. With `rekey` it raises the epoch,
  /// and hands the next key to everybody who is in after it.
  func commit(
    records: [RecordChange], share: [ShareChange], expecting sequence: UInt64,
    rekey: Bool = false, genesis: Genesis? = nil, nonce: Bytes16? = nil,
    bringing extra: [ChunkEntry] = []
  ) throws -> ZoneHeader {
    guard header.sequence == sequence else { throw Self.moved }
    try people.use.check()
    try checkEnd()
    guard let key = keys[max(header.epoch, 1)] else { throw Self.shutOut }
    try checkRights(for: records)
    let chunks = try takeChunks(for: records) + carried(extra)
    let nextKey = rekey ? ZoneKey.random(epoch: key.epoch + 1) : nil
    let commit = Commit(
      previous: header.head, author: account.author, time: WallClock.now, genesis: genesis,
      epoch: key.epoch, nextKey: nextKey?.digest(in: zone), chunks: chunks, records: records,
      share: share, keys: try memberKeys(for: share, isFirst: genesis != nil),
      chain: try ownChain(), run: people.use.run, lock: try lock(behind: header.sequence + 1))
    let next = header.sequence + 1
    var delta = try judge(commit, at: next)
    let bytes = try seal(commit, at: next, key, nextKey, delta.header.boxKeys, nonce)
    if genesis != nil { try claimFolders() }
    try LogAppend(self).put(bytes, at: next, rekey: rekey)
    // Nothing but the digest was unknown when it was judged.
    delta.header.head = EntryCodec.digest(of: bytes)
    try accept(delta, bytes, time: commit.time, epoch: key.epoch, next: nextKey)
    for chunk in chunks { loose[chunk.name] = nil }
    if rekey { try copyAfterRaise() }
    return header
  }

  /// What an entry of a public log at that place has to say of the place behind it: a name that
  /// whoever has an older key of this person's can't tell.
  private func lock(behind sequence: UInt64) throws -> Bytes32? {
    guard header.kind == .public else { return nil }
    try learnKeys()
    guard let key = account.encryption.last else { return nil }
    return ChainPlace.lock(folder.publicName(sequence + 1, by: key))
  }

  /// Has a new zone's folders belong to who founds it, not to the first who makes them.
  private func claimFolders() throws {
    do throws(StoreError) {
      for name in folder.claimed { try store.claim(name) }
    } catch {
      throw CloudError(error)
    }
  }

  /// The commit is done: what can't be copied now is by whoever raises the epoch next.
  private func copyAfterRaise() throws {
    do { try copyEntriesOfFormerMembers() } catch is CloudError {}
  }

  /// The keys that a commit has to bring: of people whom it lets in, and this person's own if the
  /// zone doesn't have it, or has an older one.
  private func memberKeys(
    for share: [ShareChange], isFirst: Bool
  ) throws -> [UserID: Bytes32] {
    guard header.kind == .owned else { return [:] }
    var keys: [UserID: Bytes32] = [:]
    var isIn = isFirst || header.isMember(account.user)
    for change in share {
      switch change {
      case .invite(let user, _) where !header.isMember(user):
        keys[user] = try encryptionKey(of: user)
      case .accept, .claim: isIn = true
      case .remove(let user) where user == account.user: isIn = false
      default: break
      }
    }
    guard isIn, header.keys[account.user] != account.encryptionKey else { return keys }
    // Another device may have revoked one that has the key we know.
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

  /// How far this person's own chain is known here; before anything of it was read, its first
  /// entry.
  private func ownChain() throws -> ChainHead {
    do {
      if let me = try people.person(account.user) {
        return ChainHead(length: me.length, head: me.head)
      }
    } catch let error as StoreError {
      throw CloudError(error)
    } catch is IdentityError {
      // Then nobody can read what is written; whoever starts the daemon says so.
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

  /// Founds a public zone; that another device of this person's was first is fine.
  func found(named name: String) throws {
    try whileOvertaken {
      _ = try pull()
      guard header.genesis == nil else { return }
      _ = try commit(
        records: [], share: [], expecting: header.sequence,
        genesis: Genesis(owner: account.user, name: name), nonce: Bytes16(high: 0, low: 0))
    }
  }

  /// Commits on top of whatever comes first, trying again when somebody else was faster.
  func commitAnyway(
    records: [RecordChange] = [], share: [ShareChange] = [], rekey: Bool = false
  ) throws -> ZoneHeader {
    try whileOvertaken {
      _ = try pull()
      return try commit(
        records: records, share: share, expecting: header.sequence, rekey: rekey)
    }
  }

  static let shutOut = CloudError(
    .permissionFailure, "the key of the zone isn't known here: you were removed from the share",
    remedy: "ask the owner to invite you again")

  static let moved = CloudError(
    .serverRecordChanged, "somebody else's commit came first",
    remedy: "nothing to do, it is tried again")

  /// Judges one's own commit before it is stored: an entry that everybody skips helps nobody. The
  /// digest is still to come.
  private func judge(_ commit: Commit, at sequence: UInt64) throws -> Delta {
    let verdict = try index.read { db in
      try Fold.judge(
        commit, at: sequence, digest: .zero, on: IndexedZone(db, zone: zone, header: header))
    }
    switch verdict {
    case .applied(let delta): return delta
    case .refused(let refusal):
      throw CloudError(refusal, owner: try ownerName)
    }
  }

  /// How to call the zone's owner in a message.
  var ownerName: String? {
    get throws {
      guard let owner = header.owner, owner != account.user else { return nil }
      do { return try people.person(owner)?.handle } catch is IdentityError { return nil }
    }
  }

  /// Who may not write must not leave a pack either; the fold judges the rest once there is one.
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

  func ingestAll(lanes: Int, _ body: (Zone.Ingest) throws -> Void) throws {
    // What somebody reads who may not write gets an id, and no place in the container.
    let mayStore = header.genesis == nil || header.mayWrite(account.user)
    if mayStore { try sendUnsentPacks() }
    beginPacks()
    try index.read { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      let builder = ContentBuilder(lanes: lanes) { [self] name, bytes in
        guard mayStore, loose[name] == nil, !writer.contains(name), try !state.hasChunk(name) else {
          return
        }
        if let pack = writer.add(name, bytes) { try send(pack, isBeside: lanes > 1) }
      }
      try body { fill in
        do {
          while try builder.fill(fill) > 0 {}
          return try builder.finish()
        } catch {
          builder.reset()
          throw error
        }
      }
    }
  }

  /// Stores a pack, with `isBeside` on a thread of its own while the next one is filled. What can't
  /// be stored now is kept: contents that were ingested refer to it.
  func send(_ pack: SealedPack, isBeside: Bool) throws {
    unsent.append(pack)
    for entry in pack.entries { loose[entry.name] = entry }
    guard isBeside else { return try sendUnsentPacks() }
    try finishSending()
    guard let first = unsent.first else { return }
    sending = Errand { [store] in try store.puts(first.key, first.bytes) }
  }

  private func sendUnsentPacks() throws {
    try finishSending()
    while let pack = unsent.first {
      let isStored: Bool
      do { isStored = try store.puts(pack.key, pack.bytes) } catch { throw CloudError(error) }
      try noteSent(isStored)
    }
  }

  /// Waits for the pack that is being stored.
  private func finishSending() throws {
    guard let errand = sending else { return }
    sending = nil
    let isStored: Bool
    do { isStored = try errand.wait() } catch let error as StoreError { throw CloudError(error) }
    try noteSent(isStored)
  }

  /// Forgets the chunks that couldn't be stored: whose they are is read again when the container
  /// takes something, if it still is to be sent by then.
  func forgetUnsent() {
    if let errand = sending {
      sending = nil
      // That it failed is why nothing more is sent; what it stored nobody names.
      do { _ = try errand.wait() } catch {}
    }
    for entry in unsent.flatMap(\.entries) { loose[entry.name] = nil }
    unsent = []
    writer.forget()
  }

  /// The first pack was put; where other bytes stand under its name, it takes another one.
  private func noteSent(_ isStored: Bool) throws {
    guard isStored else {
      let key = unsent[0].key
      unsent[0].rename()
      guard unsent[0].renamed.isMultiple(of: 4) else { return }
      throw CloudError(
        .serviceUnavailable, "other bytes stand wherever a pack is put, as under \(key)",
        remedy: "see who else writes into the container; it is tried again")
    }
    // Trouble with the log may have come in between.
    for entry in unsent.removeFirst().entries { loose[entry.name] = entry }
  }

  /// The entries of the chunks that these changes need and the zone doesn't have: inside the commit
  /// if they are small, in a pack otherwise.
  private func takeChunks(for records: [RecordChange]) throws -> [ChunkEntry] {
    let needed = Set(records.flatMap { $0.content?.chunks ?? [] })
    guard !needed.isEmpty else { return [] }
    try sendUnsentPacks()
    if needed.contains(where: { loose[$0] == nil && writer.contains($0) }) {
      if let inline = writer.inlineEntries() {
        for entry in inline { loose[entry.name] = entry }
      } else if let pack = writer.seal() {
        try send(pack, isBeside: false)
      }
    }
    return needed.sorted().compactMap { loose[$0] }
  }

  func readContent(
    _ content: Content, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    try index.read { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      try ContentReader(store: store).read(content, lookup: { try state.chunk($0) }, body)
    }
  }
}
