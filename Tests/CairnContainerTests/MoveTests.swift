import CairnStore
import CairnZone
import Foundation
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// People who go on with a container at another site, one after the other.
struct MoveTests {
  /// Ana and Bob, each with a folder that the other has joined, and something published.
  private final class Team {
    let world: ZoneWorld
    let accounts: [Account]
    let (anas, bobs): (ZoneID, ZoneID)
    var (ana, bob): (Container, Container)
    let place = "s3:https://there/bucket"

    init() throws {
      world = try ZoneWorld()
      accounts = [try world.account("ana"), try world.account("bob")]
      (ana, bob) = (
        try world.open(accounts[0], index: "\(world.folder)/ana"),
        try world.open(accounts[1], index: "\(world.folder)/bob")
      )
      anas = try Self.share("Anas", of: ana, with: bob)
      bobs = try Self.share("Bobs", of: bob, with: ana)
      try zone(anas, ana).write("a", ContentPieces.noise(200_000))
      try zone(bobs, bob).write("b", [2])
      try ana.publicZones.founded().write("news", [3])
    }

    private static func share(
      _ title: String, of owner: Container, with other: Container
    ) throws -> ZoneID {
      let zone = try owner.privateDatabase.createZone(named: title)
      _ = try owner.sharing.share(zone, title: title)
      _ = try owner.sharing.invite(other.account.user, to: zone, permission: .readWrite)
      _ = try other.participation.accept(zone.id)
      try zone.pull()
      return zone.id
    }

    func zone(_ id: ZoneID, _ container: Container) throws -> Zone {
      try #require(try container.zone(id))
    }

    /// Returns the container there, as a person's home has it after the switch.
    func go(_ account: Account, _ name: String, to target: any ObjectStore) throws -> Container {
      try open(account, name, target, try #require(try ContainerFile.root(of: target)))
    }

    /// Returns a home whose program takes that store for the root of its container.
    func open(
      _ account: Account, _ name: String, _ store: any ObjectStore, _ root: ContainerFile
    ) throws -> Container {
      let folder = "\(world.folder)/\(name)"
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      return try Container(
        store: store, id: world.id, account: account, indexFolder: folder, root: root)
    }

    /// Returns a person's home with an empty index.
    func again(_ account: Account, _ name: String, store: (any ObjectStore)? = nil) throws
      -> Container
    {
      try world.open(account, index: "\(world.folder)/\(name)", store: store)
    }
  }

  /// Returns the problem of the zone's log after it was read as far as possible.
  private static func trouble(_ zone: Zone) throws -> LogTrouble? {
    for _ in 0..<2 {
      do { try zone.pull() } catch is CloudError { return zone.trouble }
    }
    return zone.trouble
  }

  @Test func `a recovery sheet works where its person has moved to, and says so elsewhere`() throws
  {
    let team = try Team()
    let target = MemoryStore()
    let (words, _) = try team.ana.recovery.make(named: "sheet")
    #expect(try team.ana.moving.move(to: target, at: team.place).isDone)
    let root = try #require(try ContainerFile.root(of: target))
    _ = try team.go(team.accounts[0], "ana", to: target)
    do {
      _ = try PersonRecovery(words, in: team.world.store).find()
      Issue.record("the sheet works at the old location")
    } catch let error as CloudError {
      #expect(error.code == .badContainer && error.remedy.contains(team.place))
    }
    let recovery = PersonRecovery(words, in: target, trail: root.trail)
    let sheet = try recovery.find()
    #expect(sheet.user == team.accounts[0].user)
    let keys = DeviceKeys.random()
    let me = try recovery.letIn(keys, named: "new", by: sheet)
    #expect(me.devices[keys.id]?.isActive == true)
  }

