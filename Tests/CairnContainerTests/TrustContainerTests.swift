import CairnIdentity
import CairnReplica
import CairnZone
import Testing

/// The container's root object, keyrings, invitations.
struct TrustContainerTests {
  @Test func `a container file is read back, and a later format is no damage`() throws {
    let file = ContainerFile(id: .random(), created: 12, note: "of Ana")
    #expect(try ContainerFile(file.encoded()) == file)
    var later = file.encoded()
    later[1] = 9
    #expect(throws: ContainerFile.Failure.incompatibleVersion(9)) { try ContainerFile(later) }
    #expect(throws: ContainerFile.Failure.self) { try ContainerFile([]) }
    #expect(throws: ContainerFile.Failure.self) { try ContainerFile(Array("hello".utf8)) }
    #expect(ContainerID(hexadecimal: file.id.description) == file.id)
    #expect(ContainerID(hexadecimal: "xyz") == nil)
  }

  @Test func `a keyring is read back, and keeps the first key of an epoch`() throws {
    var ring = Keyring()
    #expect(ring.latest == nil)
    let (one, two) = (ZoneKey.random(epoch: 1), ZoneKey.random(epoch: 2))
    for key in [two, one, .random(epoch: 1)] { ring.insert(key) }
    #expect(ring.latest == two)
    #expect(ring.all == [one, two])
    #expect(try Keyring(encoded: ring.encoded()) == ring)
    #expect(throws: FormatError.self) { try Keyring(encoded: ring.encoded() + ring.encoded()) }
  }
}

struct TrustInvitationTests {
  private let ana: (account: Account, person: Person)
  private let bob: (account: Account, person: Person)
  private let invitation: Invitation

  init() throws {
    ana = try Sample.account("ana")
    bob = try Sample.account("bob")
    var ring = Keyring()
    ring.insert(.random(epoch: 1))
    invitation = Invitation(
      id: .random(), container: .random(), zone: Sample.zone(of: ana.account),
      owner: ana.account.user, keyring: ring, title: "Trip", permission: .readOnly,
      inviter: ana.account.author, time: 3,
      zoneHead: LogAnchor(sequence: 5, digest: EntryCodec.digest(of: [5])),
      chainHead: ChainHead(length: 1, head: EntryCodec.digest(of: [6])))
  }

  @Test func `only the invited person opens it`() throws {
    let bytes = try invitation.sealed(to: bob.person, by: ana.account)
    let keys = Sample.keys(ana.person, bob.person)
    #expect(try Invitation.open(bytes, account: bob.account, signKey: keys) == invitation)
    #expect(throws: Invitation.Failure.notForUs) {
      try Invitation.open(bytes, account: ana.account, signKey: keys)
    }
  }

  @Test func `every flipped byte is refused`() throws {
    let bytes = try invitation.sealed(to: bob.person, by: ana.account)
    let keys = Sample.keys(ana.person)
    for index in bytes.indices {
      #expect(throws: Invitation.Failure.self) {
        try Invitation.open(
          Sample.flipped(bytes, at: index), account: bob.account, signKey: keys)
      }
    }
  }

  @Test func `a forged or unknown sender is named`() throws {
    let bytes = try invitation.sealed(to: bob.person, by: ana.account)
    #expect(throws: Invitation.Failure.unknownInviter(ana.account.author)) {
      try Invitation.open(bytes, account: bob.account) { _ in nil }
    }
    #expect(throws: Invitation.Failure.badSignature(ana.account.author)) {
      try Invitation.open(bytes, account: bob.account) { _ in bob.account.device.signing.publicKey }
    }
  }

  @Test func `an invitation with an impossible title is invalid`() throws {
    let keys = Sample.keys(ana.person)
    var other = invitation
    other.title = String(repeating: "x", count: Share.maximumTitleSize)
    let bytes = try other.sealed(to: bob.person, by: ana.account)
    #expect(try Invitation.open(bytes, account: bob.account, signKey: keys) == other)
    other.title += "x"
    let longer = try other.sealed(to: bob.person, by: ana.account)
    #expect(throws: Invitation.Failure.self) {
      try Invitation.open(longer, account: bob.account, signKey: keys)
    }
  }

  @Test func `titles of similar lengths make messages of one size`() throws {
    var sizes: Set<Int> = []
    for count in 1...8 {
      var other = invitation
      other.title = String(repeating: "x", count: count)
      sizes.insert(try other.sealed(to: bob.person, by: ana.account).count)
    }
    #expect(sizes.count <= 2)
  }
}
