import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// The change of an owner by a named successor, in a container.
struct OwnerSuccessionTests {
  @Test func `a successor waits from the claim on, and a new reader knows the claim`() throws {
    let world = try ZoneWorld()
    let (anas, bobs, accounts) = try world.shared()
    let (ana, bob) = (try world.open(accounts[0]), try world.open(accounts[1]))
    let user = accounts[1].user
    let zone = try #require(try ana.zone(anas.id))
    let his = try #require(try bob.zone(bobs.id))
    #expect(throws: CloudError.self) { try bob.ownership.decide(nil, for: his) }
    try ana.ownership.decide(Succession(people: [user], wait: 60), for: zone)
    #expect(throws: CloudError.self) { try bob.ownership.succeed(in: his, at: .max) }
    try bob.ownership.confirm(user, for: his)
    let due = try #require(his.header.share?.succession?.due(for: user))
    let claim = try #require(his.header.share?.succession?.claim(of: user))
    #expect(due == claim.time + 60_000_000_000)
    let error = #expect(throws: CloudError.self) {
      try bob.ownership.succeed(in: his, at: due - 1)
    }
    #expect(error?.code == .permissionFailure && his.header.owner == accounts[0].user)

    // She refuses, and names him again.
    try zone.pull()
    try ana.ownership.decide(zone.header.share?.succession?.refused, for: zone)
    #expect(throws: CloudError.self) { try bob.ownership.succeed(in: his, at: due) }
    try bob.ownership.confirm(user, for: his)
    let second = try #require(his.header.share?.succession?.due(for: user))
    let again = try #require(try world.open(accounts[1]).zone(bobs.id))
    try again.pull()
    #expect(again.header.share?.succession == his.header.share?.succession)
    try bob.ownership.succeed(in: his, at: second)
    #expect(his.header.owner == user && bob.ownership.isMisplaced(his))
    try zone.pull()
    #expect(zone.header.owner == user && zone.header.mayWrite(accounts[0].user))
    #expect(throws: CloudError.self) { try ana.ownership.decide(nil, for: zone) }
  }
}