  @Test func `one person moves after the other, and nothing is lost in between`() throws {
    let team = try Team()
    let (world, target) = (team.world, MemoryStore())
    let outlook = try team.ana.moving.outlook(to: target)
    #expect(outlook.isNew && outlook.own.count == 2 && outlook.gone.isEmpty)
    #expect(outlook.staying.map(\.id) == [team.bobs] && outlook.there.isEmpty)
    let before = try world.keys()
    #expect(try ContainerFile.root(of: target) == nil)

    let report = try team.ana.moving.move(to: target, at: team.place)
    #expect(report.isDone && report.before.problems.isEmpty)
    #expect(Set(try world.keys()).isSuperset(of: before))
    let site = try #require(try ContainerFile.root(of: target)?.trail.here)
    let ana = try team.go(team.accounts[0], "ana", to: target)
    let here = try team.zone(team.anas, ana)
    #expect(try Self.trouble(here) == nil && here.header.site?.id == site)
    try here.write("after", [4])
    try ana.publicZones.founded().write("more", [5])
    _ = try ana.devices.rename(team.accounts[0].device.id, to: "desk")

    // From Bob's old site, her folder can be read, and he is told where it goes on.
    let theirs = try team.zone(team.anas, team.bob)
    #expect(try Self.trouble(theirs)?.kind == .elsewhere)
    #expect(try theirs.trouble?.location == team.place && theirs.names() == ["a"])
    let old = try world.keys()
    #expect(try cloudCode { try theirs.write("waits", [6]) } == .zoneBusy)
    let isLog = { (key: ObjectKey) in key.description.contains("/log/") }
    #expect(try world.keys().filter(isLog) == old.filter(isLog))
    #expect(try team.bob.people.refresh(team.accounts[0].user)?.site?.location == team.place)
    let code = try cloudCode {
      _ = try team.bob.sharing.invite(
        team.accounts[0].user, to: team.zone(team.bobs, team.bob), permission: .readOnly)
    }
    #expect(code == .participantMayNeedVerification)

    // His folder isn't complete at her new site yet, and she gets no news from him there.
    let frozen = try team.zone(team.bobs, ana)
    #expect(try Self.trouble(frozen)?.kind == .elsewhere && frozen.trouble?.location == nil)
    #expect(try frozen.names() == ["b"])
    #expect(try cloudCode { try frozen.write("waits", [7]) } == .zoneBusy)
    #expect(try ana.people.refresh(team.accounts[1].user)?.site == nil)
    try team.zone(team.bobs, team.bob).write("meanwhile", [8])

    // He follows.
    let follows = try team.bob.moving.outlook(to: target)
    #expect(!follows.isNew && follows.own.map(\.id) == [team.bobs])
    #expect(follows.there.map(\.id) == [team.anas] && follows.staying.isEmpty)
    #expect(try team.bob.moving.move(to: target, at: team.place).isDone)
    let bob = try team.go(team.accounts[1], "bob", to: target)
    #expect(try Self.trouble(team.zone(team.anas, bob)) == nil)
    #expect(try team.zone(team.anas, bob).names() == ["a", "after"])
    try team.zone(team.anas, bob).write("back", [9])
    try frozen.pull()
    #expect(try frozen.trouble == nil && frozen.names() == ["b", "meanwhile"])
    try frozen.write("hers", [10])
    try Self.expectOrder(team, ana, bob)
    // Changes in between weren't carried along a second time, so nothing exists in two versions.
    #expect(try team.zone(team.anas, ana).names() == ["a", "after", "back"])
  }

  private static func expectOrder(_ team: Team, _ ana: Container, _ bob: Container) throws {
    let news = try bob.publicZones.zone(of: team.accounts[0].user)
    try news.pull()
    #expect(try news.files() == ["news": [3], "more": [5]])
    #expect(try bob.people.refresh(team.accounts[0].user)?.devices.values.first?.name == "desk")
    for container in [ana, bob] {
      #expect(try container.upkeep.verifyPeople().isEmpty)
      for zone in [team.anas, team.bobs] {
        try team.zone(zone, container).pull()
        #expect(try team.zone(zone, container).verify().isEmpty)
      }
    }
  }

  @Test func `a home without its index reads the same on both sides`() throws {
    let team = try Team()
    let target = MemoryStore()
    #expect(try team.ana.moving.move(to: target, at: team.place).isDone)
    let anew = try team.world.open(team.accounts[0])
    #expect(try Self.trouble(team.zone(team.anas, anew))?.location == team.place)
    #expect(try team.zone(team.anas, anew).names() == ["a"])
    let there = try team.go(team.accounts[0], "anew", to: target)
    #expect(try Self.trouble(team.zone(team.anas, there)) == nil)
    try team.zone(team.anas, there).write("x", [1])
    // It begins again where it was, before the switch. The remaining work is reported, and nothing
    // is done.
    let stayed = try team.again(team.accounts[0], "ana")
    let device = team.accounts[0].device.id
    #expect(try cloudCode { _ = try stayed.devices.rename(device, to: "x") } == .zoneBusy)
    #expect(try cloudCode { try stayed.addMount(team.anas, path: [47]) } == .zoneBusy)
    #expect(try team.ana.moving.move(to: target, at: team.place).isDone)
  }

