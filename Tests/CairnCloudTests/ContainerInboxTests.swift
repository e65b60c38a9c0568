import CairnStore
import CairnZone
import Testing

@testable import CairnCloud

/// Inboxes: who finds what in them, who takes it out, and what rubbish does.
struct ContainerInboxTests {
  private func inbox(_ world: ZoneWorld, _ account: Account) throws -> [ObjectKey] {
    try world.keys("users/\(account.user)/inbox/")
  }

  @Test func `people are invited together or not at all`() throws {
    let world = try ZoneWorld()
    let ana = try world.account("ana")
    let container = try world.open(ana)
    let zone = try container.privateDatabase.createZone(named: "Trip")
    _ = try container.share(zone, title: "Trip")
    let most = try (0..<Share.maximumParticipantCount).map { try world.account("p\($0)").user }
    let before = zone.header.sequence
    _ = try container.invite(most, to: zone, permission: .readOnly)
    #expect(zone.header.sequence == before + 1)
    let one = try world.account("one-more")
    let code = try cloudCode { _ = try container.invite(one.user, to: zone, permission: .readOnly) }
    #expect(code == .tooManyParticipants)
    #expect(zone.header.share?.participants.count == 100)
    #expect(try inbox(world, one).isEmpty)
    try zone.changeShare([.remove(user: most[0])])
    let two = try world.account("two-more")
    let both = try cloudCode {
      _ = try container.invite([one.user, two.user], to: zone, permission: .readOnly)
    }
    #expect(both == .tooManyParticipants && zone.header.share?.participants.count == 99)
    #expect(try inbox(world, one).isEmpty)
  }

  @Test func `an invitation is one object, and goes when it was handled`() throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let container = try world.open(ana)
    let zone = try container.privateDatabase.createZone(named: "Trip")
    _ = try container.share(zone, title: "Trip")
    for permission in [Permission.readOnly, .readOnly, .readWrite, .readWrite, .readOnly] {
      _ = try container.invite(bob.user, to: zone, permission: permission)
      #expect(try inbox(world, bob).count == 1)
      let bobs = try world.open(bob)
      #expect(try bobs.invitations().map(\.permission) == [permission])
    }
    try container.withdrawInvitations(of: bob.user, to: zone)
    #expect(try inbox(world, bob).isEmpty)

    _ = try container.invite(bob.user, to: zone, permission: .readWrite)
    let bobs = try world.open(bob)
    let id = try #require(try bobs.invitations().first?.id)
    _ = try bobs.accept(zone.id)
    #expect(try inbox(world, bob).isEmpty)
    // Whoever interrupted the command says the same again.
    #expect(try bobs.link(invitedBy: id)?.zone == zone.id)
    #expect(try bobs.link(invitedBy: "00112233445566778899aabbccddeeff") == nil)
  }

  @Test func `a flood of rubbish hides nothing and is opened once`() throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let container = try world.open(ana)
    let zone = try container.privateDatabase.createZone(named: "Trip")
    _ = try container.share(zone, title: "Trip")
    _ = try container.invite(bob.user, to: zone, permission: .readWrite)
    let bobKey = bob.encryptionKey
    for number in 0..<2_000 {
      var bytes = ContentPieces.noise(300)
      if number % 3 == 0 { bytes = try #require(BoxKey.seal(bytes, to: bobKey)) }
      if number == 7 { bytes = ContentPieces.noise(SealedMessage.limit + 1) }
      _ = try world.store.put(Inbox.key(of: bob.user, .random()), bytes)
    }
    let counted = CountingStore(world.store)
    let bobs = try world.open(bob, store: counted)
    #expect(try bobs.invitations().map(\.zone) == [zone.id])
    let gets = counted.gets
    #expect(gets >= 2_000)
    for _ in 0..<10 { #expect(try bobs.invitations().count == 1) }
    // The account's own zone is asked; the inbox isn't opened again.
    #expect(counted.gets - gets < 100)
    _ = try bobs.accept(zone.id)
    #expect(try bobs.invitations().isEmpty)
  }
}
