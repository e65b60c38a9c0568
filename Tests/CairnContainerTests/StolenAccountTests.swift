import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// A thief with a device of Ana's writes into her account zone, as all her devices may.
/// The revocation of the device reaches all her zones, and her other devices work as before.
struct StolenAccountTests {
  /// The thief's changes of the account before the device is revoked.
  enum Forgery: CaseIterable {
    case nothing
    case zoneDeleted, zonePublic, zoneShared, zoneOwner, zoneFounder
    case keysGarbage, keysWrong, keysEmpty, keysLater
    case ended, endedAndDeleted, given, declined
    case mountTouched, mountDeleted, mountMoved, mountPlanted
    case nestingOfNothing, nestingOfAnotherZone
    case formerPlanted, formerPlantedAndMountDeleted
  }

  private let world: ZoneWorld
  private let ana: Account
  private let bob: Account
  private let desk: Container
  private let laptop: Account
  private let thief: Container
  private static let path = Array("/home/ana/Trip".utf8)
  private static let now: Int64 = 1_700_000_000

  init() throws {
    world = try ZoneWorld()
    (ana, bob) = (try world.account("ana"), try world.account("bob"))
    desk = try world.open(ana, index: "\(world.folder)/desk")
    laptop = try Self.device("laptop", by: desk, in: world)
    thief = try world.open(laptop)
  }

  /// Returns another device of a person.
  private static func device(
    _ name: String, by container: Container, in world: ZoneWorld
  ) throws -> Account {
    let code = try container.devices.linkCode(path: [47], now: 0)
    let join = DeviceJoin(code, in: world.store, deviceName: name)
    #expect(try join.advance() == nil)
    #expect(try container.devices.answerJoins(now: 1).count == 1)
    let account = try #require(try join.advance())
    join.clean()
    return account
  }

  // MARK: The attacks

  private func forge(_ forgery: Forgery, _ zone: ZoneID, _ other: ZoneID) throws {
    let account = thief.accountZone
    try account.pull()
    let record = AccountZone.zoneEntryID(zone)
    func set(_ name: String, _ value: FieldValue) throws {
      try account.save([RecordChange(id: record, act: .update, fields: [name: value])])
    }
    func ring(_ epochs: [UInt64]) -> FieldValue {
      .bytes(Keyring(epochs.map { ZoneKey.random(epoch: $0) }).encoded())
    }
    let part = ZonePart(zone)
    let mount = AccountZone.mountID(part, ana.device.id)
    switch forgery {
    case .nothing: break
    case .zoneDeleted: try AccountZone.remove(zone, from: account)
    case .zonePublic: try set("scope", .text("public"))
    case .zoneShared: try set("scope", .text("shared"))
    case .zoneOwner: try set("owner", .bytes(bob.user.bytes))
    case .zoneFounder: try set("founder", .bytes(laptopsFriend.bytes))
    case .keysGarbage: try set("keys", .bytes([1, 2, 3]))
    case .keysWrong: try set("keys", ring([1]))
    case .keysEmpty: try set("keys", ring([]))
    case .keysLater:
      let known = try #require(try thief.zone(zone)).keyring()
      let later = Keyring(known.all + [.random(epoch: 2), .random(epoch: 3)])
      try set("keys", .bytes(later.encoded()))
    case .ended: try plantEnded(zone)
    case .endedAndDeleted:
      try plantEnded(zone)
      try AccountZone.remove(zone, from: account)
    case .given: try AccountZone.add(given: other, to: account)
    case .declined: try AccountZone.decline(zone, ana.device.id, in: account)
    case .mountTouched:
      try account.save([RecordChange(id: mount, act: .update, fields: ["file": .integer(0)])])
    case .mountDeleted: try AccountZone.removeMount(part, ana.device.id, from: account)
    case .mountMoved:
      try account.save([
        RecordChange(
          id: mount, act: .update, fields: ["path": .bytes(Array("/home/ana/.config".utf8))])
      ])
    case .mountPlanted:
      try AccountZone.add(
        MountEntry(zone: other, device: ana.device.id, path: Array("/home/ana/.ssh".utf8)),
        to: account)
    case .nestingOfNothing: try plantNesting(of: zone, outer: account.id)
    case .nestingOfAnotherZone: try plantNesting(of: zone, outer: other)
    case .formerPlanted: try plantFormer(zone, of: other)
    case .formerPlantedAndMountDeleted:
      try plantFormer(zone, of: other)
      try AccountZone.removeMount(part, ana.device.id, from: account)
    }
  }

  /// The id of some person.
  private var laptopsFriend: UserID { bob.user }

