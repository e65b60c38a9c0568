import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// The number of requests of each act, and the number of round trips if several requests are
/// concurrent: the table of cairnd(8).
struct RequestCountTests {
  /// The distance of the container.
  enum Distance: Int, CaseIterable { case near = 1, far = 16 }

  /// A zone of Ana's that Bob has joined. Each has a store that counts.
  private struct Pair {
    let world: ZoneWorld
    let (ana, bob): (Zone, Zone)
    let (hers, his): (TallyStore, TallyStore)
    let accounts: (Account, Account)
    let container: Container

    init(_ distance: Distance = .far) throws {
      world = try ZoneWorld()
      hers = TallyStore(world.store, flight: distance.rawValue)
      his = TallyStore(world.store, flight: distance.rawValue)
      accounts = (try world.account("ana"), try world.account("bob"))
      container = try world.open(accounts.0, store: hers)
      ana = try container.privateDatabase.createZone(named: "Trip")
      _ = try container.sharing.share(ana, title: "Trip")
      _ = try container.sharing.invite(accounts.1.user, to: ana, permission: .readWrite)
      bob = try world.open(accounts.1, store: his).participation.accept(ana.id)
      for zone in [ana, bob, ana] { try zone.pull() }
      // In traffic: the log was checked a moment ago, however slow this machine is.
      try ana.exclusively { $0.looks.trust = .max }
      _ = (hers.take(), his.take())
    }
  }

  @Test(arguments: Distance.allCases)
  func `a small drop is one PUT and a look after it, and four GETs at the other end`(
    distance: Distance
  ) throws {
    let pair = try Pair(distance)
    for number in 0..<3 {
      try pair.ana.write("file \(number)", [1, 2, 3])
      let sent = pair.hers.take()
      #expect(sent.puts == 1 && sent.gets == 4 && sent.total == 5, "\(sent)")
      #expect(distance == .near || sent.rounds == 2, "\(sent)")
      try pair.bob.pull()
      #expect(try pair.bob.files().count == number + 1)
      // The bytes arrived with the entry.
      let come = pair.his.take()
      #expect(come.gets <= 4 && come.gets == come.total, "\(come)")
      #expect(distance == .near || come.rounds <= 2, "\(come)")
    }
  }

  @Test(arguments: Distance.allCases)
  func `a writer without a recent look looks before a PUT, too`(distance: Distance) throws {
    let pair = try Pair(distance)
    try pair.ana.exclusively { $0.looks.trust = 0 }
    for number in 0..<3 {
      try pair.ana.write("file \(number)", [1, 2, 3])
      let sent = pair.hers.take()
      #expect(sent.puts == 1 && sent.gets == 6 && sent.total == 7, "\(sent)")
      #expect(distance == .near || sent.rounds == 3, "\(sent)")
    }
  }

  @Test(arguments: Distance.allCases)
  func `a command on a zone with a fresh look is a PUT and a look after it`(
    distance: Distance
  ) throws {
    let pair = try Pair(distance)
    try pair.container.accountZone.exclusively { $0.looks.trust = .max }
    let acts: [() throws -> Void] = [
      { try pair.ana.changeShare([.title("Journey")]) },
      { _ = try pair.container.sharing.share(pair.ana, title: "Voyage") },
      { try pair.container.addMount(pair.ana.id, path: [1]) },
      { try pair.container.addMount(pair.ana.id, path: [2]) },
    ]
    for act in acts {
      _ = pair.hers.take()
      try act()
      let sent = pair.hers.take()
      #expect(sent.puts == 1 && sent.gets <= 4 && sent.total == sent.gets + 1, "\(sent)")
      #expect(distance == .near || sent.rounds == 2, "\(sent)")
    }
    try pair.ana.catchUp()
    #expect(pair.hers.take().total == 0)
  }

  @Test func `a command that was overtaken, or gained rights, reads and goes on`()
    throws
  {
    let pair = try Pair(.far)
    try pair.bob.exclusively { $0.looks.trust = .max }
    try pair.bob.write("first", [1])
    try pair.ana.changeShare([.title("Journey")])
    #expect(pair.ana.header.share?.title == "Journey")
    try pair.ana.changeShare([.invite(user: pair.accounts.1.user, permission: .readOnly)])
    try pair.bob.pull()
    try pair.ana.changeShare([.invite(user: pair.accounts.1.user, permission: .readWrite)])
    let change = try Zone.file("second", Content(size: 0, chunks: []))
    try pair.bob.save([change])
    try pair.ana.pull()
    #expect(try Set(pair.ana.files().keys) == ["first", "second"])
  }

  @Test(arguments: Distance.allCases)
  func `a look at one's own chain is two concurrent GETs, and all heads take one more`(
    distance: Distance
  ) throws {
    let pair = try Pair(distance)
    for name in ["carl", "dora", "emil"] { _ = try pair.world.account(name) }
    _ = try pair.container.refreshMe()
    var look = pair.hers.take()
    #expect(look.gets == 2 && look.total == 2, "\(look)")
    #expect(distance == .near || look.rounds == 1, "\(look)")
    let people = try pair.container.people.users().count
    let walk = pair.hers.take()
    for isKnown in [false, true] {
      #expect(try pair.container.people.all().count == people)
      look = pair.hers.take()
      // Lists of people, and of the names in each chain except one's own, with the heads of known
      // people.
      let lists = walk.lists + people - 1
      #expect(look.gets == people + 1 && look.lists == lists, "\(isKnown): \(look)")
      let rounds = walk.rounds + 1 + (isKnown ? 0 : 3)
      #expect(distance == .near || look.rounds == rounds, "\(isKnown): \(look)")
    }
  }

