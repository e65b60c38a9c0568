import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// A thief with a device of Ana's alters or deletes the real note about a folder that she shares
/// out of a mirrored one. Nothing of the share is lost, whatever she does next.
@Suite struct StolenNestingTests {
  enum Forgery: CaseIterable {
    case deleted, outer, reference, record, device, isFile, founds
  }

  private static let path = Array("/home/ana/home/trip".utf8)
  private static let now: Int64 = 1_700_000_000

  private let world: ZoneWorld
  private let ana: Account
  private let bob: Account
  private let laptop: Account
  private let desk: Container
  private let thief: Container
  private let home: Zone
  private let nesting: Nesting
  private let file: RecordID
  private let bytes = ContentPieces.noise(200_000)

  init() throws {
    world = try ZoneWorld()
    (ana, bob) = (try world.account("ana"), try world.account("bob"))
    desk = try world.open(ana, index: "\(world.folder)/desk")
    let code = try desk.devices.linkCode(path: [47], now: 0)
    let join = DeviceJoin(code, in: world.store, deviceName: "laptop")
    _ = try join.advance()
    _ = try desk.devices.answerJoins(now: 1)
    laptop = try #require(try join.advance())
    thief = try world.open(laptop)
    home = try desk.privateDatabase.createZone(named: "home")
    let trip = RecordChange(
      id: .random(), act: .create(.directory),
      place: Place(parent: .root, name: try #require(FileName("trip"))))
    var file = try Zone.file("file", home.ingest(bytes))
    file.place?.parent = trip.id
    self.file = file.id
    try home.save([trip, file])
    nesting = try desk.nestings.nest(trip.id, of: home, title: "Trip", path: Self.path)
    let inner = try #require(try desk.zone(nesting.part.zone))
    _ = try desk.sharing.invite(bob.user, to: inner, permission: .readWrite)
    _ = try world.open(bob).participation.accept(inner.id)
    try thief.refresh()
  }

  private func forge(_ forgery: Forgery) throws {
    let id = try #require(
      try AccountZone.records(AccountZone.nestingType, in: thief.accountZone).first?.id)
    let other = try thief.privateDatabase.createZone(named: "other")
    let field: (String, FieldValue)
    switch forgery {
    case .deleted: return try AccountZone.delete(id, in: thief.accountZone)
    case .outer: field = ("outer", .bytes(other.id.bytes))
    case .reference: field = ("reference", .bytes(RecordID.random().bytes))
    case .record: field = ("record", .bytes(RecordID.random().bytes))
    case .device: field = ("device", .bytes(laptop.device.id.bytes))
    case .isFile: field = ("file", .integer(1))
    case .founds: field = ("founds", .integer(0))
    }
    try thief.accountZone.save([RecordChange(id: id, act: .update, fields: [field.0: field.1])])
    #expect(try thief.nestings.all().first != nesting)
  }

  /// Starts a device again, collects garbage, and ends what seems to be interrupted.
  private func restart(_ index: String) throws -> Container {
    let container = try world.open(ana.apart(), index: "\(world.folder)/\(index)")
    try container.refresh()
    for zone in try container.privateDatabase.zones() { _ = try cloudCode { try zone.pull() } }
    _ = try cloudCode { try container.returning.dropUnlinkedZones() }
    let later = WallClock.now + 2 * Returning.endedZoneLife
    _ = try cloudCode { try container.returning.collectEndedZones(now: later) }
    for clock in [Self.now, Self.now + Upkeep.garbageLife, Self.now + 2 * Upkeep.garbageLife] {
      _ = try cloudCode {
        try container.formers.settle()
        _ = try container.upkeep.collectGarbage(at: clock)
      }
    }
    return container
  }

  private func read(_ zone: Zone?) throws -> [UInt8]? {
    guard let zone else { return nil }
    _ = try cloudCode { try zone.pull() }
    guard let content = try zone.read({ try $0.record(file)?.content }) else { return nil }
    var read: [UInt8] = []
    try zone.readContent(content) { read += Array($0) }
    return read
  }

  @Test(arguments: Forgery.allCases, ["desk", "lost"])
  func `a revocation restores the note, and the share can be stopped`(
    _ forgery: Forgery, index: String
  ) throws {
    try forge(forgery)
    let before = try restart(index)
    #expect(try read(world.open(bob).zone(nesting.part.zone)) == bytes)
    try before.revocation.revoke(laptop.device.id)
    #expect(try before.revocation.revokeInZones().pending == 0)
    let after = try restart(index)
    #expect(try after.nestings.all() == [nesting])
    #expect(try read(world.open(bob).zone(nesting.part.zone)) == bytes)
    let inner = try #require(try after.zone(nesting.part.zone))
    try inner.pull()
    _ = try inner.changeShare([.stop])
    try after.returning.bringBack([nesting])
    try after.returning.drop([nesting], hadReaders: true)
    #expect(try read(after.zone(home.id)) == bytes)
  }

  @Test(arguments: Forgery.allCases)
  func `nothing is lost if the share is stopped before the revocation`(_ forgery: Forgery) throws {
    try forge(forgery)
    let container = try restart("desk")
    let inner = try #require(try container.zone(nesting.part.zone))
    try inner.pull()
    _ = try inner.changeShare([.stop])
    let nestings = try container.nestings.all(of: inner.id)
    if !nestings.isEmpty {
      _ = try cloudCode {
        try container.returning.bringBack(nestings)
        try container.returning.drop(nestings, hadReaders: true)
      }
    }
    let next = try restart("desk")
    let kept = try [next.zone(home.id), next.zone(inner.id)].compactMap { try read($0) }
    #expect(kept.contains(bytes), "\(forgery)")
  }
}
