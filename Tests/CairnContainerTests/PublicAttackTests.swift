import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Other people's acts in the folder of a public zone have no effect, unless they have a key of its
/// author. Then only that author's zone stops, with a report.
@Suite struct PublicAttackTests {
  private let world: ZoneWorld
  private let ana: Account
  private let bob: Account
  private let desk: Container
  private var folder: ZoneFolder {
    ZoneFolder(zone: .public(in: world.id, by: ana.user), founder: ana.user, kind: .public)
  }

  init() throws {
    world = try ZoneWorld()
    (ana, bob) = (try world.account("ana"), try world.account("bob"))
    desk = try world.open(ana)
  }

  /// Returns Ana's zone for earlier readers, and for a first reader.
  private func everybody(_ known: Zone...) throws -> [Zone] {
    try known + [world.anonymous(), world.open(bob)].map { try $0.publicZones.zone(of: ana.user) }
  }

  /// Expects that all of them read the same, and that no problem is reported.
  private func expectSame(
    _ names: Set<String>, _ zones: [Zone], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for zone in zones {
      try zone.pull()
      #expect(try zone.names() == names, sourceLocation: sourceLocation)
      #expect(zone.header == zones[0].header, sourceLocation: sourceLocation)
      #expect(zone.trouble == nil, sourceLocation: sourceLocation)
      #expect(try zone.verify().isEmpty, sourceLocation: sourceLocation)
    }
  }

