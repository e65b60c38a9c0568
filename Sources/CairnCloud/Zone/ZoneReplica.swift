import CairnStore
import CairnZone
import GRDB

/// This device's copy of one zone: the index, the keys, and the way to the log. It has one owner,
/// `Zone`, which lets one caller in at a time. It must not know folders.
final class ZoneReplica {
  let zone: ZoneID
  let store: any ObjectStore
  let index: IndexFile
  let account: Account
  let people: People
  let opener: EntryCodec.Opener
  /// The keys to try. Those in the index opened an entry; others may come from a liar.
  var keys: Keyring
  /// The epochs whose keys opened an entry that is valid, or sealed one of ours.
  var proven: Set<UInt64>
  private(set) var header: ZoneHeader
  /// Chunks that stand in packs of the container, or wait for one, and that no commit named yet.
  var loose: [ChunkName: ChunkEntry] = [:]
  let writer: PackWriter
  /// Packs that the container didn't take yet, two at most.
  var unsent: [SealedPack] = []
  /// The storing of the first of them, where that is done beside everything else.
  var sending: Errand<Void>?
  /// How the log in the container differs from what was read here, as far as was looked.
  var trouble: LogTrouble? {
    didSet {
      // Packs that no entry names yet may be gone with the entries: what they hold is stored anew.
      if trouble != nil { loose = [:] }
    }
  }
  /// Whether it is still to be looked in this run if entries stand behind a gap.
  private var looksBehind = true
  /// Whether the log was read to its end in this run.
  var hasReadAll = false
  /// Whether what is folded is all that this person will ever see, as far as was looked: the log
  /// was read to its end, or up to where they were shut out.
  var isReadThrough: Bool { hasReadAll || !canReadOn }
  /// Whether entries wait whose author can't be seen yet.
  var isPatient = true

  /// Opens what the index knows of the zone; `extra` are keys from an invitation or the account,
  /// `links` the keys of links that this person holds. New packs lie with `owner`.
  init(
    _ zone: ZoneID, owner: UserID, kind: ZoneKind = .owned, store: any ObjectStore,
    index: IndexFile, account: Account, people: People, keys extra: Keyring, links: [BoxKey] = []
  ) throws {
    self.zone = zone
    self.store = store
    self.index = index
    self.account = account
    self.people = people
    opener = EntryCodec.Opener(account: account, links: links)
    let known: Keyring
    (header, known) = try index.write { db in
      let state = try IndexedZone(db, zone: zone, kind: kind)
      return (state.header, try state.keys())
    }
    proven = Set(known.all.map(\.epoch))
    keys = known
    keys.merge(extra)
    writer = PackWriter(owner: owner)
  }

  func read<Result>(_ body: (ZoneView) throws -> Result) throws -> Result {
    try index.read { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      return try body(
        ZoneView(state: state, device: account.device.id, user: account.user, isReadOnly: false))
    }
  }

  // MARK: Folding

  /// Folds what is new, up to the end of the log, of what this person may read, or to the place
  /// `last`. A log that isn't what was read here before is named, and nothing of it is folded.
  func pull(upTo last: UInt64 = .max) throws -> PulledEntries {
    var pulled = PulledEntries()
    try checkHistory()
    while try header.sequence < last && (canReadOn || findsKey()) {
      var batch: [(sequence: UInt64, bytes: [UInt8])] = []
      while batch.count < 64, header.sequence + UInt64(batch.count) < last {
        let sequence = header.sequence + UInt64(batch.count) + 1
        guard let bytes = try fetch(sequence) else { break }
        batch.append((sequence, bytes))
      }
      guard !batch.isEmpty else { break }
      try fold(batch, into: &pulled)
    }
    if looksBehind, canReadOn, header.sequence < last {
      try checkNothingBehind(thoroughly: true)
      looksBehind = false
    }
    hasReadAll = hasReadAll || header.sequence < last
    return pulled
  }

  /// Whether the key of the epoch in force is known; without it nobody can tell what comes next.
  /// Somebody who was removed stands here for ever (CLOUDKIT.md D12).
  var canReadOn: Bool { header.epoch == 0 || keys[header.epoch] != nil }

  /// Folds entries in their order, in one transaction.
  private func fold(
    _ batch: [(sequence: UInt64, bytes: [UInt8])], into pulled: inout PulledEntries
  ) throws {
    var folded = header
    var damage: LogTrouble?
    var failure: CloudError?
    var known = (keys: keys, proven: proven)
    try index.write { db in
      for (sequence, bytes) in batch {
        guard folded.epoch == 0 || known.keys[folded.epoch] != nil else { return }
        let state = try IndexedZone(db, zone: zone, header: folded)
        let digest = EntryCodec.digest(of: bytes)
        do {
          let opened = try openAsIs(bytes, at: sequence, keys: known.keys, folded)
          noticeClone(opened.commit, at: sequence)
          switch try Fold.judge(opened.commit, at: sequence, digest: digest, on: state) {
          case .applied(let delta):
            try state.apply(delta)
            try state.keep(bytes, at: sequence)
            var isNew = known.proven.insert(opened.commit.epoch).inserted
            if let key = opened.newKey {
              known.keys.replace(with: key)
              isNew = known.proven.insert(key.epoch).inserted || isNew
            }
            if isNew { try state.save(known.keys.only(known.proven)) }
            folded = delta.header
            pulled.applied += 1
          case .refused(let refusal):
            // In the public zone anybody can write both entries, and must not hold up everybody.
            if refusal.code == .serverRecordChanged, folded.kind == .owned,
              let before = try state.headerBeforeUnreadableHead()
            {
              // The author of this entry saw another one before it than we do: that one was
              // altered after it was written. Going on would fold to a state nobody else has.
              folded = before
              try state.advance(to: before, problem: nil)
              damage = LogTrouble(.damaged, agreed: sequence - 2, seen: sequence - 1)
              return
            }
            throw EntryRefused(refusal.code.rawValue, refusal.reason)
          }
        } catch let error as CloudError {
          // What comes before it holds; nothing that comes behind it is read without it.
          failure = error
          return
        } catch let refused as EntryRefused {
          folded = Fold.skipping(at: sequence, digest: digest, on: folded)
          try state.advance(to: folded, problem: "\(refused.code): \(refused.reason)")
          try state.keep(bytes, at: sequence)
          pulled.refused.append(
            RefusedEntry(sequence: sequence, code: refused.code, reason: refused.reason))
        }
      }
    }
    header = folded
    (keys, proven) = known
    trouble = damage ?? trouble
    if let failure = damage?.error ?? failure { throw failure }
  }

