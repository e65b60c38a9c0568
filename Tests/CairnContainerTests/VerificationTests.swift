import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// The verification of people, and the reports of changes.
struct VerificationTests {
  private func added(_ people: People, to account: Account) throws -> Person {
    try people.append(to: account) { me in
      .addDevice(DeviceRequest(name: "phone", keys: .random(), to: me))
    }
  }

  @Test func `both sides see one number, and everybody else another`() throws {
    let (ana, bob, eve) = (
      try Sample.account("ana").person, try Sample.account("bob").person,
      try Sample.account("bob").person
    )
    let number = VerificationNumber(ana, bob)
    #expect(number == VerificationNumber(bob, ana))
    #expect(number != VerificationNumber(ana, eve))
    let groups = number.description.split(separator: " ")
    #expect(groups.count == 12 && groups.allSatisfy { $0.count == 5 })
    #expect(number.description.allSatisfy { $0 == " " || ("0"..."9").contains($0) })
    #expect(number.matches(" " + number.description.replacing(" ", with: "\n-") + "\n"))
    #expect(!number.matches(String(number.description.dropLast())))
    #expect(!number.matches(number.description + "1"))
    #expect(!number.matches("") && !number.matches(VerificationNumber(ana, eve).description))
  }

  @Test func `a device more or less changes the number, another name of one doesn't`() throws {
    let store = MemoryStore()
    let people = People(store: store)
    let (ana, bob) = (try Sample.account("ana"), try Sample.account("bob").person)
    try people.publish(ana.account)
    let first = VerificationNumber(ana.person, bob)
    let grown = try added(people, to: ana.account)
    #expect(VerificationNumber(grown, bob) != first)
    let phone = try #require(grown.devices.keys.first { $0 != ana.account.device.id })
    let renamed = try people.append(to: ana.account) { _ in .renameDevice(phone, name: "tablet") }
    #expect(VerificationNumber(renamed, bob) == VerificationNumber(grown, bob))
    let shrunk = try people.append(to: ana.account) { _ in .revokeDevice(phone) }
    #expect(VerificationNumber(shrunk, bob) == first)
  }

  @Test func `a person whom two devices notice at once is noted once`() throws {
    let world = try ZoneWorld()
    let (zone, _, accounts) = try world.shared()
    let both = [try world.open(accounts[0]), try world.open(accounts[0])]
    for container in both { try #require(try container.zone(zone.id)).pull() }
    // The second index hasn't seen the first one's records.
    for container in both {
      #expect(try container.acquaintances.lookAtPeople().known == [accounts[1].user])
    }
  }

  @Test func `people who share with me are known, and all my devices see a change once`()
    throws
  {
    let world = try ZoneWorld()
    let (zone, _, accounts) = try world.shared()
    let (ana, bob) = (try world.open(accounts[0]), accounts[1])
    let carl = try world.account("carl")
    try #require(try ana.zone(zone.id)).pull()
    let first = try ana.acquaintances.lookAtPeople()
    #expect(first.known == [bob.user])
    #expect(first.trust == [bob.user: .notVerified, carl.user: .notVerified])
    let before = try #require(try ana.people.person(bob.user))
    try ana.acquaintances.verify(before)
    #expect(try ana.acquaintances.lookAtPeople().trust[bob.user] == .verified)
    _ = try added(People(store: world.store), to: bob)
    #expect(try ana.acquaintances.lookAtPeople().trust[bob.user] == .changed)
    // Another device of Ana's, or the same one after a loss of its index, sees the same.
    let again = try world.open(accounts[0])
    #expect(try again.acquaintances.lookAtPeople().trust[bob.user] == .changed)
    let after = try #require(try again.people.refresh(bob.user))
    try again.acquaintances.acknowledge(after)
    #expect(try again.acquaintances.lookAtPeople().trust[bob.user] == .notVerified)
    try again.acquaintances.verify(after)
    try ana.refresh()
    #expect(try ana.acquaintances.lookAtPeople().trust[bob.user] == .verified)
    try ana.acquaintances.forgetVerification(of: after)
    #expect(try ana.acquaintances.lookAtPeople().trust[bob.user] == .notVerified)
    // A person who left a share stays known, because they may return as somebody else.
    _ = try zone.changeShare([.remove(user: bob.user)], rekey: true)
    #expect(try ana.acquaintances.lookAtPeople().known == [bob.user])
    #expect(try ana.acquaintances.lookAtPeople().trust[carl.user] == .notVerified)
  }

  @Test func `another name alone leaves a verified person verified after a look`() throws {
    let world = try ZoneWorld()
    let (_, _, accounts) = try world.shared()
    let (ana, bob) = (try world.open(accounts[0]), accounts[1])
    try ana.acquaintances.verify(try #require(try ana.people.person(bob.user)))
    let renamed = try People(store: world.store).append(to: bob) { _ in
      .profile(handle: "bob", name: "Robert")
    }
    #expect(try ana.acquaintances.lookAtPeople().trust[bob.user] == .changed)
    try ana.acquaintances.acknowledge(renamed)
    #expect(try ana.acquaintances.lookAtPeople().trust[bob.user] == .verified)
  }

  @Test func `the people who claim a handle are counted`() throws {
    let world = try ZoneWorld()
    let ana = try world.open(try world.account("ana"))
    for _ in 0..<2 { _ = try world.account("bob") }
    let view = try ana.acquaintances.lookAtPeople()
    #expect(view.claimants(of: "bob").count == 2)
    #expect(view.claimants(of: "ana").count == 1)
    #expect(view.known.isEmpty)
  }
}
