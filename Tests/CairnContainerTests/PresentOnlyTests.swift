import CairnIndex
import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// People who join with the present only: the contents that they see, and those that they can't
/// open.
struct PresentOnlyTests {
  @Test func `no key of a present-only guest opens anything from before`() throws {
    let story = try PastStory()
    let needles = story.needles
    let anas = try Plunder(of: story.world.store, story.zone, by: story.accounts[0])
    #expect(anas.found(needles) == Set(needles.keys), "who may read finds each")

    let (cleo, cleos) = try story.invited("cleo")
    #expect(try cleos.files() == story.zone.files())
    #expect(try cleos.verify().isEmpty && cleos.trouble == nil)
    #expect(try story.digest(cleos) == story.digest(story.zone), "one state for all")
    var hers = try Plunder(of: story.world.store, cleos, by: cleo)
    #expect(hers.found(needles) == [])
    #expect(hers.found(story.present) == Set(story.present.keys), "the test does open things")
    let closing = try #require(story.zone.header.closings.last)
    #expect(hers.keys.all.allSatisfy { $0.epoch > closing.epoch })

    // Later changes give her nothing either: edits, a removal, floors, and the work of gc.
    try story.save("plans", Array("plans of tomorrow".utf8))
    try story.ana.access.remove(story.accounts[1].user, from: story.zone)
    try story.collect(versions: 2)
    try story.save("plans", Array("plans of the day after".utf8))
    try story.collect(versions: 2)
    try cleos.pull()
    #expect(try cleos.files() == story.zone.files())
    hers = try Plunder(of: story.world.store, cleos, by: cleo)
    #expect(hers.found(needles) == [])
    #expect(hers.found(["later": Array("plans of tomorrow".utf8)]) == ["later"])
    // An empty index gives her nothing either.
    let again = try #require(try story.world.open(cleo).zone(story.zone.id))
    try again.pull()
    #expect(try again.files() == story.zone.files() && again.header == story.zone.header)
    #expect(try Plunder(of: story.world.store, again, by: cleo).found(needles) == [])
  }