  @Test func `an invitation looks at all its possible places in one batch of requests`() throws {
    let pair = try Pair(.far)
    let (carl, fresh) = (try pair.world.account("carl"), TallyStore(pair.world.store, flight: 16))
    let container = try pair.world.open(pair.accounts.0, store: fresh)
    let zone = try #require(try container.zone(pair.ana.id))
    try zone.pull()
    _ = fresh.take()
    _ = try container.sharing.invite(carl.user, to: zone, permission: .readOnly)
    let sent = fresh.take()
    #expect(sent.widest >= Invitation.slots && sent.rounds <= 16, "\(sent)")
  }

  @Test func `a look at an inbox without news is one list`() throws {
    let pair = try Pair(.far)
    let (carl, his) = (try pair.world.account("carl"), TallyStore(pair.world.store, flight: 16))
    _ = try pair.container.sharing.invite(carl.user, to: pair.ana, permission: .readOnly)
    let container = try pair.world.open(carl, store: his)
    #expect(try container.inbox.items().count == 1)
    _ = his.take()
    #expect(try container.inbox.items().count == 1)
    let look = his.take()
    #expect(look.lists == 1 && look.total == 1, "\(look)")
  }

  @Test(arguments: Distance.allCases)
  func `a look at a zone without news is three GETs`(distance: Distance) throws {
    let pair = try Pair(distance)
    for _ in 0..<3 {
      try pair.bob.pull()
      let look = pair.his.take()
      #expect(look.gets <= 3 && look.gets == look.total, "\(look)")
      #expect(distance == .near || look.rounds <= 2, "\(look)")
    }
  }

  @Test(arguments: Distance.allCases)
  func `a reader who was away requests each entry once, and many at the same time`(
    distance: Distance
  ) throws {
    let pair = try Pair(distance)
    for number in 0..<100 { try pair.ana.write("file \(number)", [1, 2, 3]) }
    try pair.bob.pull()
    let come = pair.his.take()
    #expect(pair.bob.header.head == pair.ana.header.head && come.gets == come.total)
    // There are also the head, the places behind it, and the end-of-epoch record.
    #expect(come.gets <= (distance == .near ? 105 : 120), "\(come)")
    #expect(distance == .near || (come.rounds <= 15 && come.widest >= 8), "\(come)")
  }

  @Test func `a newcomer doesn't request one entry after the other`() throws {
    let pair = try Pair(.far)
    for number in 0..<400 { try pair.ana.write("\(number)", []) }
    let fresh = TallyStore(pair.world.store, flight: 16)
    let zone = try #require(
      try pair.world.open(pair.accounts.1, store: fresh).zone(pair.ana.id))
    _ = fresh.take()
    try zone.pull()
    let come = fresh.take()
    #expect(zone.header.head == pair.ana.header.head)
    #expect(come.total <= 440 && come.rounds <= 45, "\(come)")
  }

  @Test func `an ended epoch is read from its end, each entry once`() throws {
    let pair = try Pair(.far)
    for epoch in 1...3 {
      for number in 0..<100 { try pair.ana.write("\(epoch), \(number)", []) }
      try pair.ana.changeShare([], rekey: true)
    }
    try pair.ana.write("last", [])
    try pair.bob.pull()
    let come = pair.his.take()
    #expect(pair.bob.header.head == pair.ana.header.head && pair.bob.header.epoch == 4)
    // A reader that continues after the end of an epoch checks its end-of-epoch record.
    #expect(come.total <= 345 && come.rounds <= 50, "\(come)")
  }

  @Test func `an object larger than a batch gives of each is requested alone`() throws {
    let pair = try Pair(.far)
    let padding = String(repeating: "x", count: 200)
    for number in 0..<4 {
      let records = try (0..<3_000).map {
        try Zone.file("\(number) \($0) \(padding)", Content(size: 0, chunks: []))
      }
      try pair.ana.commit(records, expecting: pair.ana.header.sequence)
      // The beginnings of the entry before and of its own came first.
      #expect(pair.hers.take().gets <= 6)
    }
    let place = try pair.ana.place(pair.ana.header.sequence)
    #expect(try #require(try pair.world.store.size(of: place)) > Prefetch.portion)
    try pair.bob.pull()
    let come = pair.his.take()
    #expect(pair.bob.header.head == pair.ana.header.head)
    #expect(come.widest * Prefetch.portion <= 8 << 20 && come.gets <= 24, "\(come)")
  }

  @Test func `writers and readers of a zone agree on its tag, which changes with the key`() throws {
    let pair = try Pair()
    let log = pair.ana.folder.log
    let first = pair.hers.tags(of: log)
    #expect(!first.isEmpty && pair.his.tags(of: log).last == first.last)
    try pair.ana.changeShare([], rekey: true)
    try pair.bob.pull()
    let now = pair.hers.tags(of: log)
    #expect(now.count == first.count + 1 && Set(now).count == now.count)
    #expect(pair.his.tags(of: log).last == now.last && !now.contains(0))
  }

  @Test func `two devices, and one in two containers, have markers of their own names`() throws {
    let (one, other) = (try Sample.account("ana").account, try Sample.account("bob").account)
    let (here, there) = (ContainerID.random(), ContainerID.random())
    let names = [
      one.bellOwner(in: here), one.bellOwner(in: there), other.bellOwner(in: here),
    ]
    #expect(Set(names).count == 3 && names.allSatisfy { $0.utf8.count == 32 })
    #expect(one.bellOwner(in: here) == names[0])
    #expect(!names[0].contains(one.device.id.description))
  }
}
