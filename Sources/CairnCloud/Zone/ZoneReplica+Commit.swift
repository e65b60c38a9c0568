import CairnStore
import CairnZone
import GRDB

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
    try checkHistory()
    try checkNothingBehind(thoroughly: false)
    guard let key = keys[max(header.epoch, 1)] else { throw Self.shutOut }
    try checkRights(for: records)
    let chunks = try takeChunks(for: records) + extra
    let nextKey = rekey ? ZoneKey.random(epoch: key.epoch + 1) : nil
    let commit = Commit(
      previous: header.head, author: account.author, time: WallClock.now, genesis: genesis,
      epoch: key.epoch, nextKey: nextKey?.digest(in: zone), chunks: chunks, records: records,
      share: share, run: people.use.run)
    let next = header.sequence + 1
    var delta = try judge(commit, at: next)
    let members = rekey || genesis != nil ? try encryptionKeys(of: delta.header) : []
    let bytes = try seal(commit, at: next, key, nextKey, members, nonce)
    try put(bytes, at: next)
    // Nothing but the digest was unknown when it was judged.
    delta.header.head = EntryCodec.digest(of: bytes)
    try accept(delta, bytes, next: nextKey)
    for chunk in chunks { loose[chunk.name] = nil }
    return header
  }

  /// To whom a key is sealed: the owner, everybody who takes part or is invited, living links.
  /// Whoever published no usable key gets none, and stops nobody else.
  private func encryptionKeys(of header: ZoneHeader) throws -> [Bytes32] {
    var users = Set(header.share?.participants.keys.map { $0 } ?? [])
    if let owner = header.owner { users.insert(owner) }
    var keys: [Bytes32] = []
    for user in users.sorted() {
      if user == account.user {
        // Another device may have revoked one that has the key we know.
        try learnKeys()
        keys.append(account.encryptionKey)
      } else {
        if let key = try encryptionKey(of: user) { keys.append(key) }
      }
    }
    return keys + (header.share?.links.values.map(\.boxKey).sorted() ?? [])
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

  private func seal(
    _ commit: Commit, at sequence: UInt64, _ key: ZoneKey, _ next: ZoneKey?,
    _ members: [Bytes32], _ nonce: Bytes16?
  ) throws -> [UInt8] {
    do {
      return try EntryCodec.seal(
        commit, zone: zone, sequence: sequence, key: key, next: next, boxesFor: members,
        nonce: nonce, account: account)
    } catch {
      throw CloudError(.limitExceeded, error.description, remedy: "nothing to do, it is split")
    }
  }

  /// Founds a zone that isn't anybody's, behind whatever rubbish stands there; that somebody else
  /// was first is fine.
  func found(named name: String) throws {
    var attempts = 0
    while true {
      _ = try pull()
      guard header.genesis == nil else { return }
      do {
        _ = try commit(
          records: [], share: [], expecting: header.sequence,
          genesis: Genesis(owner: account.user, name: name), nonce: Bytes16(high: 0, low: 0))
      } catch let error as CloudError {
        attempts += 1
        guard error.code == .serverRecordChanged, attempts < 1_000 else { throw error }
      }
    }
  }

  /// Commits on top of whatever comes first, trying again when somebody else was faster.
  func commitAnyway(
    records: [RecordChange] = [], share: [ShareChange] = [], rekey: Bool = false
  ) throws -> ZoneHeader {
    var attempts = 0
    while true {
      _ = try pull()
      do {
        return try commit(
          records: records, share: share, expecting: header.sequence, rekey: rekey)
      } catch let error as CloudError {
        attempts += 1
        guard error.code == .serverRecordChanged, attempts < 1_000 else { throw error }
      }
    }
  }

  private static let shutOut = CloudError(
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
      if header.kind == .public, refusal.code == .permissionFailure {
        throw CloudError(
          .permissionFailure, refusal.reason,
          remedy: "ask who made it, or put a copy of yours under another name")
      }
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
    throw CloudError(
      .permissionFailure, "record \(record.id) can't be saved: this share lets you read, not write",
      remedy: "ask the owner of the share for the permission")
  }

  private func put(_ bytes: [UInt8], at sequence: UInt64) throws {
    let isOurs: Bool
    do { isOurs = try store.puts(Self.key(zone, sequence), bytes) } catch {
      throw CloudError(error)
    }
    guard isOurs else { throw Self.moved }
  }

  // MARK: Content

  func ingestAll(lanes: Int, _ body: (Zone.Ingest) throws -> Void) throws {
    // What somebody reads who may not write gets an id, and no place in the container.
    let mayStore = header.genesis == nil || header.mayWrite(account.user)
    if mayStore { try sendUnsentPacks() }
    if let owner = header.owner { writer.owner = owner }
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
  private func send(_ pack: SealedPack, isBeside: Bool) throws {
    unsent.append(pack)
    for entry in pack.entries { loose[entry.name] = entry }
    guard isBeside else { return try sendUnsentPacks() }
    try finishSending()
    guard let first = unsent.first else { return }
    sending = Errand { [store] in _ = try store.puts(first.key, first.bytes) }
  }

  private func sendUnsentPacks() throws {
    try finishSending()
    while let pack = unsent.first {
      do { _ = try store.puts(pack.key, pack.bytes) } catch { throw CloudError(error) }
      noteSent()
    }
  }

  /// Waits for the pack that is being stored.
  private func finishSending() throws {
    guard let errand = sending else { return }
    sending = nil
    do { try errand.wait() } catch let error as StoreError { throw CloudError(error) }
    noteSent()
  }

  private func noteSent() {
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