  @Test func `history begins where they joined, and goes on from there`() throws {
    let story = try PastStory()
    let all = try story.zone.read { try $0.pastSummary() }.versions
    let (_, cleos) = try story.invited("cleo")
    let closing = try #require(story.zone.header.closings.last)
    try cleos.read { (view: ZoneView) throws in
      #expect(view.closing == closing)
      #expect(try view.pastSummary().versions == 0)
      #expect(try view.versions(of: story.plans, limit: 9).count == 1)
      #expect(try view.version(of: story.gone, at: closing.sequence) == nil)
    }
    try story.save("plans", Array("plans of tomorrow".utf8))
    try cleos.pull()
    let versions = try cleos.read { try $0.versions(of: story.plans, limit: 9) }
    #expect(versions.count == 2 && versions.last?.end?.ending == .changed)
    try cleos.readContent(try #require(versions.last?.record.content)) { _ in }
    try story.zone.read { (view: ZoneView) throws in
      #expect(view.closing == nil)
      #expect(try view.pastSummary().versions == all + 1)
      #expect(try view.pastSummary(endedAfter: closing.sequence).versions == 1)
    }
  }

  @Test(arguments: [false, true]) func `earlier participants keep the past, and can restore it`(
    _ isAnew: Bool
  ) throws {
    let story = try PastStory()
    let bobs = story.bobs
    let before = try story.past(bobs)
    let (_, cleos) = try story.invited("cleo")
    if isAnew { try story.collect(versions: nil) }
    let zone =
      try isAnew ? #require(try story.world.open(story.accounts[1]).zone(bobs.id)) : bobs
    try zone.pull()
    #expect(try story.past(zone) == before)
    for id in [story.plans, story.large, story.gone] {
      for version in try zone.read({ try $0.versions(of: id, limit: 9) }) {
        let content = try #require(version.record.content)
        #expect(try zone.read { try $0.hasChunks(of: content) })
        try zone.readContent(content) { _ in }
      }
    }
    #expect(try zone.verify().isEmpty)
    // Restored content isn't stored again, and is available for everybody then.
    let packs = try story.packs()
    for (id, name) in [(story.large, "large back"), (story.plans, "plans back")] {
      let old = try #require(try zone.read { try $0.versions(of: id, limit: 9) }.last)
      try zone.commit(
        [Zone.file(name, try #require(old.record.content))], expecting: zone.header.sequence)
    }
    #expect(try story.packs() == packs)
    try cleos.pull()
    try story.zone.pull()
    let files = try cleos.files()
    #expect(files["large back"] == story.firstLarge && files["plans back"] == story.firstPlans)
    #expect(try files == story.zone.files() && files == zone.files())
    #expect(try story.digest(cleos) == story.digest(zone))
    #expect(try story.digest(story.zone) == story.digest(zone))
  }

  @Test func `each person sees the time since they joined, and full guests see all`() throws {
    let story = try PastStory()
    let (cleo, cleos) = try story.invited("cleo")
    let (_, dans) = try story.invited("dan")
    #expect(dans.header.closings.count == 1, "nothing had happened in between")
    try story.save("plans", Array("between the two".utf8))
    try story.save("plans", Array("after both".utf8))
    let (eve, eves) = try story.invited("eve")
    #expect(eves.header.closings.count == 2)
    let between = ["between": Array("between the two".utf8)]
    #expect(try Plunder(of: story.world.store, eves, by: eve).found(between) == [])
    try cleos.pull()
    #expect(try Plunder(of: story.world.store, cleos, by: cleo).found(between) == ["between"])
    try story.collect(versions: nil)
    // The same is true below the floor.
    let again = try #require(try story.world.open(cleo).zone(story.zone.id))
    try again.pull()
    #expect(try again.read { try $0.versions(of: story.plans, limit: 9) }.count == 3)
    let finn = try story.world.account("finn")
    _ = try story.ana.sharing.invite(finn.user, to: story.zone, permission: .readWrite)
    let finns = try story.world.open(finn).participation.accept(story.zone.id)
    #expect(try story.past(finns) == story.past(story.zone))
    #expect(try finns.read { $0.closing } == nil)
    let plunder = try Plunder(of: story.world.store, finns, by: finn)
    #expect(plunder.found(story.needles) == Set(story.needles.keys))
    try story.zone.pull()
    for zone in [cleos, dans, eves, finns] {
      try zone.pull()
      #expect(try story.digest(zone) == story.digest(story.zone))
    }
  }

  @Test func `links show only the present, and no more of it later`() throws {
    let story = try PastStory()
    let made = try story.ana.links.oneTimeLink(to: story.zone, permission: .readOnly, fromNow: true)
    let cleo = try story.world.account("cleo")
    let cleos = try story.world.open(cleo).links.accept(
      story.ana.links.link(to: story.zone, secret: made.secret))
    #expect(try cleos.files() == story.zone.files())
    #expect(try Plunder(of: story.world.store, cleos, by: cleo).found(story.needles) == [])

    try story.zone.changeShare([.setPublic(.readOnly)], rekey: true)
    let secret = try story.ana.links.publicLink(to: story.zone, fromNow: true)
    #expect(try story.ana.links.publicLink(to: story.zone) == secret, "it stays what it is")
    #expect(try story.ana.links.publicLink(to: story.zone, fromNow: true) == secret)
    try story.save("plans", Array("plans of tomorrow".utf8))
    #expect(try story.ana.links.publicLink(to: story.zone) == secret)
    let other = try story.ana.links.publicLink(to: story.zone, fromNow: true)
    #expect(other != secret)
    let dan = try story.world.account("dan")
    let dans = try story.world.open(dan).links.accept(
      story.ana.links.link(to: story.zone, secret: other))
    #expect(try dans.files() == story.zone.files())
    let now = ["now": Array("plans of today".utf8)]
    #expect(try Plunder(of: story.world.store, dans, by: dan).found(story.needles) == [])
    #expect(try Plunder(of: story.world.store, dans, by: dan).found(now) == [])
    #expect(
      try Plunder(of: story.world.store, story.zone, by: story.accounts[0]).found(now) == ["now"])
  }

  @Test func `only some people may do it, and only for some guests`() throws {
    let story = try PastStory()
    let (adam, cleo) = (try story.world.account("adam"), try story.world.account("cleo"))
    let bob = try story.world.open(story.accounts[1])
    let bobs = try #require(try bob.zone(story.zone.id))
    try story.ana.access.setRole(.administrator, of: story.accounts[1].user, in: story.zone)
    try bobs.pull()
    #expect(
      try cloudCode {
        _ = try bob.sharing.invite(cleo.user, to: bobs, permission: .readOnly, fromNow: true)
      }
        == .permissionFailure)
    let places = story.zone.header.sequence
    #expect(
      try cloudCode {
        _ = try story.ana.sharing.invite(
          [cleo.user, story.accounts[1].user], to: story.zone, permission: .readOnly, fromNow: true)
      } == .participantAlreadyInvited)
    #expect(story.zone.header.sequence == places, "nobody was invited, and nothing closed")
    // A later member has no past to give to others, and can't own a zone that they can't keep.
    _ = try story.ana.sharing.invite(
      adam.user, to: story.zone, permission: .readWrite, fromNow: true)
    try story.ana.access.setRole(.administrator, of: adam.user, in: story.zone)
    let adams = try story.world.open(adam).participation.accept(story.zone.id)
    let his = try story.world.open(adam)
    let zone = try #require(try his.zone(adams.id))
    try zone.pull()
    #expect(
      try cloudCode { _ = try his.sharing.invite(cleo.user, to: zone, permission: .readOnly) }
        == .permissionFailure)
    #expect(zone.header.share?.participants[cleo.user] == nil)
    try story.zone.pull()
    #expect(
      try cloudCode { try story.zone.changeShare([.offer(to: adam.user)]) } == .invalidArguments)
  }

  @Test func `an invitation that is sent again gives no more`() throws {
    let story = try PastStory()
    let cleo = try story.world.account("cleo")
    _ = try story.ana.sharing.invite(
      cleo.user, to: story.zone, permission: .readOnly, fromNow: true)
    _ = try story.ana.sharing.invite(cleo.user, to: story.zone, permission: .readWrite)
    let cleos = try story.world.open(cleo).participation.accept(story.zone.id)
    #expect(cleos.header.share?.participants[cleo.user]?.permission == .readWrite)
    #expect(cleos.header.firstEpoch(of: cleo.user) > 1)
    #expect(try Plunder(of: story.world.store, cleos, by: cleo).found(story.needles) == [])
  }

  @Test func `a stranger's forged log is nobody's, whoever its claimed owner is`() throws {
    let story = try PastStory()
    let (cleo, eve) = (try story.world.account("cleo"), try story.world.account("eve"))
    // Eve knows the founder and the nonce, as somebody who has seen a door does. She claims the
    // rest.
    let first = try #require(try story.world.store.get(story.zone.place(1)))
    let nonce = try #require(
      EntryCodec.nonce(of: first, zone: story.zone.id, keys: story.zone.keyring()))
    let forged = try ForgedFloor(of: story.zone, in: story.world.store, by: eve, for: cleo)
    let invitation = Invitation(
      id: .random(), container: story.world.id, zone: story.zone.id,
      owner: story.accounts[0].user, keyring: Keyring([forged.key]), title: "Trip",
      permission: .readWrite, inviter: eve.author, time: 1,
      zoneHead: LogAnchor(sequence: forged.place, digest: forged.head),
      chainHead: ChainHead(length: 1, head: IdentityLog.digest(of: eve.origin)), nonce: nonce)
    let person = try #require(try People(store: story.world.store).refresh(cleo.user))
    let object = try invitation.sealed(to: person, by: eve)
    #expect(try story.world.store.put(Inbox.key(of: cleo.user, invitation.id), object) == .stored)
    let hers = try story.world.open(cleo)
    #expect(try hers.participation.invitations().count == 1)
    #expect(
      try cloudCode { _ = try hers.participation.accept(story.zone.id) } == .permissionFailure)
    #expect(try hers.zone(story.zone.id) == nil)
  }

  @Test(arguments: [1, 4, 9, 15, 22, 30, 45, 70])
  func `a closing that is cut off at any call is continued`(_ call: Int) throws {
    for fault in [FaultyStore.Fault.before, .after] {
      let story = try PastStory()
      let faulty = FaultyStore(story.world.store)
      let ana = try story.world.open(
        story.accounts[0], index: "\(story.world.folder)/faulty", store: faulty)
      let zone = try #require(try ana.zone(story.zone.id))
      try zone.pull()
      let cleo = try story.world.account("cleo")
      faulty.fail(call: call, fault)
      do {
        _ = try ana.sharing.invite(cleo.user, to: zone, permission: .readWrite, fromNow: true)
      } catch is CloudError {} catch is StoreError {}
      faulty.heal()
      _ = try ana.sharing.invite(cleo.user, to: zone, permission: .readWrite, fromNow: true)
      #expect(zone.header.closings.count == 1, "at call \(call)")
      let cleos = try story.world.open(cleo).participation.accept(zone.id)
      #expect(try cleos.files() == zone.files())
      #expect(try Plunder(of: story.world.store, cleos, by: cleo).found(story.needles) == [])
      #expect(try cleos.verify().isEmpty && zone.verify().isEmpty)
    }
  }

  @Test func `a forgotten version of a closed past is removed from the hidden part, too`() throws {
    let story = try PastStory()
    _ = try story.invited("cleo")
    let past = try story.zone.read { try PastToForget(of: story.gone, version: nil, in: $0) }
    try story.ana.ownership.forget(past, in: story.zone)
    for _ in 0..<2 { try story.collect(versions: nil) }
    let plunder = try Plunder(of: story.world.store, story.zone, by: story.accounts[0])
    let left = plunder.found(story.needles)
    #expect(!left.contains("deleted") && !left.contains("its chunk"))
    #expect(left.contains("first plans") && left.contains("first large"))
    let fresh = try #require(try story.world.open(story.accounts[1]).zone(story.zone.id))
    try fresh.pull()
    #expect(try fresh.read { try $0.versions(of: story.gone, limit: 9) }.isEmpty)
    #expect(try fresh.read { try $0.versions(of: story.plans, limit: 9) }.count == 2)
  }
}

