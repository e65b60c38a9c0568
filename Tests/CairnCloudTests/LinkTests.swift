import CairnCloud
import Testing

/// Links to shares, and the public database.
@Suite struct LinkTests {
  @Test func `everybody with the link joins, until only invited people may`() async throws {
    let cloud = try Cloud()
    let (ana, bob) = (try await cloud.open("ana"), try await cloud.open("bob"))
    let zone = try await ana.privateDatabase.zone(named: "Trip")
    #expect(try await code { _ = try await zone.link() } == .unknownItem)
    #expect(try await zone.share(title: "Trip").publicPermission == nil)
    let plain = try await zone.link()
    #expect(try await code { _ = try await bob.accept(link: plain) } != nil, "nobody invited Bob")
    try await zone.setPublicPermission(.readOnly)
    #expect(try await zone.share()?.publicPermission == .readOnly)
    let link = try await zone.link()
    #expect(try await zone.link() == link && link != plain)
    let offer = try await bob.invitation(link: link)
    #expect(offer.title == "Trip" && offer.inviter == ana.me && offer.permission == .readOnly)
    #expect(try await bob.sharedDatabase.zones().isEmpty, "only looked")
    let theirs = try await bob.accept(link: link)
    #expect(theirs.id == zone.id && theirs.owner == ana.me && !theirs.canEdit)
    #expect(try await bob.accept(link: link).id == zone.id, "again")
    #expect(try await bob.invitation(link: link).zone == zone.id)
    #expect(try await code { _ = try await theirs.link() } == .permissionFailure)
    try await zone.setPublicPermission(nil)
    #expect(try await zone.share()?.participants == [])
    let cleo = try await cloud.open("cleo")
    #expect(try await code { _ = try await cleo.accept(link: link) } == .permissionFailure)
  }

  @Test func `a link for one person lets one person in`() async throws {
    let cloud = try Cloud()
    let zone = try await cloud.open("ana").privateDatabase.zone(named: "Trip")
    #expect(try await code { _ = try await zone.oneTimeLink() } == .unknownItem)
    _ = try await zone.share(title: "Trip")
    let link = try await zone.oneTimeLink(.readWrite)
    let theirs = try await cloud.open("bob").accept(link: link)
    try await theirs.modify(saving: [CloudRecord("Note")])
    let cleo = try await cloud.open("cleo")
    #expect(try await code { _ = try await cleo.accept(link: link) } == .permissionFailure)
    #expect(try await zone.share()?.participants.map(\.permission) == [.readWrite])
  }

  @Test func `a text that is no link, and a link to another container, are refused`() async throws {
    let (cloud, other) = (try Cloud(), try Cloud())
    let ana = try await cloud.open("ana")
    #expect(try await code { _ = try await ana.accept(link: "trip") } == .invalidArguments)
    let zone = try await other.open("eve").privateDatabase.zone(named: "Trip")
    _ = try await zone.share(title: "Trip")
    let link = try await zone.oneTimeLink()
    #expect(try await code { _ = try await ana.invitation(link: link) } == .badContainer)
    #expect(try await code { _ = try await ana.accept(link: link) } == .badContainer)
  }

  @Test func `everybody reads the public zone of a person, who alone writes it`() async throws {
    let cloud = try Cloud()
    let (ana, bob) = (try await cloud.open("ana"), try await cloud.open("bob"))
    let database = ana.publicDatabase
    let mine = try await database.zone(of: ana.me)
    #expect(mine.canEdit && mine.owner == ana.me)
    #expect(try await database.zones().isEmpty, "nothing was published")
    #expect(try await mine.records(CloudQuery("Recipe")).records.isEmpty)
    let asset = try await mine.upload(bytes: [1, 2, 3])
    var recipe = CloudRecord("Recipe")
    recipe["picture"] = .asset(asset)
    let saved = try await mine.modify(saving: [recipe])
    let seen = try #require(try await bob.publicDatabase.zones().first)
    #expect(seen.owner == ana.me && !seen.canEdit && seen.id == mine.id)
    #expect(try await bob.publicDatabase.zone(of: ana.me).record(recipe.id) == saved.first)
    #expect(try await seen.bytes(of: asset) == [1, 2, 3])
    let changes = try await bob.publicDatabase.changes()
    #expect(changes.changed == [mine.id])
    #expect(
      try await code { _ = try await seen.modify(deleting: saved) } == .permissionFailure)
    #expect(try await bob.publicDatabase.zone(of: bob.me).canEdit)
    try await mine.modify(deleting: saved)
    #expect(try await seen.record(recipe.id) == nil)
    #expect(
      try await bob.publicDatabase.changes(since: changes.token).changed == [mine.id])
  }

  @Test func `what makes no sense in the public database is refused`() async throws {
    let cloud = try Cloud()
    let ana = try await cloud.open("ana")
    let zone = try await ana.publicDatabase.zone(of: ana.me)
    try await zone.modify(saving: [CloudRecord("Recipe")])
    #expect(try await code { _ = try await ana.privateDatabase.zone(of: ana.me) } == .badDatabase)
    #expect(try await code { _ = try await ana.publicDatabase.zone(named: "x") } == .badDatabase)
    #expect(try await code { try await ana.publicDatabase.delete(zone.id) } == .badDatabase)
    #expect(try await code { _ = try await zone.share(title: "x") } != nil)
    let nobody = try #require(PersonID(String(repeating: "ab", count: 32)))
    #expect(
      try await code { _ = try await ana.publicDatabase.zone(of: nobody) } == .notAuthenticated)
  }
}