  @Test(arguments: [true, false])
  func `a move that is cut off anywhere goes on, and no log has two ends`(isTarget: Bool) throws {
    var cuts = 0
    while true {
      cuts += isTarget ? 3 : 1
      let team = try Team()
      let target = MemoryStore()
      let faulty = FaultyStore(isTarget ? target : team.world.store)
      let moving =
        isTarget ? team.ana : try team.again(team.accounts[0], "ana", store: faulty)
      faulty.fail(call: cuts, cuts % 2 == 0 ? .before : .after, putsOnly: true)
      do { _ = try moving.moving.move(to: isTarget ? faulty : target, at: team.place) } catch {}
      let isSpent = faulty.isSpent
      faulty.heal()
      let again = try team.again(team.accounts[0], "ana")
      #expect(try again.moving.move(to: target, at: team.place).isDone, "put \(cuts)")
      let ana = try team.go(team.accounts[0], "ana", to: target)
      let zone = try team.zone(team.anas, ana)
      #expect(try Self.trouble(zone) == nil, "put \(cuts)")
      try zone.write("after", [4])
      #expect(try zone.verify().isEmpty && ana.upkeep.verifyPeople().isEmpty, "put \(cuts)")
      #expect(try Self.trouble(team.zone(team.anas, team.bob))?.location == team.place)
      // The log has one end, and nothing behind it.
      let log = zone.folder.log + "/"
      let (here, there) = (
        try team.world.keys(log).count, try target.list(log, after: nil, limit: 1_000).count
      )
      #expect(there == here + 1 && zone.header.sequence == UInt64(there), "put \(cuts)")
      guard isSpent else { break }
    }
    #expect(cuts > 6)
  }

  @Test func `objects behind the end count for nobody, and aren't carried along`() throws {
    let team = try Team()
    let target = MemoryStore()
    // Mallory's program doesn't check where it is.
    #expect(try team.ana.moving.move(to: target, at: team.place).isDone)
    let lying = try #require(try ContainerFile.root(of: target))
    let mallory = try team.open(team.accounts[1], "mallory", team.world.store, lying)
    let zone = try team.zone(team.anas, mallory)
    try zone.pull()
    try zone.write("branch", [6])
    #expect(try Self.trouble(team.zone(team.anas, team.bob))?.kind == .elsewhere)
    #expect(try team.zone(team.anas, team.bob).names() == ["a"])
    // A person who moves there later takes their own objects along, but not that one.
    let before = try target.list(zone.folder.log + "/", after: nil, limit: 1_000)
    #expect(try team.bob.moving.move(to: target, at: team.place).isDone)
    #expect(try target.list(zone.folder.log + "/", after: nil, limit: 1_000) == before)
    let ana = try team.go(team.accounts[0], "ana", to: target)
    try team.zone(team.anas, ana).write("hers", [7])
    #expect(try team.zone(team.anas, ana).names() == ["a", "hers"])
  }

  @Test func `an invalid site is refused, and nothing ends`() throws {
    let team = try Team()
    let (copy, other) = (MemoryStore(), try ZoneWorld())
    _ = try team.ana.copying.copy(to: copy)
    let sequence = try team.zone(team.anas, team.ana).header.sequence
    for store in [copy, other.store, team.world.store] {
      #expect(try cloudCode { _ = try team.ana.moving.move(to: store, at: "x") } == .badContainer)
    }
    // A site to which it was moved from elsewhere.
    let foreign = MemoryStore()
    let file = ContainerFile(
      id: team.world.id, created: 0, note: "", trail: SiteTrail([.random(), .random()]))
    #expect(try foreign.put(#require(ObjectKey(ContainerFile.key)), file.encoded()) == .stored)
    #expect(try cloudCode { _ = try team.ana.moving.move(to: foreign, at: "x") } == .badContainer)
    try team.zone(team.anas, team.ana).pull()
    #expect(try team.zone(team.anas, team.ana).header.sequence == sequence)
    // A person who has moved moves nowhere else from here.
    let (first, second) = (MemoryStore(), MemoryStore())
    #expect(try team.ana.moving.move(to: first, at: team.place).isDone)
    #expect(try cloudCode { _ = try team.ana.moving.move(to: second, at: "x") } == .zoneBusy)
    #expect(try second.list("", after: nil, limit: 1).isEmpty)
  }

