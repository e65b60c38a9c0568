import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone
import Synchronization

/// This device's copy of one zone: the index, the keys, and the access to the log. It has one
/// owner, `Zone`, which admits one caller at a time. It must not know folders.
public final class ZoneReplica {
  /// The zone.
  public let zone: ZoneID
  /// The keys of its objects.
  public let folder: ZoneFolder
  let store: any ObjectStore
  /// The index file with the zone's rows.
  public let index: IndexFile
  let account: Account
  let people: People
  /// The location of the container with the log.
  let sites: SiteLook
  let opener: EntryCodec.Opener
  /// The keys to try. Those in the index opened an entry; others may be false.
  public var keys: Keyring
  /// The epochs whose keys opened a valid entry, or sealed one of ours.
  var proven: Set<UInt64>
  /// The header of the zone after the last replayed entry.
  public internal(set) var header: ZoneHeader {
    didSet {
      if header.sequence != oldValue.sequence { loose.begin(terms) }
    }
  }
  /// The chunks without a commit.
  let loose: LooseChunks
  /// The reader of the log.
  var cursor = LogCursor()
  /// The checks of the log in this run.
  var looks = LogLooks()
  /// The notifications of the store about the log.
  let hints = LogHints()
  /// The prefetched results under keys that are read next.
  var ahead: Prefetch
  /// A Boolean value that indicates whether the replayed state is all that this person can see, as
  /// far as checked: the log was read to its end, or up to their exclusion.
  var isReadThrough: Bool { cursor.hasReadAll || !canReadOn }
  /// The position of the entry that last raised the epoch, and the ended epoch, while nothing is
  /// behind it, or its record is not put yet.
  var ended: (epoch: UInt64, sequence: UInt64)?
  /// The epoch of the seal of the entry with that digest, once it is known: the last one is looked
  /// at before and after each commit.
  var last: (head: Bytes32, epoch: UInt64)?
  /// The next position of a public log; nil for other logs, whose keys give it.
  let open: PublicPlaces?
  /// The number of entries that were tried to be put in this run, whatever the result.
  var entriesTried: UInt64 = 0

  /// Opens the index of the zone; `extra` are keys from an invitation or the account, `links` the
  /// keys of this person's links. New packs belong to `owner`.
  public init(
    _ zone: ZoneID, kind: ZoneKind = .owned, founder: UserID, owner: UserID, store: any ObjectStore,
    index: IndexFile, account: Account, people: People, keys extra: Keyring, links: [BoxKey] = []
  ) throws {
    sites = people.sites
    self.zone = zone
    folder = ZoneFolder(zone: zone, founder: founder, kind: kind)
    open =
      kind == .owned ? nil : PublicPlaces(folder, in: store, people: people, as: account)
    self.store = store
    ahead = Prefetch(store)
    self.index = index
    self.account = account
    self.people = people
    opener = EntryCodec.Opener(account: account, links: links)
    let known: Keyring
    (header, known, ended) = try index.write { db in
      let state = try IndexedZone(db, zone: zone, kind: kind)
      return (state.header, try state.log.keys(), try state.lastRaise())
    }
    proven = Set(known.all.map(\.epoch))
    keys = known
    keys.merge(extra)
    loose = try LooseChunks(owner: owner, notes: LooseChunkTable(index, zone, kind))
    loose.begin(terms)
  }

  /// The inviter's anchor for a newcomer; the log must contain it.
  public var anchor: LogAnchor? {
    get { cursor.anchor }
    set { cursor.anchor = newValue }
  }

  /// The difference between the log in the container and earlier reads, as far as checked.
  var trouble: LogTrouble? {
    get { cursor.trouble }
    set {
      cursor.trouble = newValue
      guard let newValue else { return }
      looks.forgetEnd()
      // Packs without an entry may be lost with the entries: their content is stored again.
      if newValue.kind != .held { loose.dropAll() }
    }
  }

  /// The conditions for new packs, by the replayed state.
  private var terms: LooseChunks.Terms {
    LooseChunks.Terms(
      owner: header.owner ?? loose.owner,
      generation: header.kind == .public ? PackStamp.publicGeneration : header.generation,
      mayStore: header.genesis == nil || header.mayWrite(account.user))
  }

  func read<Result>(_ body: (ZoneView) throws -> Result) throws -> Result {
    try index.read { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      return try body(
        ZoneView(state: state, device: account.device.id, user: account.user, isReadOnly: false))
    }
  }

  /// The keys that others may get.
  var provenKeys: Keyring { keys.only(proven) }

  /// Forgets the keys that opened nothing. With a false one, a later epoch could not be read though
  /// its own entry has the right key.
  func dropUnprovenKeys() { keys = provenKeys }