/// A zone of Ana's that Bob has joined, and its past: a small file that was edited; a large one
/// whose first content is in a pack beside present content; a deleted one; and a renamed one.
private final class PastStory {
  let world: ZoneWorld
  let ana: Container
  let accounts: [Account]
  let zone: Zone
  let bobs: Zone
  let (plans, large, gone): (RecordID, RecordID, RecordID)
  let firstPlans = Array("the first plans, \(Int.max)".utf8)
  let firstLarge = ContentPieces.noise(150_000, seed: 3)
  let beside = ContentPieces.noise(90_000, seed: 4)
  private(set) var needles: [String: [UInt8]] = [:]
  private(set) var present: [String: [UInt8]] = [:]
  private var now = WallClock.seconds

  init() throws {
    world = try ZoneWorld()
    let (anas, bobs, accounts) = try world.shared()
    (self.accounts, self.bobs) = (accounts, bobs)
    ana = try world.open(accounts[0])
    zone = try #require(try ana.zone(anas.id))
    try zone.pull()
    plans = try zone.write("plans", firstPlans)
    let large = try Zone.file("large", try zone.ingest(firstLarge))
    self.large = large.id
    try zone.save([large, Zone.file("beside", try zone.ingest(beside))])
    let secret = Array("deleted and secret, \(Int.min)".utf8)
    gone = try zone.write("of old", secret)
    let moved = try zone.write("the former name", [7, 7, 7])
    needles = [
      "first plans": firstPlans, "first large": Array(firstLarge[70_000..<70_100]),
      "deleted": secret, "name": Array("of old".utf8), "former name": Array("the former name".utf8),
    ]
    for (name, id) in [("first plans", plans), ("first large", self.large), ("deleted", gone)] {
      let content = try #require(try zone.read { try $0.record(id)?.content })
      needles["id of \(name)"] = content.id.bytes
      for chunk in content.chunks {
        let entry = try #require(try zone.read { try $0.state.chunks.entry(chunk) })
        needles["place of \(name)"] = entry.place
        needles[name == "deleted" ? "its chunk" : "chunk of \(name)"] = chunk.bytes
      }
    }
    try save("plans", Array("plans of today".utf8))
    try save("large", Array("small by now".utf8))
    try zone.save([
      RecordChange(id: gone, act: .delete),
      RecordChange(
        id: moved, act: .update,
        place: Place(parent: .root, name: try #require(FileName("the new name")))),
    ])
    present = [
      "plans": Array("plans of today".utf8), "beside": Array(beside[1_000..<1_100]),
      "name": Array("the new name".utf8),
    ]
    try bobs.pull()
  }

  func save(_ name: String, _ bytes: [UInt8]) throws {
    try zone.pull()
    let place = try #require(FileName(name))
    let id = try #require(try zone.read { try $0.child(of: .root, named: place) })
    var change = RecordChange(id: id, act: .update)
    change.content = try zone.ingest(bytes)
    try zone.commit([change], expecting: zone.header.sequence)
  }

  /// Returns a guest who is invited with the present only, and has accepted.
  func invited(_ handle: String) throws -> (account: Account, zone: Zone) {
    let account = try world.account(handle)
    _ = try ana.sharing.invite(account.user, to: zone, permission: .readWrite, fromNow: true)
    let theirs = try world.open(account).participation.accept(zone.id)
    try zone.pull()
    try theirs.pull()
    return (account, theirs)
  }

  /// Raises a floor, deletes the entries below it and all garbage, and repacks. That many versions
  /// of each file are kept; nil: all.
  func collect(versions: UInt32?) throws {
    if let versions {
      try ana.ownership.setHistory(HistoryPolicy(versions: versions), of: zone)
      _ = try ana.upkeep.collectGarbage(at: now, floorAfter: .max)
      now += 8 * 86_400
    }
    for _ in 0..<2 {
      _ = try ana.upkeep.collectGarbage(at: now, floorAfter: 1)
      now += Upkeep.garbageLife
    }
    _ = try ana.upkeep.collectGarbage(at: now, floorAfter: .max)
    try zone.pull()
  }

  /// Returns the numbers of available versions, and of deleted files with a version.
  func past(_ zone: Zone) throws -> [Int] {
    let summary = try zone.read { try $0.pastSummary() }
    return [summary.versions, summary.deleted]
  }

  func packs() throws -> [ObjectKey] {
    try world.keys("users/").filter { $0.description.contains("/packs/") }
  }

  func digest(_ zone: Zone) throws -> Bytes32 {
    try zone.read { try $0.state.digest(under: zone.header) }
  }
}

/// A floor under an invented key, in a log that claims that they own the zone now.
private struct ForgedFloor {
  let key: ZoneKey
  let place: UInt64
  let head: Bytes32

  init(
    of zone: Zone, in store: any ObjectStore, by eve: Account, for cleo: Account
  ) throws {
    var header = zone.header
    key = ZoneKey.random(epoch: header.epoch)
    place = header.sequence + 1
    header.owner = eve.user
    header.share?.owner = eve.user
    header.share?.participants = [
      cleo.user: Participant(
        user: cleo.user, role: .privateUser, permission: .readWrite, acceptance: .pending)
    ]
    header.keys = [eve.user: eve.encryptionKey, cleo.user: cleo.encryptionKey]
    header.checkpoints = [header.sequence]
    let writer = SnapshotWriter(folder: zone.folder, store: store, key: key)
    let forged = header
    let lists = try zone.exclusively { replica in
      try replica.index.read { db in
        let state = try IndexedZone(db, zone: zone.id, header: forged)
        return try writer.write(state, state.ages.retention(at: 0))
      }
    }
    let passed = PassedPositions(upTo: header.sequence) { _ in nil }
    let floor = Floor(
      checkpoint: header.sequence,
      digest: StateDigest.digest(header, lists: Array(lists.prefix(4))), forgotten: 0,
      past: Snapshot.past(versions: lists[4], passed))
    let commit = Commit(
      previous: header.head, author: eve.author, time: 1, epoch: key.epoch,
      share: [.zone(.floor(floor))],
      chain: ChainHead(length: 1, head: IdentityLog.digest(of: eve.origin)))
    let entry = try EntryCodec.seal(
      commit, zone: zone.id, sequence: place, key: key, account: eve)
    _ = try store.put(zone.folder.place(place, key), entry)
    head = EntryCodec.digest(of: entry)
    try writer.put(
      Snapshot(entry: entry, place: place, header: header, lists: lists, passed: passed))
  }
}
