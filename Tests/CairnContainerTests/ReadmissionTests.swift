import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// People who left a share by accident return by themselves, within the grace period.
@Suite struct ReadmissionTests {
  private struct People {
    let world: ZoneWorld
    let ana: Container
    let bob: Container
    let me: UserID
    let zone: Zone
    var seen: Set<Bytes16> = []

    init(_ permission: Permission) throws {
      world = try ZoneWorld()
      let accounts = [try world.account("ana"), try world.account("bob")]
      (ana, bob, me) = (try world.open(accounts[0]), try world.open(accounts[1]), accounts[1].user)
      zone = try ana.privateDatabase.createZone(named: "Trip")
      _ = try ana.sharing.share(zone, title: "Trip")
      _ = try ana.sharing.invite(me, to: zone, permission: permission)
      _ = try bob.participation.accept(zone.id)
    }

    func leave() throws {
      let his = try #require(try bob.zone(zone.id))
      try bob.participation.leave(his)
      try bob.participation.forgetEverything(of: his)
    }

    /// Bob asks to return, and Ana's device answers.
    /// - Returns: His permission afterwards; nil if he isn't in the share.
    mutating func ask() throws -> Permission? {
      try bob.requests.askToReturn(by: ana.links.link(to: zone))
      try ana.requests.readmit(&seen)
      guard try bob.participation.invitations().contains(where: { $0.zone == zone.id }) else {
        return nil
      }
      let his = try bob.participation.accept(zone.id)
      return his.header.share?.participants[me]?.permission
    }
  }

  @Test(arguments: [Permission.readOnly, .readWrite])
  func `a person who left returns with the permission that they had`(
    _ permission: Permission
  ) throws {
    var people = try People(permission)
    for round in 0..<2 {
      try people.leave()
      try people.zone.pull()
      try people.zone.write("while he is away \(round)", [1])
      #expect(try people.ask() == permission)
      let his = try #require(try people.bob.zone(people.zone.id))
      #expect(try his.names().contains("while he is away \(round)"))
    }
    // The last change of the permission counts.
    let other: Permission = permission == .readOnly ? .readWrite : .readOnly
    try people.zone.pull()
    try people.ana.access.setPermission(other, of: people.me, in: people.zone)
    try people.leave()
    #expect(try people.ask() == other)
  }

  @Test func `a person who was removed, blocked or never there doesn't return`() throws {
    var people = try People(.readWrite)
    try people.ana.access.remove(people.me, from: people.zone)
    #expect(try people.ask() == nil)
    #expect(try people.ana.requests.waiting().isEmpty)
    _ = try people.ana.sharing.invite(people.me, to: people.zone, permission: .readWrite)
    _ = try people.bob.participation.accept(people.zone.id)
    try people.leave()
    try people.ana.requests.block(people.me, in: people.zone)
    #expect(try people.ask() == nil)
    try people.ana.requests.unblock(people.me, in: people.zone)
    #expect(try people.ask() == nil)
    let cleo = try people.world.open(try people.world.account("cleo"))
    try cleo.requests.askToReturn(by: people.ana.links.link(to: people.zone))
    try people.ana.requests.readmit(&people.seen)
    #expect(try cleo.participation.invitations().isEmpty)
  }

  @Test func `a person who left longer ago than the grace period doesn't return`() {
    let user = UserID(bytes: [UInt8](repeating: 1, count: 32))
    guard let user, let device = DeviceID(bytes: [UInt8](repeating: 2, count: 16)) else {
      Issue.record("no ids")
      return
    }
    func answer(_ age: Int64) -> WayBack.Answer? {
      var way = WayBack(user: user, now: 1_000_000_000_000_000_000)
      var commit = LoggedCommit(
        sequence: 2, author: Author(user: user, device: device), time: way.now - age, records: [],
        share: [.remove(user: user)], raisesEpoch: false)
      if let answer = way.take(commit) { return answer }
      commit.share = [.invite(user: user, permission: .readOnly, firstEpoch: 0)]
      return way.take(commit)
    }
    #expect(answer(AccessRequests.grace - 1) == WayBack.Answer(permission: .readOnly))
    #expect(answer(AccessRequests.grace) == WayBack.Answer())
    #expect(answer(-AccessRequests.grace) == WayBack.Answer())
  }
}