  @Test func `text of others is one word of the printed command`() {
    let remedy = { (location: String) in
      LogTrouble.elsewhere(Site(id: .random(), location: location), at: 1).remedy
    }
    for plain in ["/there", "s3:https://h.example:9000/b/p-1", "s3://b/p"] {
      #expect(remedy(plain).contains("move \(plain)`"))
    }
    #expect(remedy("/x; rm 'y").contains(#"move '/x; rm '\''y'`"#))
  }

  @Test func `links stay valid, and a follower to the old site is told the new one`()
    throws
  {
    let team = try Team()
    let zone = try team.zone(team.anas, team.ana)
    let secret = try team.ana.links.oneTimeLink(to: zone, permission: .readWrite).secret
    let link = team.ana.links.link(to: zone, location: "/old", secret: secret)
    let target = MemoryStore()
    #expect(try team.ana.moving.move(to: target, at: team.place).isDone)
    let carol = try team.world.account("carol")
    let carols = try team.world.open(carol, index: "\(team.world.folder)/carol")
    var told: CloudError?
    do { _ = try carols.links.accept(link) } catch let error as CloudError { told = error }
    #expect(told?.code == .zoneBusy && told?.message.contains(team.place) == true)
    #expect(try carols.moving.move(to: target, at: team.place).isDone)
    let there = try team.go(carol, "carol", to: target)
    let taken = try there.links.accept(link)
    try taken.write("hers", [1])
    #expect(try taken.names() == ["a", "hers"])
  }

  @Test func `a newcomer at the new site is at home there, and goes on to a third`() throws {
    let team = try Team()
    let (second, third) = (MemoryStore(), MemoryStore())
    #expect(try team.ana.moving.move(to: second, at: team.place).isDone)
    let root = try #require(try ContainerFile.root(of: second))
    let (carol, entry) = try IdentityLog.begin(
      handle: "carol", name: "Carol", deviceName: "pad", time: 1, in: root.trail)
    #expect(!entry.isEmpty)
    try People(store: second, of: root).publish(carol)
    let ana = try team.go(team.accounts[0], "ana", to: second)
    let zone = try team.zone(team.anas, ana)
    try zone.pull()
    _ = try ana.sharing.invite(carol.user, to: zone, permission: .readWrite)
    let carols = try team.go(carol, "carol", to: second)
    let hers = try carols.participation.accept(zone.id)
    try hers.write("hers", [1])
    #expect(hers.header.site?.id == root.trail.here)

    try zone.pull()
    #expect(try ana.moving.move(to: third, at: "/third").isDone)
    let trail = try #require(try ContainerFile.root(of: third)?.trail)
    #expect(trail.sites.count == 2 && trail.sites.first == root.trail.here)
    #expect(try Self.trouble(hers)?.location == "/third")
    #expect(try carols.moving.move(to: third, at: "/third").isDone)
    let last = try team.go(carol, "carol", to: third)
    try team.zone(team.anas, last).pull()
    try team.zone(team.anas, last).write("there", [2])
    let anas = try team.go(team.accounts[0], "ana", to: third)
    try team.zone(team.anas, anas).pull()
    #expect(try team.zone(team.anas, anas).names() == ["a", "hers", "there"])
    // All three read from the beginning.
    let anew = try team.go(team.accounts[0], "anew", to: third)
    try team.zone(team.anas, anew).pull()
    #expect(try team.zone(team.anas, anew).names() == ["a", "hers", "there"])
    // Bob, at the first site, is told the next one.
    #expect(try Self.trouble(team.zone(team.anas, team.bob))?.location == team.place)
  }
}
