import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Groups: people who are invited by one name.
struct GroupTests {
  private struct Scene {
    let world: ZoneWorld
    let ana: Container
    let people: [Account]
    let trip: Zone
    let work: Zone

    init() throws {
      world = try ZoneWorld()
      ana = try world.open(world.account("ana"))
      people = try ["bob", "cleo", "dora"].map { [world] in try world.account($0) }
      trip = try ana.privateDatabase.createZone(named: "Trip")
      work = try ana.privateDatabase.createZone(named: "Work")
      for zone in [trip, work] { _ = try ana.sharing.share(zone, title: "S") }
      try ana.groups.create("team")
    }

    var groups: Groups { ana.groups }
    var ids: [UserID] { people.map(\.user) }

    func inside(_ zone: Zone) -> Set<UserID> {
      Set(zone.header.share?.participants.keys.map { $0 } ?? [])
    }

    @discardableResult
    func invite(_ zone: Zone) throws -> Groups.Outcome {
      try groups.invite("team", to: zone, permission: .readOnly, until: nil, fromNow: false)
    }
  }

  @Test func `members get the shares of a group, also later ones, and lose them`() throws {
    let scene = try Scene()
    let (bob, cleo, dora) = (scene.ids[0], scene.ids[1], scene.ids[2])
    _ = try scene.groups.add([bob, cleo], to: "team")
    try scene.invite(scene.trip)
    #expect(scene.inside(scene.trip) == [bob, cleo])
    #expect(scene.trip.header.share?.participants[bob]?.permission == .readOnly)
    try scene.invite(scene.work)
    let joined = try scene.groups.add([dora], to: "team")
    #expect(joined.changed.count == 2 && joined.missed.isEmpty)
    #expect(scene.inside(scene.trip) == [bob, cleo, dora])
    let left = try scene.groups.remove([bob], from: "team")
    #expect(Set(left.changed.map(\.zone)) == [scene.trip.id, scene.work.id])
    #expect(scene.inside(scene.trip) == [cleo, dora] && scene.trip.header.epoch == 2)
    _ = try scene.groups.remove("team", from: scene.work)
    #expect(scene.inside(scene.work).isEmpty && scene.inside(scene.trip) == [cleo, dora])
    _ = try scene.groups.delete("team")
    #expect(try scene.inside(scene.trip).isEmpty && scene.groups.all().isEmpty)
  }

  @Test func `people who are in a share for another reason stay`() throws {
    let scene = try Scene()
    let (bob, cleo, dora) = (scene.ids[0], scene.ids[1], scene.ids[2])
    _ = try scene.ana.sharing.invite(bob, to: scene.trip, permission: .readWrite)
    _ = try scene.groups.add([bob, cleo, dora], to: "team")
    try scene.invite(scene.trip)
    #expect(scene.trip.header.share?.participants[bob]?.permission == .readWrite)
    // By name, and by another group.
    try scene.groups.keep([cleo], in: scene.trip)
    try scene.groups.create("other")
    _ = try scene.groups.add([dora], to: "other")
    _ = try scene.groups.invite(
      "other", to: scene.trip, permission: .readWrite, until: nil, fromNow: false)
    _ = try scene.groups.delete("team")
    #expect(scene.inside(scene.trip) == [bob, cleo, dora])
    _ = try scene.groups.delete("other")
    #expect(scene.inside(scene.trip) == [bob, cleo])
  }

  @Test func `a group that is invited again keeps its permission and its end`() throws {
    let scene = try Scene()
    try scene.groups.create("team")
    let end: Int64 = 4_000_000_000_000_000_000
    for (permission, time) in [(.readOnly, end), (nil, nil)] as [(Permission?, Int64?)] {
      _ = try scene.groups.invite(
        "team", to: scene.trip, permission: permission, until: time, fromNow: false)
    }
    _ = try scene.groups.add([scene.ids[0]], to: "team")
    #expect(scene.trip.header.share?.participants[scene.ids[0]]?.permission == .readOnly)
    #expect(try scene.ana.access.ends(in: scene.trip)[scene.ids[0]] == end)
  }

  @Test func `a refused invitation keeps the permission of the earlier one`() throws {
    let scene = try Scene()
    try scene.invite(scene.trip)
    // Nobody has published this person.
    let nobody = try #require(UserID(hexadecimal: String(repeating: "9", count: 64)))
    try AccountZone.addMember(nobody, of: "team", to: scene.ana.accountZone)
    #expect(throws: CloudError.self) {
      try scene.groups.invite(
        "team", to: scene.trip, permission: .readWrite, until: nil, fromNow: false)
    }
    let grants = try AccountZone.grants(in: scene.ana.accountZone)
    #expect(grants.map(\.permission) == [.readOnly])
  }

  @Test func `a removal that was interrupted is completed by another device`() throws {
    let scene = try Scene()
    let bob = scene.ids[0]
    _ = try scene.groups.add([bob], to: "team")
    try scene.invite(scene.trip)
    // The command noted it in the account, and ended.
    try AccountZone.removeMember(bob, of: "team", from: scene.ana.accountZone)
    let other = try scene.world.open(scene.ana.account)
    let same = try #require(try other.zone(scene.trip.id))
    #expect(try other.groups.removeLeft(from: same) == [bob])
    #expect(try other.groups.removeLeft(from: same) == [])
    #expect(scene.inside(same).isEmpty && same.header.epoch == 2)
  }

  @Test func `a change that isn't by a command invites nobody`() throws {
    let scene = try Scene()
    let bob = scene.ids[0]
    try scene.invite(scene.trip)
    // A stolen device adds a member.
    try AccountZone.addMember(bob, of: "team", to: scene.ana.accountZone)
    #expect(try scene.groups.removeLeft(from: scene.trip) == [])
    #expect(scene.inside(scene.trip).isEmpty)
  }

  @Test func `a person who loses everything leaves the groups, too`() throws {
    let scene = try Scene()
    let bob = scene.ids[0]
    _ = try scene.groups.add([bob], to: "team")
    try scene.invite(scene.trip)
    _ = try scene.ana.access.removeEverywhere(bob)
    #expect(try scene.groups.group("team").members.isEmpty && scene.inside(scene.trip).isEmpty)
  }

  @Test func `names and groups that can't be are refused`() throws {
    let scene = try Scene()
    for name in ["", "a b", "@team", "a,b", String(repeating: "x", count: 65)] {
      #expect(try cloudCode { try scene.groups.create(name) } == .invalidArguments)
    }
    #expect(
      try cloudCode { _ = try scene.groups.add([scene.ids[0]], to: "none") } == .unknownItem)
    #expect(
      try cloudCode { _ = try scene.groups.remove("team", from: scene.trip) } == .unknownItem)
  }
}