  private func plantEnded(_ zone: ZoneID) throws {
    try AccountZone.save(
      AccountZone.recordID("ended", zone.bytes), "cairn.ended",
      ["zone": .bytes(zone.bytes), "time": .integer(1)], in: thief.accountZone)
  }

  private func plantNesting(of zone: ZoneID, outer: ZoneID) throws {
    let nesting = Nesting(
      part: ZonePart(zone), outer: outer, reference: .random(), record: .random(),
      device: laptop.device.id, isFile: false, founds: true)
    try AccountZone.add([nesting], nil, [], to: thief.accountZone)
  }

  /// Notes that all of a zone has moved to the other one.
  private func plantFormer(_ zone: ZoneID, of other: ZoneID) throws {
    let former = FormerZone(
      part: ZonePart(other, base: .random()), zone: zone, through: 1, joined: 1, isWhole: true)
    try thief.accountZone.save {
      try [AccountZone.change(of: former, in: thief.accountZone)].compactMap { $0 }
    }
  }

  // MARK: What must be so afterwards

  /// Expects that the device reads nothing new, and that its writing has no effect in Ana's zones.
  private func expectShutOut(
    of zones: [Zone], _ stolen: [Zone], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for (zone, copy) in zip(zones, stolen) {
      try zone.pull()
      #expect(
        zone.header.revokedDevices.contains(laptop.author), "\(zone.id)",
        sourceLocation: sourceLocation)
      try zone.write("after", [3])
      _ = try cloudCode { try copy.pull() }
      #expect(try !copy.names().contains("after"), sourceLocation: sourceLocation)
      #expect(throws: CloudError.self, sourceLocation: sourceLocation) {
        try copy.write("forged", [4])
      }
      try zone.pull()
      #expect(try !zone.names().contains("forged"), sourceLocation: sourceLocation)
    }
    let fresh = try world.open(laptop)
    _ = try cloudCode { try fresh.refresh() }
    for id in zones.map(\.id) {
      guard let copy = try fresh.zone(id) else { continue }
      _ = try cloudCode { try copy.pull() }
      #expect(try !copy.names().contains("after"), sourceLocation: sourceLocation)
    }
  }

  /// Expects that garbage collection deletes nothing that a zone needs.
  private func expectKept(
    _ container: Container, _ zone: ZoneID, _ bytes: [UInt8],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for clock in [Self.now, Self.now + Upkeep.garbageLife, Self.now + 2 * Upkeep.garbageLife] {
      // It may say that something can't be read: then it deletes nothing.
      _ = try cloudCode {
        try container.formers.settle()
        _ = try container.upkeep.collectGarbage(at: clock)
      }
    }
    let reader = try world.open(bob)
    let copy = try #require(try reader.zone(zone), sourceLocation: sourceLocation)
    try copy.pull()
    #expect(try copy.files()["before"] == bytes, sourceLocation: sourceLocation)
  }

  /// Plays an attack on a share that Ana made on one of her devices.
  private func play(_ forgery: Forgery, madeBy maker: Container, losesIndex: Bool) throws {
    let bytes = ContentPieces.noise(200_000)
    let trip = try maker.privateDatabase.createZone(named: "Trip")
    _ = try maker.sharing.share(trip, title: "Trip")
    try trip.write("before", bytes)
    _ = try maker.sharing.invite(bob.user, to: trip, permission: .readWrite)
    _ = try world.open(bob).participation.accept(trip.id)
    let other = try maker.privateDatabase.createZone(named: "Other")
    for container in [desk, thief] { try container.refresh() }
    for zone in [trip.id, other.id] { try #require(try desk.zone(zone)).pull() }
    try desk.addMount(trip.id, path: Self.path)
    try thief.refresh()
    let stolen = try [trip.id, other.id].map { try #require(try thief.zone($0)) }
    for zone in stolen { try zone.pull() }

    try forge(forgery, trip.id, other.id)

    // Before the revocation: a restart, with or without an index, and a garbage collection.
    let index = "\(world.folder)/\(losesIndex ? "lost" : "desk")"
    let before = try world.open(ana.apart(), index: index)
    try before.refresh()
    #expect(try before.mounts().map(\.path) == [Self.path])
    try expectKept(before, trip.id, bytes)

    try before.revocation.revoke(laptop.device.id)
    let progress = try before.revocation.revokeInZones()
    #expect(progress.pending == 0 && progress.done == 3)
    // Repeated, it has nothing to do.
    #expect(try before.revocation.revokeInZones().done == 3)

    let anew = try world.open(ana, index: "\(world.folder)/\(forgery)")
    for container in [before, anew] {
      try container.refresh()
      #expect(try container.zoneIDs() == [trip.id, other.id])
      #expect(try container.mounts().map(\.path) == [Self.path])
    }
    let zones = try [trip.id, other.id].map { try #require(try before.zone($0)) }
    // A zone in another database before is moved by its mirroring device.
    #expect(zones.allSatisfy { $0.scope == .private || before.ownership.isMisplaced($0) })
    #expect(try anew.zones(.private).map(\.id).sorted() == [trip.id, other.id].sorted())
    try expectShutOut(of: zones, stolen)
    try expectKept(before, trip.id, bytes)

    // A device that joins now mirrors the desktop's zones.
    let phone = try world.open(try Self.device("phone", by: before, in: world))
    #expect(try phone.mountsElsewhere().map(\.zone) == [trip.id])
    let copy = try #require(try phone.zone(trip.id))
    try copy.pull()
    #expect(try copy.files()["before"] == bytes && copy.names().contains("after"))
  }

  @Test(arguments: Forgery.allCases, [false, true])
  func `a revocation reaches a share, whatever the device wrote into the account`(
    _ forgery: Forgery, losesIndex: Bool
  ) throws {
    try play(forgery, madeBy: desk, losesIndex: losesIndex)
  }

  @Test(arguments: Forgery.allCases)
  func `a revocation reaches a share that the device made itself`(_ forgery: Forgery) throws {
    try play(forgery, madeBy: thief, losesIndex: true)
  }

  @Test(arguments: [Forgery.zoneDeleted, .keysWrong, .keysGarbage, .zoneFounder, .zonePublic])
  func `a revocation reaches shares of others, too`(_ forgery: Forgery) throws {
    let bobs = try world.open(bob)
    let zone = try bobs.privateDatabase.createZone(named: "Bob's")
    _ = try bobs.sharing.share(zone, title: "Bob's")
    _ = try bobs.sharing.invite(ana.user, to: zone, permission: .readWrite)
    let mine = try thief.participation.accept(zone.id)
    try desk.refresh()
    try forge(forgery, zone.id, zone.id)
    let before = try world.open(ana.apart())
    try before.revocation.revoke(laptop.device.id)
    let progress = try before.revocation.revokeInZones()
    #expect(progress.pending == 0 && progress.done == 2)
    try zone.pull()
    #expect(zone.header.revokedDevices.contains(laptop.author) && zone.header.isRekeyDue)
    try bobs.access.rekeyIfDue(zone)
    try zone.write("after", [1])
    _ = try cloudCode { try mine.pull() }
    #expect(try mine.names().isEmpty)
    let found = try #require(try before.zone(zone.id))
    try found.pull()
    #expect(try found.scope == .shared && found.names() == ["after"])
  }

  // MARK: Unreachable zones

  @Test func `a zone that can't be read is named, and reached when it can be`() throws {
    let zone = try desk.privateDatabase.createZone(named: "Trip")
    try zone.write("before", [1])
    try thief.refresh()
    try AccountZone.remove(zone.id, from: thief.accountZone)
    let place = try zone.place(2)
    let bytes = try #require(try world.store.get(place))
    try world.store.delete(place)
    _ = try world.store.put(place, [1, 2, 3])

    let again = try world.open(ana.apart())
    try again.revocation.revoke(laptop.device.id)
    let first = try again.revocation.revokeInZones()
    #expect(first.pending == 1 && first.missed.map(\.zone) == [zone.id])
    #expect(first.missed.allSatisfy { !$0.reason.isEmpty })

    try world.store.delete(place)
    _ = try world.store.put(place, bytes)
    let second = try again.revocation.revokeInZones()
    #expect(second.pending == 0 && second.missed.isEmpty && second.done == 2)
    try zone.pull()
    #expect(zone.header.revokedDevices.contains(laptop.author))
  }

  @Test func `gc waits for an own zone that can't be read, but for no stranger's folder`()
    throws
  {
    let zone = try desk.privateDatabase.createZone(named: "Trip")
    let bytes = ContentPieces.noise(200_000)
    try zone.write("before", bytes)
    let garbage = PackStamp.random(generation: 0).key(owner: ana.user)
    _ = try world.store.put(garbage, ContentPieces.noise(4_096))
    // Anybody can make such folders, even with an entry of another zone in them.
    let first = try #require(try world.store.get(zone.place(1)))
    for (number, bytes) in [[1, 2, 3], first].enumerated() {
      let other = ZoneID.derive(owner: ana.user, nonce: .random())
      let folder = ZoneFolder(zone: other, founder: ana.user)
      let name = String(repeating: "\(number)", count: 32)
      _ = try world.store.put(folder.place(named: name), bytes)
    }
    // The thief takes the zone out of the account, and its log can't be read for a while.
    try thief.refresh()
    try AccountZone.remove(zone.id, from: thief.accountZone)
    let place = try zone.place(2)
    let entry = try #require(try world.store.get(place))
    try world.store.delete(place)
    _ = try world.store.put(place, [1])
    let again = try world.open(ana.apart())
    try again.refresh()
    for clock in [Self.now, Self.now + Upkeep.garbageLife] {
      let error = #expect(throws: CloudError.self) {
        try again.upkeep.collectGarbage(at: clock)
      }
      #expect(error?.message.contains(zone.id.digits) == true)
    }
    #expect(try world.store.get(garbage) != nil)
    try world.store.delete(place)
    _ = try world.store.put(place, entry)
    for clock in [Self.now, Self.now + Upkeep.garbageLife] {
      _ = try again.upkeep.collectGarbage(at: clock)
    }
    #expect(try world.store.get(garbage) == nil)
    let reader = try #require(try world.open(ana).zone(zone.id) ?? desk.zone(zone.id))
    try reader.pull()
    #expect(try reader.files() == ["before": bytes])
  }

  @Test func `a transferred folder stays known, and a planted one is forgotten`() throws {
    let zone = try desk.privateDatabase.createZone(named: "Trip")
    try desk.remember(given: zone.id)
    let planted = ZoneID.derive(owner: ana.user, nonce: .random())
    try thief.refresh()
    try AccountZone.delete(
      AccountZone.recordID("given", zone.id.bytes), in: thief.accountZone)
    try AccountZone.add(given: planted, to: thief.accountZone)
    try desk.refresh()
    #expect(try desk.givenZones() == [zone.id, planted])
    try desk.revocation.revoke(laptop.device.id)
    _ = try desk.revocation.revokeInZones()
    #expect(try desk.givenZones() == [zone.id])
  }

  @Test func `people, codes and declined shares are as the other devices left them`() throws {
    let zone = try desk.privateDatabase.createZone(named: "Trip")
    try desk.acquaintances.verify(try #require(try desk.acquaintances.person(bob.user)))
    let code = try desk.devices.linkCode(path: [47], now: 0)
    try desk.declineMount(zone.id)
    try thief.refresh()
    for type in ["cairn.person", "cairn.code", "cairn.declined"] {
      for record in try AccountZone.records(type, in: thief.accountZone) {
        try AccountZone.delete(record.id, in: thief.accountZone)
      }
    }
    try desk.refresh()
    #expect(try desk.acquaintances.seePeople().trust[bob.user] != .verified)
    try desk.revocation.revoke(laptop.device.id)
    _ = try desk.revocation.revokeInZones()
    #expect(try desk.acquaintances.seePeople().trust[bob.user] == .verified)
    #expect(try AccountZone.records("cairn.declined", in: desk.accountZone).count == 1)
    // A code that the device touched is useless.
    let join = DeviceJoin(code, in: world.store, deviceName: "late")
    _ = try cloudCode { _ = try join.advance() }
    #expect(try desk.devices.answerJoins(now: 1).isEmpty)
  }

  @Test func `a home knows its folders, whatever the account says`() throws {
    let zone = try desk.privateDatabase.createZone(named: "Trip")
    func open(_ file: String) throws -> Container {
      try Container(
        store: world.store, id: world.id, account: ana, indexFolder: "\(world.folder)/desk",
        root: nil, ownMounts: OwnMounts(path: "\(world.folder)/\(file)"))
    }
    let part = ZonePart(zone.id, base: .random())
    let one = try open("mounts.json")
    try one.addMount(zone.id, path: Self.path)
    try one.addMount(part, path: [47, 255, 10], isFile: true)
    try one.declineMount(zone.id)
    let mounts = try one.mounts()
    #expect(mounts.map(\.path) == [Self.path, [47, 255, 10]])
    try thief.refresh()
    for record in try AccountZone.records("cairn.mount", in: thief.accountZone) {
      try AccountZone.delete(record.id, in: thief.accountZone)
    }
    // A restart, with the file or without it.
    for file in ["mounts.json", "other.json"] {
      let next = try open(file)
      try next.refresh()
      #expect(try Set(next.mounts()) == Set(mounts), "\(file)")
    }
    let next = try open("mounts.json")
    try next.refresh()
    #expect(try next.announceMounts())
    #expect(try AccountZone.mounts(in: next.accountZone).count == 2)
    #expect(try !next.announceMounts())
    try next.removeMount(part)
    #expect(try open("mounts.json").mounts().map(\.path) == [Self.path])
  }
}
