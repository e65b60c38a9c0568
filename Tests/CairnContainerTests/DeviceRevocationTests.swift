import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// A revoked device can do nothing any more.
struct DeviceRevocationTests {
  private let world: ZoneWorld
  private let ana: Account
  private let desk: Container

  init() throws {
    world = try ZoneWorld()
    ana = try world.account("ana")
    desk = try world.open(ana)
  }

  /// Returns another device of Ana's, which the desktop or another device lets in.
  private func device(_ name: String, by other: Container? = nil) throws -> Account {
    try world.device(name, by: other ?? desk)
  }

  @Test func `a revoked device can neither read later entries nor write`() throws {
    let zone = try desk.privateDatabase.createZone(named: "Trip")
    try zone.write("before", [1])
    let lost = try device("lost")
    let thief = try world.open(lost)
    let stolen = try #require(try thief.zone(zone.id))
    try stolen.pull()
    #expect(try stolen.names() == ["before"])
    try desk.revocation.revoke(lost.device.id)
    #expect(try desk.revocation.revokeInZones() == RevocationProgress(done: 2, pending: 0))
    let devices = try desk.refreshMe().me.devices
    #expect(devices[lost.device.id]?.revoked != nil && devices[ana.device.id]?.revoked == nil)
    try zone.write("after", [2])
    try stolen.pull()
    #expect(try stolen.names() == ["before"])
    #expect(try cloudCode { try stolen.write("forged", [3]) } == .permissionFailure)
    #expect(throws: CloudError.revoked) { try thief.refreshMe() }
    #expect(throws: CloudError.revoked) { try thief.devices.linkCode(path: [47], now: 0) }
    // A fresh copy of the container reveals nothing more.
    let again = try world.open(lost)
    let fresh = try #require(try again.zone(zone.id))
    try fresh.pull()
    #expect(try fresh.names() == ["before"])
    try zone.pull()
    #expect(try zone.names() == ["before", "after"])
    // Neither does a new zone.
    _ = try desk.privateDatabase.createZone(named: "Secret")
    try again.refresh()
    #expect(try again.zoneIDs() == [zone.id])
  }

  @Test func `records that a stolen device plants in the account are useless`() throws {
    let lost = try device("lost")
    let thief = try world.open(lost)
    // Codes that seem to be the desktop's own: for ever, and until the largest number.
    for expires in [.max, .min, 4_000_000_000] as [Int64] {
      let planted = PendingCode(
        secret: .random(), expires: expires, device: ana.device.id, used: nil)
      try AccountZone.save(planted, in: thief.accountZone)
      let join = DeviceJoin(
        DeviceCode(
          container: world.id, path: [47], user: ana.user, expires: expires,
          secret: planted.secret, anchor: ChainAnchor(try desk.refreshMe().me)),
        in: world.store, deviceName: "printer")
      #expect(try join.advance() == nil)
    }
    // A code of the desktop's, with a longer validity by the thief.
    var code = try desk.devices.linkCode(path: [47], now: 0)
    let own = try #require(
      try AccountZone.codes(madeBy: ana.author, in: desk.accountZone).first { $0.used == nil })
    try thief.accountZone.pull()
    try AccountZone.save(
      PendingCode(secret: own.secret, expires: 90_000, device: ana.device.id, used: nil),
      in: thief.accountZone)
    code = try DeviceCode(parsing: code.text)
    let join = DeviceJoin(code, in: world.store, deviceName: "late")
    #expect(try join.advance() == nil)
    try thief.addMount(thief.accountZone.id, path: [47])
    try desk.accountZone.pull()
    for now in [0, 1, 5_000, .max / 2] as [Int64] {
      #expect(try desk.devices.answerJoins(now: now).isEmpty, "\(now)")
    }
    #expect(try desk.refreshMe().me.devices.count == 2)

