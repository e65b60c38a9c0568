import CairnIndex
import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Floors under the key of an ended epoch, by the founder of the zone, who transferred it and was
/// then removed. Later newcomers are told the founder's name, and accept the founder's floors.
struct FormerFounderTests {
  /// The forged objects of a removed founder below a false floor.
  enum Fork: String, CaseIterable, Sendable {
    case floor = "the floor's entry alone"
    case checkpoint = "the checkpoint's entry as well"
    case held = "rubbish behind the checkpoint"
    case log = "a log from the checkpoint to the floor and on"
  }

  @Test(arguments: Fork.allCases)
  func `nobody sees what a removed founder writes under an old key`(
    _ fork: Fork
  ) throws {
    let story = try Story()
    let forged = try story.forge(fork)
    let (cy, cys) = try story.invited("cy")
    #expect(try cys.files() == story.bobs.files())
    #expect(cys.header == story.bobs.header)
    // Nobody sees it when it disappears either. Otherwise a single acceptance would last.
    for key in forged.rubbish { try story.world.store.delete(key) }
    try cys.pull()
    #expect(cys.header == story.bobs.header && cys.trouble == nil)
    let again = try #require(try story.world.open(cy).zone(story.zone.id))
    try again.pull()
    #expect(again.header == story.bobs.header)
  }

  @Test(arguments: Fork.allCases)
  func `the same is true if the entries below the owner's own floor are gone`(_ fork: Fork) throws {
    let story = try Story()
    _ = try story.forge(fork)
    try story.sweep()
    #expect(try story.world.store.get(story.zone.folder.place(1, story.old)) == nil)
    let (_, cys) = try story.invited("cy")
    #expect(try cys.files() == story.bobs.files())
    #expect(cys.header == story.bobs.header)
    #expect(try story.world.store.get(story.floor) == nil, "gc takes away what tells of it")
  }
}

/// A zone of Ana's that is Bob's now. He has removed her.
private final class Story {
  let world: ZoneWorld
  let accounts: [Account]
  let bob: Container
  let bobs: Zone
  /// The zone as Ana has read it before she was removed.
  let zone: Zone
  let old: ZoneKey
  private(set) var floor: ObjectKey
  private var now = WallClock.seconds

  init() throws {
    world = try ZoneWorld()
    let (anas, shared, accounts) = try world.shared()
    self.accounts = accounts
    zone = anas
    try anas.write("before", [1])
    let ana = try world.open(accounts[0])
    try ana.ownership.offer(try #require(try ana.zone(anas.id)), to: accounts[1].user)
    try shared.changeShare([.takeOver])
    try anas.pull()
    old = try #require(anas.keyring().latest)
    bob = try world.open(accounts[1])
    bobs = try #require(try bob.zone(shared.id))
    try bobs.pull()
    try bob.access.remove(accounts[0].user, from: bobs)
    try bobs.write("after", [2])
    floor = zone.folder.floor(1, old)
  }

  func invited(_ handle: String) throws -> (Account, Zone) {
    let account = try world.account(handle)
    _ = try bob.sharing.invite(account.user, to: bobs, permission: .readWrite)
    let theirs = try world.open(account).participation.accept(zone.id)
    try bobs.pull()
    try theirs.pull()
    return (account, theirs)
  }

  /// Lets Bob raise a floor and delete everything below it.
  func sweep() throws {
    try bob.ownership.setHistory(HistoryPolicy(versions: 1), of: bobs)
    let rounds: [(days: Int64, least: UInt64)] = [(0, .max), (8, 1), (7, .max), (7, .max)]
    for round in rounds {
      now += round.days * 86_400
      _ = try bob.upkeep.collectGarbage(at: now, floorAfter: round.least)
    }
    try bobs.pull()
  }

  /// Ana claims that everything is hers, in a state of her choice, at places behind the end of
  /// epoch 1.
  func forge(_ fork: FormerFounderTests.Fork) throws -> (rubbish: [ObjectKey], place: UInt64) {
    let ana = accounts[0]
    var header = zone.header
    header.sequence += 20
    header.owner = ana.user
    header.share = nil
    header.keys = [ana.user: ana.encryptionKey]
    header.checkpoints = [header.sequence]
    header.head = try put(Commit.empty(by: ana, behind: .zero, in: old), at: header.sequence, fork)
    let writer = SnapshotWriter(folder: zone.folder, store: world.store, key: old)
    let (forged, id) = (header, zone.id)
    let lists = try zone.exclusively { replica in
      try replica.index.read { db in
        let state = try IndexedZone(db, zone: id, header: forged)
        return try writer.write(state, state.ages.retention(at: 0))
      }
    }
    let passed = try zone.exclusively { replica in
      try PassedPositions(upTo: forged.sequence) { place in
        try replica.index.read { db in
          try IndexedZone(db, zone: id, header: forged).log.digest(at: place)
        }
      }
    }
    let claim = Floor(
      checkpoint: header.sequence,
      digest: StateDigest.digest(header, lists: Array(lists.prefix(4))), forgotten: 0,
      past: Snapshot.past(versions: lists[4], passed))
    var commit = Commit.empty(by: ana, behind: header.head, in: old)
    commit.share = [.zone(.floor(claim))]
    var (place, rubbish) = (header.sequence + 1, [ObjectKey]())
    if fork == .held {
      rubbish = [zone.folder.place(place, old)]
      #expect(try world.store.put(rubbish[0], [1, 2, 3]) == .stored)
      place += 1
    }
    let entry = try EntryCodec.seal(commit, zone: id, sequence: place, key: old, account: ana)
    #expect(try world.store.put(zone.folder.place(place, old), entry) == .stored)
    if fork == .log {
      var last = EntryCodec.digest(of: entry)
      for further in 1...30 {
        let next = try EntryCodec.seal(
          Commit.empty(by: ana, behind: last, in: old), zone: id,
          sequence: place + UInt64(further), key: old, account: ana)
        _ = try world.store.put(zone.folder.place(place + UInt64(further), old), next)
        last = EntryCodec.digest(of: next)
      }
    }
    floor = try writer.put(
      Snapshot(entry: entry, place: place, header: header, lists: lists, passed: passed))
    return (rubbish, place)
  }

  private func put(
    _ commit: Commit, at sequence: UInt64, _ fork: FormerFounderTests.Fork
  ) throws -> Bytes32 {
    let entry = try EntryCodec.seal(
      commit, zone: zone.id, sequence: sequence, key: old, account: accounts[0])
    if fork != .floor { _ = try world.store.put(zone.folder.place(sequence, old), entry) }
    return EntryCodec.digest(of: entry)
  }
}

extension Commit {
  /// Returns a commit that changes nothing.
  fileprivate static func empty(by ana: Account, behind head: Bytes32, in key: ZoneKey) -> Commit {
    Commit(
      previous: head, author: ana.author, time: 1, epoch: key.epoch,
      chain: ChainHead(length: 1, head: IdentityLog.digest(of: ana.origin)))
  }
}