  /// Forgets the replayed state; the keys are tried again.
  func forgetFold(keeping common: Keyring) throws {
    header = try index.write { db in
      try IndexedZone(db, zone: zone).erase()
      return try IndexedZone(db, zone: zone).header
    }
    loose.dropAll()
    cursor.forget()
    (keys, proven, looks, ended) = (common, [], LogLooks(), nil)
  }

  /// The state in the index, if it isn't this replica's: another replica of this process has the
  /// same index. Entries that are replayed there are never judged again: the second judgement would
  /// find their records in use.
  func stateAhead(_ db: IndexConnection) throws -> (header: ZoneHeader, keys: Keyring)? {
    let stored = try IndexedZone(reading: db, zone: zone, known: header)
    guard stored.header.sequence != header.sequence || stored.header.head != header.head else {
      return nil
    }
    return (stored.header, try stored.log.keys())
  }

  /// Continues with the state in the index.
  func goOn(from stored: ZoneHeader, _ known: Keyring) {
    header = stored
    proven.formUnion(known.all.map(\.epoch))
    keys.merge(known)
    cursor.expected.drop(upTo: header.sequence)
  }

  /// Stores the key of an epoch that a valid entry began.
  func keep(_ key: ZoneKey) throws {
    keys.replace(with: key)
    proven.insert(key.epoch)
    let known = provenKeys
    try index.write { db in try IndexedZone(db, zone: zone, header: header).log.save(known) }
  }

  /// Stores an own commit in the log, and its keys, for the next start.
  func accept(
    _ delta: Delta, _ bytes: [UInt8], of commit: Commit, next: ZoneKey?
  ) throws {
    let place = try openPlace()
    if let next { keys.replace(with: next) }
    let proven = self.proven.union([commit.epoch, delta.header.epoch])
    try index.write { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      try state.apply(delta, of: commit, epoch: commit.epoch)
      try state.keptEntries.keep(bytes, at: delta.header.sequence)
      try state.log.note(place, at: delta.header.sequence)
      if proven != self.proven { try state.log.save(keys.only(proven)) }
      try LooseChunkTable.forget(loose.noted(of: commit.chunks), in: state.rows)
      try noteAge(of: delta.header, db)
    }
    (self.proven, header) = (proven, delta.header)
    last = (header.head, commit.epoch)
    cursor.hasReadAll = true
    looks.see(header.sequence, at: WallClock.now)
  }

  /// Notes the time when this device had read a zone of this person up to here.
  func noteAge(of header: ZoneHeader, _ db: IndexConnection) throws {
    guard header.owner == account.user else { return }
    try IndexedZone(db, zone: zone, header: header).ages.note(header, at: WallClock.seconds)
  }
}

/// The checks of a log in this run.
struct LogLooks {
  /// A Boolean value that indicates whether remains of a crash that no log continues must still be
  /// checked.
  var owesTaken = true
  /// The log start of the replayed state, until the log has confirmed it.
  var taken: SnapshotBootstrap.Taken?
  /// The time, in nanoseconds, for which the end of the log is trusted before an append without
  /// reading again. It is too short for an exchange of the container.
  var trust: Int64 = 5_000_000_000
  /// The last entry at the last check without problems.
  private var end: (sequence: UInt64, time: Int64, hints: Int?)?
  /// The number of notifications before the present check; nil if it can't show the log's end.
  private var begun: Int?

  /// Notes that a check begins after so many notifications. It finds what they were about.
  /// - Parameter hints: The number of notifications so far; nil if an object behind the last entry
  ///   isn't explained by the check.
  mutating func begin(after hints: Int?) { begun = hints }

  /// Notes that the log ends after that entry, by the present check.
  mutating func see(_ sequence: UInt64, at time: Int64) { end = (sequence, time, begun) }

  /// Returns whether the log was seen to end after that entry since all notifications so far.
  func hasSeen(_ sequence: UInt64, after hints: Int) -> Bool {
    end.map { $0.sequence == sequence && $0.hints == hints } ?? false
  }

  /// Returns whether that was seen very recently.
  func sawEnd(_ sequence: UInt64, by time: Int64) -> Bool {
    guard let end, end.sequence == sequence, time >= end.time else { return false }
    return time - end.time < trust
  }

  /// Notes a possible problem.
  mutating func forgetEnd() { (end, begun) = (nil, nil) }
}

/// The number of a store's notifications about a log. A notification of an own put usually comes
/// before the put is checked, and then says nothing new.
final class LogHints: Sendable {
  private let heard = Atomic(0)
  var count: Int { heard.load(ordering: .sequentiallyConsistent) }

  func add() { heard.add(1, ordering: .sequentiallyConsistent) }
}