    // The records of the device are removed with it.
    try desk.revocation.revoke(lost.device.id)
    _ = try desk.revocation.revokeInZones()
    let left = try desk.accountZone.read { try $0.typedRecords("cairn.code") }
    #expect(left.allSatisfy { $0.changed.author == ana.author })
    #expect(try desk.accountZone.read { try $0.typedRecords("cairn.mount") }.isEmpty)
  }

  /// Writes any record into Ana's account by a device of hers.
  private func plant(
    _ kind: String, about: [UInt8], _ fields: [String: FieldValue?], by thief: Container
  ) throws {
    try AccountZone.save(
      AccountZone.recordID(kind, about), "cairn.\(kind)", fields, in: thief.accountZone)
  }

  @Test func `no device deletes a zone because of another device's record`() throws {
    let zone = try desk.privateDatabase.createZone(named: "Trip")
    let thief = try world.open(try device("lost"))
    let objects = try world.keys(zone.folder.path + "/")
    let id: FieldValue = .bytes(zone.id.bytes)
    try plant(
      "nesting", about: zone.id.bytes,
      [
        "part": .bytes(ZonePart(zone.id).bytes), "outer": .bytes(thief.accountZone.id.bytes),
        "reference": .bytes(RecordID.random().bytes), "record": .bytes(RecordID.random().bytes),
        "device": .bytes(ana.device.id.bytes),
      ], by: thief)
    for time in [1, 0, -1, .min, .max] as [Int64] {
      try plant("ended", about: zone.id.bytes, ["zone": id, "time": .integer(time)], by: thief)
      try desk.refresh()
      try desk.returning.dropUnlinkedZones()
      #expect(try world.keys(zone.folder.path + "/") == objects, "\(time)")
    }
    #expect(try desk.nestings.all().isEmpty && desk.zoneIDs().contains(zone.id))
  }

  @Test func `an impossible record of the account is skipped`() throws {
    let zone = try desk.privateDatabase.createZone(named: "Trip")
    try desk.addMount(zone.id, path: Array("/here".utf8))
    let thief = try world.open(try device("lost"))
    let bob = try world.account("bob")
    func entry(_ zone: ZoneID, _ keys: [UInt8]) -> [String: FieldValue?] {
      [
        "zone": .bytes(zone.bytes), "founder": .bytes(bob.user.bytes),
        "owner": .bytes(bob.user.bytes), "scope": .text("shared"), "keys": .bytes(keys),
      ]
    }
    let other = ZoneID.derive(owner: bob.user, nonce: .random())
    try plant("zone", about: other.bytes, entry(other, [1, 2, 3]), by: thief)
    // The zone and its mount once more, under other ids.
    try plant("zone", about: [1], entry(zone.id, Keyring().encoded()), by: thief)
    let mount: [String: FieldValue?] = [
      "zone": .bytes(zone.id.bytes), "device": .bytes(ana.device.id.bytes),
      "path": .bytes(Array("/there".utf8)),
    ]
    try plant("mount", about: [2], mount, by: thief)
    let declined: [String: FieldValue?] = [
      "zone": .bytes(zone.id.bytes), "device": .bytes(ana.device.id.bytes),
    ]
    try plant("declined", about: zone.id.bytes + ana.device.id.bytes, declined, by: thief)
    try desk.refresh()
    #expect(try desk.zoneIDs() == [zone.id])
    #expect(try desk.mounts().map(\.path) == [Array("/here".utf8)])
    // The desktop's records about itself stay valid.
    let id = ZonePart(zone.id)
    try AccountZone.save(
      AccountZone.mountID(id, ana.device.id), "cairn.mount", mount, in: thief.accountZone)
    try desk.refresh()
    #expect(try desk.mounts().map(\.path) == [Array("/here".utf8)])
  }

  @Test func `a person whom a stolen device verified isn't, once it is revoked`() throws {
    let lost = try device("lost")
    let thief = try world.open(lost)
    let people = try ["bob", "carol"].map { try world.account($0).user }
    let (bob, carol) = (people[0], people[1])
    try desk.acquaintances.verify(try #require(try desk.acquaintances.person(bob)))
    try thief.acquaintances.verify(try #require(try thief.acquaintances.person(carol)))
    try desk.refresh()
    #expect(try desk.acquaintances.seePeople().trust == [bob: .verified, carol: .verified])
    try desk.revocation.revoke(lost.device.id)
    _ = try desk.revocation.revokeInZones()
    #expect(try desk.acquaintances.seePeople().trust == [bob: .verified, carol: .notVerified])
    // A person with verified contacts is warned about others, even if only that device verified
    // any.
    try desk.acquaintances.forgetVerification(of: try #require(try desk.acquaintances.person(bob)))
    #expect(try desk.acquaintances.seePeople().hasVerified)
    try desk.acquaintances.verify(try #require(try desk.acquaintances.person(carol)))
    #expect(try desk.acquaintances.seePeople().trust[carol] == .verified)
  }

  @Test func `links that a lost device knows let nobody in any more`() throws {
    let zone = try desk.privateDatabase.createZone(named: "Trip")
    _ = try desk.sharing.share(zone, title: "Trip")
    _ = try desk.links.oneTimeLink(to: zone, permission: .readOnly)
    let open = try desk.privateDatabase.createZone(named: "Open")
    _ = try desk.sharing.share(open, title: "Open")
    try open.changeShare([.setPublic(.readOnly)])
    _ = try desk.links.publicLink(to: open)
    let lost = try device("lost")
    #expect(try world.keys("users/").filter { $0.description.contains("/links/") }.count == 2)
    try desk.revocation.revoke(lost.device.id)
    #expect(
      try desk.revocation.revokeInZones() == RevocationProgress(done: 3, pending: 0, links: 2))
    #expect(zone.header.share?.links.isEmpty == true && open.header.share?.links.isEmpty == true)
    #expect(try world.keys("users/").allSatisfy { !$0.description.contains("/links/") })
    // A new link is another one.
    _ = try desk.links.publicLink(to: open)
    #expect(open.header.share?.links.count == 1)
    #expect(try desk.revocation.revokeInZones().links == 0)
  }

  @Test func `people invited by a lost device are removed, and acceptances are named`() throws {
    let zone = try desk.privateDatabase.createZone(named: "Trip")
    _ = try desk.sharing.share(zone, title: "Trip")
    let people = try ["bob", "carol", "dave", "eve", "mel"].map { try world.account($0) }
    let (bob, carol, dave, eve, mel) = (people[0], people[1], people[2], people[3], people[4])
    _ = try desk.sharing.invite(bob.user, to: zone, permission: .readOnly)
    let lost = try device("lost")
    let thief = try world.open(lost)
    let stolen = try #require(try thief.zone(zone.id))
    for user in [carol, dave, eve].map(\.user) {
      _ = try thief.sharing.invite(user, to: stolen, permission: .readWrite)
    }
    // A guest of the desktop's isn't the thief's because the thief invited them, too.
    _ = try thief.sharing.invite(bob.user, to: stolen, permission: .readWrite)
    let link = try thief.links.oneTimeLink(to: stolen, permission: .readOnly)
    _ = try world.open(mel).links.accept(thief.links.link(to: stolen, secret: link.secret))
    _ = try world.open(carol).participation.accept(zone.id)
    try stolen.pull()
    try thief.access.setRole(.administrator, of: carol.user, in: stolen)
    try zone.pull()
    // A guest that the desktop invites, too, is the desktop's.
    _ = try desk.sharing.invite(eve.user, to: zone, permission: .readOnly)
    try desk.revocation.revoke(lost.device.id)
    #expect(try desk.revocation.revokeInZones() == RevocationProgress(done: 2, pending: 0))
    let users = Set(zone.header.share?.participants.keys.map { $0 } ?? [])
    #expect(users == Set([bob, carol, eve, mel].map(\.user)))
    #expect(try world.open(dave).participation.invitations().isEmpty)
    let told = try desk.revocation.letIn(by: lost.device.id)
    #expect(told.devices.isEmpty)
    func guest(
      _ account: Account, _ acceptance: Acceptance?, isAdministrator: Bool = false
    ) -> LetIn.Guest {
      LetIn.Guest(
        zone: zone.id, user: account.user, acceptance: acceptance, isAdministrator: isAdministrator)
    }
    #expect(
      Set(told.guests) == [
        guest(carol, .accepted, isAdministrator: true), guest(dave, nil), guest(mel, .accepted),
      ])
    // Changes that were made meanwhile aren't the thief's any more.
    try desk.access.remove(mel.user, from: zone)
    _ = try desk.sharing.invite(dave.user, to: zone, permission: .readOnly)
    #expect(try desk.revocation.letIn(by: lost.device.id).guests.map(\.user) == [carol.user])
  }

  @Test func `the devices that a lost one let in are named`() throws {
    let lost = try device("lost")
    let thief = try world.open(lost)
    let other = try device("other", by: thief)
    let third = try device("third", by: try world.open(other))
    let own = try device("own")
    try desk.revocation.revoke(lost.device.id)
    _ = try desk.revocation.revokeInZones()
    let told = try desk.revocation.letIn(by: lost.device.id).devices
    #expect(Set(told) == [other.device.id, third.device.id] && !told.contains(own.device.id))
    try desk.revocation.revoke(third.device.id)
    #expect(try desk.revocation.letIn(by: lost.device.id).devices == [other.device.id])
  }

  @Test func `a zone whose log differs from what was read is missing from a revocation`() throws {
    let zone = try desk.privateDatabase.createZone(named: "Trip")
    try zone.write("a", [1])
    try zone.write("b", [2])
    let lost = try device("lost")
    let place = try zone.place(zone.header.sequence)
    let bytes = try #require(try world.store.get(place, upTo: EntryCodec.limit))
    try world.store.delete(place)
    try desk.revocation.revoke(lost.device.id)
    let progress = try desk.revocation.revokeInZones()
    #expect(progress.done == 1 && progress.pending == 1 && progress.missed.map(\.zone) == [zone.id])
    _ = try world.store.put(place, bytes)
    #expect(try desk.revocation.revokeInZones() == RevocationProgress(done: 2, pending: 0))
  }

  @Test func `nobody sees what a revoked device writes with its knowledge`() throws {
    let zone = try desk.privateDatabase.createZone(named: "Trip")
    let lost = try device("lost")
    let stolen = try #require(try world.open(lost).zone(zone.id))
    try stolen.pull()
    try desk.revocation.revoke(lost.device.id)
    _ = try desk.revocation.revokeInZones()
    // It signs and seals with its last key, at the place after the revocation.
    let header = zone.header
    let change = try Zone.file("forged", Content(size: 0, chunks: []))
    let key = try #require(stolen.keyring().latest)
    let commit = Commit(
      previous: header.head, author: lost.author, time: 1, epoch: key.epoch, records: [change],
      chain: ChainHead(length: 1, head: .zero))
    let bytes = try EntryCodec.seal(
      commit, zone: zone.id, sequence: header.sequence + 1, key: key, next: nil, boxesFor: [],
      account: lost)
    let place = stolen.folder.place(header.sequence + 1, key)
    #expect(try world.store.put(place, bytes) == .stored)
    // Nobody reads where only somebody with the old key can put objects.
    #expect(try zone.pull().applied == 0 && zone.trouble == nil)
    try zone.write("good", [1])
    #expect(try zone.names() == ["good"])
  }

  @Test func `other devices go on, even one that was off meanwhile`() throws {
    let (lost, phone) = (try device("lost"), try device("phone"))
    let zone = try desk.privateDatabase.createZone(named: "Trip")
    let running = try world.open(phone)
    let open = try #require(try running.zone(zone.id))
    try open.pull()
    try desk.revocation.revoke(lost.device.id)
    _ = try desk.revocation.revokeInZones()
    try zone.write("after", [2])
    // It pulls the zone before it reads the chain.
    try open.pull()
    #expect(try open.names() == ["after"])
    #expect(phone.encryptionKey == ana.encryptionKey)
    try running.refresh()
    try open.write("answer", [3])
    try zone.pull()
    #expect(try zone.names() == ["after", "answer"])
    // A device that was off has only its file, and an old index.
    let second = try device("second")
    let sleeper = Account(
      user: ana.user, device: second.device, encryption: second.encryption, origin: ana.origin)
    let index = "\(world.folder)/sleeper"
    try #require(try world.open(sleeper, index: index).zone(zone.id)).pull()
    try desk.revocation.revoke(phone.device.id)
    _ = try desk.revocation.revokeInZones()
    try zone.write("later", [4])
    let old = Account(
      user: ana.user, device: second.device, encryption: second.encryption, origin: ana.origin)
    let awake = try world.open(old, index: index)
    let same = try #require(try awake.zone(zone.id))
    try same.pull()
    #expect(try same.names() == ["after", "answer", "later"])
    #expect(try awake.revocation.revokeInZones() == RevocationProgress(done: 2, pending: 0))
  }

  @Test func `the owner of another person's share raises the key, too`() throws {
    let bob = try world.account("bob")
    let bobs = try world.open(bob)
    let zone = try bobs.privateDatabase.createZone(named: "Bob's")
    _ = try bobs.sharing.share(zone, title: "Bob's")
    _ = try bobs.sharing.invite(ana.user, to: zone, permission: .readWrite)
    let mine = try desk.participation.accept(zone.id)
    let lost = try device("lost")
    let stolen = try #require(try world.open(lost).zone(zone.id))
    try stolen.pull()
    try desk.revocation.revoke(lost.device.id)
    #expect(try desk.revocation.revokeInZones() == RevocationProgress(done: 2, pending: 0))
    try zone.pull()
    #expect(zone.header.isRekeyDue)
    try bobs.access.rekeyIfDue(zone)
    try zone.write("after", [1])
    try mine.pull()
    #expect(try mine.names() == ["after"])
    try stolen.pull()
    #expect(try stolen.names().isEmpty)
  }

  @Test func `an interrupted revocation goes on, and is done once`() throws {
    let lost = try device("lost")
    let zones = try (0..<4).map { try desk.privateDatabase.createZone(named: "Zone \($0)") }
    let store = FaultyStore(world.store)
    let faulty = try world.open(ana, store: store)
    for zone in zones { try #require(try faulty.zone(zone.id)).pull() }
    try faulty.revocation.revoke(lost.device.id)
    store.fail(call: 3, .before, putsOnly: true)
    let first = try faulty.revocation.revokeInZones()
    #expect(first.pending == 1 && first.done == 4)
    #expect(try faulty.revocation.revokeInZones() == RevocationProgress(done: 5, pending: 0))
    let sequences = try zones.map { try #require(try faulty.zone($0.id)).header.sequence }
    #expect(try desk.revocation.revokeInZones() == RevocationProgress(done: 5, pending: 0))
    #expect(try zones.map { try #require(try faulty.zone($0.id)).header.sequence } == sequences)
    #expect(zones.allSatisfy { $0.header.epoch == 2 })
  }

  @Test func `a device can't revoke itself`() throws {
    #expect(try cloudCode { try desk.revocation.revoke(ana.device.id) } == .invalidArguments)
    #expect(try desk.refreshMe().me.devices.values.allSatisfy(\.isActive))
  }
}
