import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Former participants who are invited again before they learned about the end. A container in a
/// bucket notifies nobody, so their data may be older than an answer.
struct InvitedAgainTests {
  private struct People {
    let world: ZoneWorld
    let ana: Account
    let bob: Account
    let anas: Container
    let bobs: Container
    let zone: Zone

    init(_ world: ZoneWorld) throws {
      self.world = world
      (ana, bob) = (try world.account("ana"), try world.account("bob"))
      (anas, bobs) = (try world.open(ana), try world.open(bob))
      zone = try anas.privateDatabase.createZone(named: "Trip")
      try share()
    }

    /// Shares the zone, and invites Bob.
    func share() throws {
      _ = try anas.sharing.share(zone, title: "Trip")
      _ = try anas.sharing.invite(bob.user, to: zone, permission: .readWrite)
    }
  }

  enum End: CaseIterable { case removed, left, stopped, withdrawn }

  @Test(arguments: End.allCases)
  func `they join again, though the invitation has the place of the last one`(
    _ end: End
  ) throws {
    let folder = try TemporaryContainer()
    for store in [MemoryStore(), DirectoryStore(root: folder.path)] as [any ObjectStore] {
      let people = try People(try ZoneWorld(store))
      let (anas, bobs, zone) = (people.anas, people.bobs, people.zone)
      for round in 0..<3 {
        #expect(try bobs.participation.invitations().map(\.zone) == [zone.id])
        if end != .withdrawn { _ = try bobs.participation.accept(zone.id) }
        try zone.pull()
        switch end {
        case .removed, .withdrawn:
          try zone.changeShare([.remove(user: people.bob.user)], rekey: true)
          try anas.sharing.withdrawInvitations(of: people.bob.user, to: zone)
        case .left: try bobs.participation.leave(try #require(try bobs.zone(zone.id)))
        case .stopped: try anas.access.stopSharing(zone)
        }
        try zone.pull()
        try people.share()
        // Nobody has checked in between.
        let taken = try bobs.participation.accept(zone.id)
        try taken.write("round \(round)", [1])
        try zone.pull()
        #expect(try zone.names().contains("round \(round)"))
        #expect(try bobs.participation.invitations().isEmpty)
        try zone.changeShare([.remove(user: people.bob.user)], rekey: true)
        try people.share()
      }
    }
  }

  @Test func `another invitation without a permission keeps the present one`() throws {
    let people = try People(try ZoneWorld())
    let (anas, zone, bob) = (people.anas, people.zone, people.bob.user)
    let carol = try people.world.account("carol").user
    func permission(_ user: UserID) -> Permission? {
      zone.header.share?.participants[user]?.permission
    }
    _ = try anas.sharing.invite([bob], to: zone, permission: .readOnly)
    #expect(permission(bob) == .readOnly)
    _ = try anas.sharing.invite([bob, carol], to: zone, permission: nil)
    #expect(permission(bob) == .readOnly && permission(carol) == .readWrite)
    #expect(try people.bobs.participation.invitations().map(\.permission) == [.readOnly])
    _ = try people.bobs.participation.accept(zone.id)
    try zone.pull()
    let before = zone.header.sequence
    _ = try anas.sharing.invite([bob], to: zone, permission: nil)
    #expect(permission(bob) == .readOnly && zone.header.sequence == before)
    _ = try anas.sharing.invite([bob], to: zone, permission: .readWrite)
    #expect(permission(bob) == .readWrite)
  }

  @Test func `the inbox is reported, though the account has the zone from before`() throws {
    let people = try People(try ZoneWorld())
    _ = try people.bobs.participation.accept(people.zone.id)
    try people.zone.pull()
    try people.zone.changeShare([.remove(user: people.bob.user)], rekey: true)
    #expect(try people.bobs.participation.invitations().isEmpty)
    try people.share()
    #expect(try people.bobs.participation.invitations().map(\.zone) == [people.zone.id])
  }

  @Test func `a forgery that is tried first leaves nothing for the invitation behind it`() throws {
    let people = try People(try ZoneWorld())
    let (anas, bobs, zone) = (people.anas, people.bobs, people.zone)
    _ = try bobs.participation.accept(zone.id)
    try zone.pull()
    try zone.changeShare([.remove(user: people.bob.user)], rekey: true)
    try people.share()
    // Eve knows how the zone begins, and gives the keys that Bob had.
    let eve = try people.world.account("eve")
    let person = try #require(try anas.people.person(people.bob.user))
    let lie = Invitation(
      id: .random(), container: people.world.id, zone: zone.id, owner: people.ana.user,
      keyring: Keyring(Array(zone.keyring().all.prefix(1))), title: "Trip", permission: .readWrite,
      inviter: eve.author, time: .max, zoneHead: LogAnchor(sequence: 0, digest: .zero),
      chainHead: ChainHead(length: 1, head: IdentityLog.digest(of: eve.origin)))
    let key = Inbox.key(of: person.id, lie.id)
    _ = try people.world.store.put(key, try lie.sealed(to: person, by: eve))
    let taken = try bobs.participation.accept(zone.id)
    #expect(taken.keyring() == zone.keyring())
    try taken.write("bob", [1])
    try zone.pull()
    #expect(try zone.names() == ["bob"])
  }

  @Test func `a name with rubbish is read again when it has another object`() throws {
    let people = try People(try ZoneWorld())
    let (anas, bobs, zone) = (people.anas, people.bobs, people.zone)
    let name = try #require(try people.world.keys("users/\(people.bob.user)/inbox/").first)
    try anas.sharing.withdrawInvitations(of: people.bob.user, to: zone)
    #expect(try people.world.store.put(name, ContentPieces.noise(300)) == .stored)
    #expect(try bobs.participation.invitations().isEmpty)
    try people.world.store.delete(name)
    try zone.changeShare([.remove(user: people.bob.user)], rekey: true)
    try people.share()
    #expect(try people.world.keys("users/\(people.bob.user)/inbox/") == [name])
    #expect(try bobs.participation.invitations().map(\.zone) == [zone.id])
  }
}