  /// Returns names that can be known or guessed: of places by other keys, and by the zone's own.
  private func guesses() throws -> [ObjectKey] {
    let zone = folder.zone
    let shared = ZoneFolder(zone: zone, founder: ana.user)
    let named = (1...4 as ClosedRange<UInt64>).flatMap { place in
      [
        ChainPlace.name(of: shared.place(place, .public(of: zone))),
        folder.publicName(place, by: .random()), ChainPlace.name(place + 1, by: .random()),
      ]
    }
    let plain = [String(repeating: "0", count: 32), "start", "log", "x.1", "deep/er"]
    return try (named + plain).map { try #require(ObjectKey("\(folder.log)/\($0)")) }
  }

  @Test
  func `rubbish in a public folder is never read, whatever it does later`() throws {
    let known = try world.open(bob).publicZones.zone(of: ana.user)
    let rubbish = try guesses()
    for key in rubbish { _ = try world.store.put(key, Sample.noise(300, seed: 1)) }
    #expect(try world.open(bob).publicZones.all().isEmpty, "she hasn't begun, whatever lies there")
    let zone = try desk.publicZones.founded()
    try zone.write("first", [1])
    try expectSame(["first"], everybody(zone, known))
    // It changes, becomes an entry of another place, disappears and returns, also behind the end.
    let entry = try #require(try world.store.get(try zone.place(2)))
    for (round, bytes) in [[1], Sample.noise(300, seed: 2), entry].enumerated() {
      for key in rubbish {
        try world.store.delete(key)
        _ = try world.store.put(key, bytes)
      }
      try zone.write("round \(round)", [UInt8(round)])
      let names = Set(["first"] + (0...round).map { "round \($0)" })
      try expectSame(names, everybody(zone, known))
    }
    for key in rubbish { try world.store.delete(key) }
    try expectSame(["first", "round 0", "round 1", "round 2"], everybody(zone, known))
  }

  @Test func `rubbish in a public folder costs one listing, and nothing is opened`()
    throws
  {
    let zone = try desk.publicZones.founded()
    try zone.write("f", [1])
    func gets() throws -> Int {
      let counted = CountingStore(world.store)
      let container = try world.open(bob, store: counted)
      let before = counted.gets
      try container.publicZones.zone(of: ana.user).pull()
      return counted.gets - before
    }
    let few = try gets()
    for number in 0..<2_000 {
      let name = hexadecimal(
        Crypto.digest("rubbish", Crypto.number(UInt64(number))).bytes.prefix(16))
      _ = try world.store.put(folder.place(named: name), [1])
    }
    #expect(try gets() == few)
  }

  @Test func `folders of people who publish nothing make no zones here`() throws {
    for number in 0..<50 {
      let stranger = UserID(Crypto.digest("nobody", Crypto.number(UInt64(number))))
      let key = try #require(ObjectKey("users/\(stranger)/public/\(number)"))
      _ = try world.store.put(key, [1])
    }
    _ = try world.store.put(try #require(ObjectKey("users/\(bob.user)/public/x")), [1])
    let container = try world.open(bob)
    #expect(try container.publicZones.all().isEmpty && container.openZones.isEmpty)
  }

  /// Returns an entry for the next place of Ana's log, signed by anybody.
  private func entry(
    _ account: Account, behind zone: Zone, at sequence: UInt64, lock: Bytes32? = .zero,
    genesis: Genesis? = nil
  ) throws -> [UInt8] {
    let commit = Commit(
      previous: zone.header.head, author: account.author, time: 0, genesis: genesis, epoch: 1,
      chain: ChainHead(length: 1, head: .zero), lock: lock)
    return try EntryCodec.seal(
      commit, zone: folder.zone, sequence: sequence, key: .public(of: folder.zone), boxesFor: [],
      nonce: genesis.map { _ in Bytes16(high: 0, low: 0) }, account: account)
  }

  @Test
  func `somebody with the next place can hold one zone, is named, and deceives nobody`() throws {
    let thief = try world.device(of: desk, "laptop")
    let zone = try desk.publicZones.founded()
    try zone.write("f", [1])
    let bobs = try world.open(bob).publicZones.founded()
    let next = zone.header.sequence + 1
    let place = try zone.place(next)
    let mallory = try world.account("mallory")
    let stranger = try Sample.account("nobody").account
    let forged: [([UInt8], String)] = [
      (Sample.noise(400, seed: 5), "damaged"),
      (try entry(mallory, behind: zone, at: next), "Only who publishes"),
      (try entry(stranger, behind: zone, at: next), "unknown"),
      (try entry(thief, behind: zone, at: next, lock: nil), "locks the next place"),
      (try entry(thief, behind: zone, at: next + 1), "moved here"),
      (
        try entry(
          mallory, behind: zone, at: next, genesis: Genesis(owner: mallory.user, name: "Public")),
        "another zone"
      ),
    ]
    for (bytes, reason) in forged {
      #expect(try world.store.put(place, bytes) == .stored)
      for reader in try everybody(zone) {
        let stopped = #expect(throws: CloudError.self) { try reader.pull() }
        #expect(stopped?.code == .zoneBusy && reader.trouble?.object == place.description)
        #expect(
          reader.trouble?.reason?.contains(reason) == true, "\(reader.trouble?.message ?? "")")
        #expect(try reader.names() == ["f"])
      }
      // Another author isn't affected.
      try bobs.write("\(reason)", [1])
      let theirs = try desk.publicZones.zone(of: bob.user)
      try theirs.pull()
      #expect(theirs.header == bobs.header)
      try world.store.delete(place)
      try zone.pull()
    }
    try zone.write("g", [2])
    try expectSame(["f", "g"], everybody(zone))
  }

  @Test func `missing or altered entries are reported, and readers put them back`()
    throws
  {
    let zone = try desk.publicZones.founded()
    for number in 1...3 { try zone.write("\(number)", [UInt8(number)]) }
    let known = try world.open(bob).publicZones.zone(of: ana.user)
    try known.pull()
    let last = try zone.place(4)
    let bytes = try #require(try world.store.get(last))
    try world.store.delete(last)
    #expect(throws: CloudError.self) { try known.pull() }
    #expect(known.trouble?.kind == .lostEnd)
    try known.putBack(try known.planRepair().kept)
    #expect(try world.store.get(last) == bytes)
    try world.replace(last) { $0[200] ^= 1 }
    #expect(throws: CloudError.self) { try known.pull() }
    #expect(known.trouble?.kind == .damaged, "nobody but Ana could have signed another history")
    #expect(try !known.verify().isEmpty && known.names() == ["1", "2", "3"])
    try world.replace(last) { $0 = bytes }
    try zone.write("4", [4])
    try expectSame(["1", "2", "3", "4"], everybody(zone, known))
  }

  @Test func `a revoked stolen device can't compute where a public log goes on`() throws {
    let laptop = try world.device(of: desk, "laptop")
    let zone = try desk.publicZones.founded()
    try zone.write("f", [1])
    try desk.revocation.revoke(laptop.device.id)
    #expect(try desk.revocation.revokeInZones() == RevocationProgress(done: 2, pending: 0))
    // The thief's knowledge leads nowhere: the old key names no place behind the revocation.
    let thief = Account(
      user: ana.user, device: laptop.device, encryption: laptop.encryption, origin: ana.origin)
    for sequence in zone.header.sequence...zone.header.sequence + 5 {
      for key in thief.encryption {
        let place = folder.place(named: folder.publicName(sequence, by: key))
        _ = try world.store.put(place, try entry(thief, behind: zone, at: sequence))
      }
    }
    try expectSame(["f"], everybody(zone))
    try zone.write("g", [2])
    try expectSame(["f", "g"], everybody(zone))
    let gone = Author(user: ana.user, device: laptop.device.id)
    #expect(zone.header.revokedDevices == [gone])
  }

  @Test func `a public zone begins once, as the chain says`() throws {
    let me = try desk.refreshMe().me
    #expect(me.publicLock == nil)
    _ = try desk.publicZones.founded()
    let begun = try desk.refreshMe().me
    #expect(
      begun.publicLock == ChainPlace.lock(folder.publicName(1, by: try #require(ana.key(of: me)))))
    #expect(throws: IdentityError.self) {
      _ = try IdentityLog.append(.beginPublic(folder), to: begun, by: ana, time: 1)
    }
  }
}