  /// Opens an entry; one that can't be read is asked for once more, and for its size, since
  /// everybody else may have read it: what a store gave in part or too early must not be skipped
  /// for ever.
  private func openAsIs(
    _ bytes: [UInt8], at sequence: UInt64, keys: Keyring, _ header: ZoneHeader
  ) throws -> EntryCodec.Opened {
    do { return try open(bytes, at: sequence, keys: keys) } catch let refused as EntryRefused {
      // In the public zone anybody can name anybody, and must not hold up everybody.
      if isPatient, header.kind == .owned, let author = refused.unseen,
        people.waits(for: author, isMember: header.isMember(author.user))
      {
        throw CloudError(
          .serviceUnavailable,
          "the container doesn't show yet who wrote entry \(sequence) of the log of zone \(zone)",
          remedy: "nothing to do, it is tried again")
      }
      guard try fetch(sequence) == bytes, try isWhole(bytes, sequence) else {
        throw CloudError(
          .serviceUnavailable,
          "the container gives entry \(sequence) of the log of zone \(zone) differently each time",
          remedy: "nothing to do, it is tried again")
      }
      throw refused
    }
  }

  /// Opens an entry and checks who wrote it. An entry that raises the epoch carries the next key,
  /// sealed to each member; it is kept if the commit turns out to be valid.
  func open(
    _ bytes: [UInt8], at sequence: UInt64, keys: Keyring
  ) throws -> EntryCodec.Opened {
    do {
      return try EntryCodec.open(
        bytes, zone: zone, sequence: sequence, kind: header.kind, keys: keys, opener: opener
      ) { author in try people.signKey(of: author) }
    } catch let problem as EntryProblem {
      var refused = EntryRefused(IndexedZone.unreadable, problem.description)
      if case .unknownDevice(let author) = problem { refused.unseen = author }
      throw refused
    } catch let error as StoreError {
      throw CloudError(error)
    }
  }

  func fetch(_ sequence: UInt64) throws -> [UInt8]? {
    do { return try store.get(Self.key(zone, sequence), upTo: EntryCodec.limit) } catch {
      throw CloudError(error)
    }
  }

  /// Whether the store says that the object has no more bytes than these. Of one that is too large
  /// for an entry nobody reads more.
  private func isWhole(_ bytes: [UInt8], _ sequence: UInt64) throws -> Bool {
    do {
      let size = try store.size(of: Self.key(zone, sequence))
      return size == bytes.count || bytes.count > EntryCodec.limit
    } catch {
      throw CloudError(error)
    }
  }

  static func key(_ zone: ZoneID, _ sequence: UInt64) -> ObjectKey {
    guard let key = ObjectKey("zones/\(zone)/log/\(LogPlace.digits(sequence))") else {
      preconditionFailure("a log key that isn't a key")
    }
    return key
  }

  /// The keys that others may be given.
  var provenKeys: Keyring { keys.only(proven) }

  /// Forgets the keys that opened nothing: with one of them, a later epoch couldn't be read though
  /// its own entry brings the right key.
  func dropUnprovenKeys() { keys = provenKeys }

  /// Forgets what was folded here; the keys are tried again.
  func forgetFold(keeping common: Keyring) throws {
    header = try index.write { db in
      try IndexedZone(db, zone: zone).erase()
      return try IndexedZone(db, zone: zone).header
    }
    (keys, proven, loose) = (common, [], [:])
    (trouble, looksBehind, hasReadAll) = (nil, true, false)
  }

  /// Takes a key of an epoch that a valid entry began.
  func keep(_ key: ZoneKey) throws {
    keys.replace(with: key)
    proven.insert(key.epoch)
    let known = provenKeys
    try index.write { db in try IndexedZone(db, zone: zone, header: header).save(known) }
  }

  /// Takes a commit of our own that stands in the log, and its keys, for the next start.
  func accept(_ delta: Delta, _ bytes: [UInt8], next: ZoneKey?) throws {
    if let next { keys.replace(with: next) }
    let proven = self.proven.union([max(header.epoch, 1), delta.header.epoch])
    try index.write { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      try state.apply(delta)
      try state.keep(bytes, at: delta.header.sequence)
      if proven != self.proven { try state.save(keys.only(proven)) }
    }
    self.proven = proven
    header = delta.header
    hasReadAll = true
  }
}

/// An entry that has no effect, on its way to the report.
struct EntryRefused: Error {
  let code: String
  let reason: String
  /// The author, if their chain doesn't have the device that the entry names.
  var unseen: Author?

  init(_ code: String, _ reason: String) {
    self.code = code
    self.reason = reason
  }
}

extension ZoneHeader {
  /// Whether somebody takes part in the zone, or was invited to; before the first entry anybody may
  /// be its owner.
  fileprivate func isMember(_ user: UserID) -> Bool {
    genesis == nil || user == owner || share?.participants[user] != nil
  }
}
