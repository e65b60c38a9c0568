import CairnZone
import Testing

/// Through which devices people came into a share.
struct IntroductionsTests {
  private static let desk = Author(user: ana, device: DeviceID(number16(1)))
  private static let lost = Author(user: ana, device: DeviceID(number16(2)))
  private static let link = Link(
    id: LinkID(number32(1)), boxKey: number32(2), isOneTime: true, permission: .readOnly)

  /// Returns the people that `lost` alone brought in, by the commits.
  private func brought(_ commits: [(Author, [ShareChange])]) -> Set<UserID> {
    var introductions = Introductions()
    for (author, changes) in commits { introductions.take(changes, by: author) }
    let found = introductions.people(introducedBy: [Self.lost])
    return Set(found.filter { !$0.value.isTakenBack }.keys)
  }

  private func invite(_ user: UserID) -> ShareChange { .invite(user: user, permission: .readOnly) }

  @Test func `by an invitation, or a link that the device made`() {
    let claimer = Author(user: cleo, device: DeviceID(number16(9)))
    let byLink: [(Author, [ShareChange])] = [
      (Self.lost, [.addLink(Self.link)]), (claimer, [.claim(link: Self.link.id, proof: [])]),
    ]
    #expect(brought([(Self.lost, [invite(bob)])] + byLink) == [bob, cleo])
    #expect(brought([(Self.desk, [invite(cleo)])] + byLink) == [])
    #expect(brought([(Self.desk, [.addLink(Self.link)]), byLink[1]]) == [])
  }

  @Test func `who is invited by another device, too, isn't its guest`() {
    #expect(brought([(Self.desk, [invite(bob)]), (Self.lost, [invite(bob)])]) == [])
    #expect(brought([(Self.lost, [invite(bob)]), (Self.desk, [invite(bob)])]) == [])
    // But if they went in between.
    #expect(
      brought([(Self.desk, [invite(bob), .remove(user: bob)]), (Self.lost, [invite(bob)])])
        == [bob])
    for end in [.stop, .block(user: bob), .remove(user: bob)] as [ShareChange] {
      #expect(brought([(Self.lost, [invite(bob)]), (Self.desk, [end])]) == [])
    }
  }

  @Test func `who is taken out together with a device is known as that`() {
    var introductions = Introductions()
    introductions.take([invite(bob), invite(cleo)], by: Self.lost)
    introductions.take(
      [.remove(user: bob), .revokeDevice(Self.lost.device)], by: Self.desk)
    let found = introductions.people(introducedBy: [Self.lost])
    #expect(found[bob]?.isTakenBack == true && found[cleo]?.isTakenBack == false)
    introductions.take([invite(bob)], by: Self.desk)
    #expect(introductions.people(introducedBy: [Self.lost]).keys.sorted() == [cleo])
  }

  @Test func `from named people to anyone and back nobody stays`() {
    #expect(
      brought([
        (Self.lost, [invite(bob)]), (Self.desk, [.setPublic(.readOnly)]),
      ]) == [bob])
    #expect(
      brought([
        (Self.lost, [invite(bob)]), (Self.desk, [.setPublic(.readOnly), .setPublic(.none)]),
      ]) == [])
    // What is so already changes nothing.
    #expect(brought([(Self.lost, [invite(bob)]), (Self.desk, [.setPublic(.none)])]) == [bob])
  }

  @Test func `who made an administrator is known until they are none`() {
    var introductions = Introductions()
    introductions.take([invite(bob)], by: Self.desk)
    introductions.take([.setRole(user: bob, role: .administrator)], by: Self.lost)
    #expect(introductions.people[bob]?.raised == Self.lost)
    introductions.take([.setRole(user: bob, role: .privateUser)], by: Self.desk)
    #expect(introductions.people[bob]?.raised == nil)
  }
}
