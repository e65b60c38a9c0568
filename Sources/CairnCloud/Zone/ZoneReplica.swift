import CairnIndex
import CairnStore
import CairnZone

/// This device's copy of one zone: the index, the keys, and the way to the log. It has one owner,
/// `Zone`, which lets one caller in at a time. It must not know folders.
final class ZoneReplica {
  let zone: ZoneID
  /// Where its objects stand.
  let folder: ZoneFolder
  let store: any ObjectStore
  let index: IndexFile
  let account: Account
  let people: People
  /// Where the container stands that the log is read in.
  let sites: SiteLook
  let opener: EntryCodec.Opener
  /// The keys to try. Those in the index opened an entry; others may come from a liar.
  var keys: Keyring
  /// The epochs whose keys opened an entry that is valid, or sealed one of ours.
  var proven: Set<UInt64>
  var header: ZoneHeader {
    didSet {
      if header.generation > oldValue.generation { loose.dropClosed(below: header.generation) }
    }
  }
  /// The chunks that no commit named yet.
  let loose: LooseChunks
  /// How the log in the container differs from what was read here, as far as was looked.
  var trouble: LogTrouble? {
    didSet {
      if trouble != nil { looks.forgetEnd() }
      // Packs that no entry names yet may be gone with the entries: what they hold is stored anew.
      if let trouble, trouble.kind != .held { loose.dropAll() }
    }
  }
  /// What of the log was looked at in this run.
  var looks = LogLooks()
  /// What stands under keys that are looked at next.
  var ahead: Foresight
  /// Whether what is folded is all that this person will ever see, as far as was looked: the log
  /// was read to its end, or up to where they were shut out.
  var isReadThrough: Bool { looks.hasReadAll || !canReadOn }
  /// What belongs in the next places, where something behind them tells.
  var course = LogCourse()
  /// The place of the entry that raised the epoch last, and the epoch that it ended, as long as
  /// nothing stands behind it, or the mark of that isn't put yet.
  var ended: (epoch: UInt64, sequence: UInt64)?
  /// What held the next place at the last look.
  var held = Found.nothing
  /// Where a public log goes on; nil for other logs, whose keys tell it.
  let open: PublicPlaces?
  /// How many entries were tried to be put in this run, whatever came of them.
  var entriesTried: UInt64 = 0
  /// What a newcomer was told of the log by whoever let them in; the log must come by it.
  var anchor: LogAnchor?

  /// Opens what the index knows of the zone; `extra` are keys from an invitation or the account,
  /// `links` the keys of links that this person holds. New packs lie with `owner`.
  init(
    _ zone: ZoneID, kind: ZoneKind = .owned, founder: UserID, owner: UserID, store: any ObjectStore,
    index: IndexFile, account: Account, people: People, keys extra: Keyring, links: [BoxKey] = []
  ) throws {
    sites = people.sites
    self.zone = zone
    folder = ZoneFolder(zone: zone, founder: founder, kind: kind)
    open =
      kind == .owned ? nil : PublicPlaces(folder, in: store, people: people, as: account)
    self.store = store
    ahead = Foresight(store)
    self.index = index
    self.account = account
    self.people = people
    opener = EntryCodec.Opener(account: account, links: links)
    let known: Keyring
    (header, known, ended) = try index.write { db in
      let state = try IndexedZone(db, zone: zone, kind: kind)
      return (state.header, try state.keys(), try state.lastRaise())
    }
    proven = Set(known.all.map(\.epoch))
    keys = known
    keys.merge(extra)
    loose = LooseChunks(store, owner: owner)
  }

  func read<Result>(_ body: (ZoneView) throws -> Result) throws -> Result {
    try index.read { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      return try body(
        ZoneView(state: state, device: account.device.id, user: account.user, isReadOnly: false))
    }
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
    loose.dropAll()
    (keys, proven, course) = (common, [], LogCourse())
    (trouble, looks, ended) = (nil, LogLooks(), nil)
  }

  /// Takes a key of an epoch that a valid entry began.
  func keep(_ key: ZoneKey) throws {
    keys.replace(with: key)
    proven.insert(key.epoch)
    let known = provenKeys
    try index.write { db in try IndexedZone(db, zone: zone, header: header).save(known) }
  }

  /// Takes a commit of our own that stands in the log, and its keys, for the next start.
  func accept(
    _ delta: Delta, _ bytes: [UInt8], of commit: Commit, next: ZoneKey?
  ) throws {
    let place = try openPlace()
    if let next { keys.replace(with: next) }
    let proven = self.proven.union([commit.epoch, delta.header.epoch])
    try index.write { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      try state.apply(delta, of: commit, epoch: commit.epoch)
      try state.keep(bytes, at: delta.header.sequence)
      if let place { try state.name(place, at: delta.header.sequence) }
      if proven != self.proven { try state.save(keys.only(proven)) }
      try noteAge(of: delta.header, db)
    }
    self.proven = proven
    header = delta.header
    looks.hasReadAll = true
    looks.see(header.sequence, at: WallClock.now)
  }

  /// Notes when this device had read a zone of this person's so far.
  func noteAge(of header: ZoneHeader, _ db: IndexConnection) throws {
    guard header.owner == account.user else { return }
    try IndexedZone(db, zone: zone, header: header).noteAge(at: WallClock.seconds)
  }
}

/// What of a log was looked at in this run.
struct LogLooks {
  /// Whether it is still to be looked if entries stand behind a gap.
  var owesBehind = true
  /// Whether the log was read to its end.
  var hasReadAll = false
  /// Whether it is still to be looked if a crash left what no log goes on from.
  var owesTaken = true
  /// The floor that what is folded began with, until the log has shown that it is one of its own.
  var taken: FloorWay.Taken?
  /// For how many nanoseconds nobody looks again if the log goes on behind its end, before
  /// something is put there: so little that no container is exchanged meanwhile.
  var trust: Int64 = 5_000_000_000
  /// The entry behind which the log ended when it was looked at last, and nothing was amiss.
  private var end: (sequence: UInt64, time: Int64)?

  /// The log ends behind that entry.
  mutating func see(_ sequence: UInt64, at time: Int64) { end = (sequence, time) }

  /// Whether that was seen a moment ago.
  func sawEnd(_ sequence: UInt64, by time: Int64) -> Bool {
    guard let end, end.sequence == sequence, time >= end.time else { return false }
    return time - end.time < trust
  }

  /// Something may be amiss.
  mutating func forgetEnd() { end = nil }
}
