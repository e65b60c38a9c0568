import CairnStore
import CairnZone
import Foundation
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Versions that the owner has forgotten, and their traces.
struct ForgetTests {
  @Test func `after gc, no object in the container opens forgotten versions`() throws {
    let story = try SecretStory()
    let needles = try story.needles()
    #expect(try story.traces(needles).count >= 4, "entry, pack and present are all found")
    try story.zone.save([story.change(Array("now harmless".utf8))])
    try story.forget()
    let report = try story.ana.upkeep.collectGarbage(at: story.now)
    #expect(report.floors == 1 && report.waiting.packs > 0, "\(report)")
    #expect(try story.zone.read { try $0.versions(of: story.file, limit: 9) }.count == 1)
    #expect(try !story.traces(needles).isEmpty, "seven days for who is in the middle of reading")
    story.now += Upkeep.garbageLife
    let last = try story.ana.upkeep.collectGarbage(at: story.now)
    #expect(last.deletedEntries.entries > 0 && last.deleted.packs > 0 && last.refused.isEmpty)
    #expect(try story.traces(needles) == [])
    // Everything else is unchanged, with its history, for readers and for newcomers.
    for zone in [story.zone, story.bobs, try story.newcomer()] {
      try zone.pull()
      #expect(try zone.files() == story.expected)
      #expect(try zone.verify().isEmpty && zone.trouble == nil)
      let versions = try zone.read { try $0.versions(of: story.other, limit: 9) }
      #expect(versions.count == 3, "kept for ever, as the owner says")
      for version in versions {
        try zone.readContent(try #require(version.record.content)) { _ in }
      }
      let left = try zone.read { try $0.versions(of: story.file, limit: 9) }
      #expect(left.map(\.record.content?.size) == [12])
    }
  }

  @Test func `a deleted version can be forgotten, and one of several by its number`() throws {
    let story = try SecretStory()
    let needles = try story.needles()
    let small = try story.zone.read { try $0.versions(of: story.file, limit: 9) }[1].began
    try story.zone.save([RecordChange(id: story.file, act: .delete)])
    let past = try story.forget(version: small)
    #expect(past.versions.map(\.began) == [small] && past.bytes == UInt64(story.small.count))
    let left = try story.zone.read { try $0.versions(of: story.file, limit: 9) }
    #expect(left.count == 2 && left[0].end?.ending == .deleted)
    try story.forget()
    #expect(try story.zone.read { try $0.versions(of: story.file, limit: 9) }.isEmpty)
    _ = try story.ana.upkeep.collectGarbage(at: story.now)
    story.now += Upkeep.garbageLife
    _ = try story.ana.upkeep.collectGarbage(at: story.now)
    #expect(try story.traces(needles) == [])
    #expect(throws: PastToForget.Refusal.isUnknown) { try story.forget() }
  }

  @Test func `the present content stays, and other places of its bytes are named`() throws {
    let story = try SecretStory()
    let now = try story.zone.read { try #require(try $0.record(story.file)) }.changed.sequence
    #expect(throws: PastToForget.Refusal.isPresent) { try story.forget(version: now) }
    #expect(throws: PastToForget.Refusal.isUnknown) { try story.forget(version: 1) }
    let (large, small) = (try story.zone.ingest(story.large), try story.zone.ingest(story.small))
    let copies = [try Zone.file("copy", large), try Zone.file("gone", small)]
    try story.zone.save(copies)
    try story.zone.save([RecordChange(id: copies[1].id, act: .delete)])
    try story.zone.save([story.change(Array("now harmless".utf8))])
    let past = try story.zone.read { try PastToForget(of: story.file, version: nil, in: $0) }
    #expect(past.versions.count == 3, "one of them twice")
    let elsewhere = try story.zone.read { try past.elsewhere(in: $0) }
    #expect(elsewhere.map(\.record.id) == copies.map(\.id))
    #expect(elsewhere.map(\.isPresent) == [true, false])
    try story.ana.ownership.forget(past, in: story.zone)
    _ = try story.ana.upkeep.collectGarbage(at: story.now)
    story.now += Upkeep.garbageLife
    _ = try story.ana.upkeep.collectGarbage(at: story.now)
    #expect(try story.zone.files()["copy"] == story.large)
    let gone = try story.newcomer().read { try $0.versions(of: copies[1].id, limit: 9) }
    var bytes: [UInt8] = []
    try story.zone.readContent(try #require(gone.first?.record.content)) { bytes += Array($0) }
    #expect(bytes == story.small)
  }

  @Test func `only the owner can forget versions`() throws {
    let story = try SecretStory()
    try story.zone.save([story.change([1])])
    try story.bobs.pull()
    let past = try story.bobs.read { try PastToForget(of: story.file, version: nil, in: $0) }
    let bob = try story.world.open(story.accounts[1])
    let zone = try #require(try bob.zone(story.zone.id))
    try zone.pull()
    #expect(try cloudCode { try bob.ownership.forget(past, in: zone) } == .permissionFailure)
  }

  @Test func `a device that was away drops versions that were forgotten meanwhile`() throws {
    let story = try SecretStory()
    let folder = "\(story.world.folder)/away"
    for account in story.accounts {
      let away = try story.world.open(account, index: "\(folder)-\(account.user)")
      _ = try #require(try away.zone(story.zone.id)).pull()
    }
    try story.zone.save([story.change(Array("now harmless".utf8))])
    try story.forget()
    _ = try story.ana.upkeep.collectGarbage(at: story.now)
    story.now += Upkeep.garbageLife
    _ = try story.ana.upkeep.collectGarbage(at: story.now)
    for account in story.accounts {
      let device = try story.world.open(account, index: "\(folder)-\(account.user)")
      let away = try #require(try device.zone(story.zone.id))
      try away.pull()
      #expect(away.header == story.zone.header)
      let left = try away.read { try $0.versions(of: story.file, limit: 9) }
      #expect(left.map(\.record.content?.size) == [12])
    }
  }

  @Test func `a reader keeps neither a forgotten version nor the entry that added it`() throws {
    let story = try SecretStory()
    try story.zone.save([story.change(Array("now harmless".utf8))])
    try story.bobs.pull()
    let places = try story.bobs.read { view in
      try view.versions(of: story.file, limit: 9).dropFirst().map(\.began)
    }
    func kept() throws -> [UInt64] {
      try story.bobs.read { view in
        try places.filter { try view.state.keptEntries.bytes(at: $0) != nil }
      }
    }
    #expect(try places.count == 3 && kept() == places)
    try story.forget()
    _ = try story.ana.upkeep.collectGarbage(at: story.now)
    try story.bobs.pull()
    #expect(try kept() == [])
    #expect(try story.bobs.read { try $0.versions(of: story.file, limit: 9) }.count == 1)
  }

  @Test func `a forgetting that is cut off at any call is finished by the next gc`() throws {
    for call in [1, 30, 61, 88, 112, 117, 121, 140, 200] {
      let story = try SecretStory()
      let needles = try story.needles()
      try story.zone.save([story.change(Array("now harmless".utf8))])
      let faulty = FaultyStore(story.world.store)
      let ana = try story.world.open(
        story.accounts[0], index: "\(story.world.folder)/faulty", store: faulty)
      let zone = try #require(try ana.zone(story.zone.id))
      try zone.pull()
      let past = try zone.read { try PastToForget(of: story.file, version: nil, in: $0) }
      try ana.ownership.forget(past, in: zone)
      faulty.fail(call: call, call.isMultiple(of: 2) ? .before : .after)
      do { _ = try ana.upkeep.collectGarbage(at: story.now) } catch is CloudError {}
      let isOver = !faulty.isSpent
      faulty.heal()
      // Another device of hers goes on.
      for _ in 0..<2 {
        _ = try story.ana.upkeep.collectGarbage(at: story.now)
        story.now += Upkeep.garbageLife
      }
      _ = try story.ana.upkeep.collectGarbage(at: story.now)
      #expect(try story.traces(needles) == [], "at call \(call)")
      #expect(try story.newcomer().files() == story.expected, "at call \(call)")
      if isOver { return }
    }
  }
}

/// A zone of Ana's that Bob reads, kept for ever. A file in it had two secrets: one in an entry
/// itself, and one beside other things in a pack.
private final class SecretStory {
  let world: ZoneWorld
  let ana: Container
  let accounts: [Account]
  let zone: Zone
  let bobs: Zone
  let (file, other): (RecordID, RecordID)
  let small = Array("hunter2, and \(Int.max) more".utf8)
  let large = ContentPieces.noise(150_000)
  var now = WallClock.seconds
  private(set) var expected: [String: [UInt8]] = [:]

  init() throws {
    world = try ZoneWorld()
    let (anas, bobs, accounts) = try world.shared()
    (self.accounts, self.bobs) = (accounts, bobs)
    ana = try world.open(accounts[0])
    zone = try #require(try ana.zone(anas.id))
    try zone.pull()
    other = try zone.write("other", [1, 1])
    for byte: UInt8 in 2...3 {
      var change = RecordChange(id: other, act: .update)
      change.content = try zone.ingest([byte, byte])
      try zone.save([change])
    }
    // Content in the same pack, which is needed.
    let beside = ContentPieces.noise(90_000, seed: 7)
    let secret = try Zone.file("secret", try zone.ingest(large))
    file = secret.id
    try zone.save([secret, Zone.file("beside", try zone.ingest(beside))])
    try zone.save([change(small)])
    try zone.save([change(large)])
    try bobs.pull()
    expected = ["other": [3, 3], "beside": beside, "secret": Array("now harmless".utf8)]
  }

  func change(_ bytes: [UInt8]) throws -> RecordChange {
    var change = RecordChange(id: file, act: .update)
    change.content = try zone.ingest(bytes)
    return change
  }

  @discardableResult
  func forget(version: UInt64? = nil) throws -> PastToForget {
    let past = try zone.read { try PastToForget(of: file, version: version, in: $0) }
    try ana.ownership.forget(past, in: zone)
    return past
  }

  func newcomer() throws -> Zone {
    let zone = try #require(try world.open(accounts[1]).zone(zone.id))
    try zone.pull()
    return zone
  }

  /// Returns the traces of the secrets: their bytes, the names and places of their chunks with the
  /// keys in them, their ids, and their sealed chunks.
  func needles() throws -> [[UInt8]] {
    let contents = [try zone.ingest(small), try zone.ingest(large)]
    var needles = [small, Array(large[1_000..<1_100])]
    for content in contents {
      needles.append(content.id.bytes)
      for name in content.chunks {
        let entry = try zone.read { try #require(try $0.state.chunks.entry(name)) }
        needles += [name.bytes, entry.place]
        guard case .pack(let range, let key) = try ChunkPlace(entry).position else { continue }
        needles.append(key.copy())
        let pack = try #require(try world.store.get(range.stamp.key(owner: range.owner)))
        needles.append(Array(pack[Int(range.offset)..<Int(range.offset) + Int(range.length)]))
      }
    }
    return needles
  }

  /// Returns the objects of the container that contain a trace, sealed or opened.
  func traces(_ needles: [[UInt8]]) throws -> [String] {
    try zone.pull()
    var found: [String] = []
    let opened = try opened()
    for key in try world.keys() {
      let bytes = try #require(try world.store.get(key))
      if key.description.contains(zone.id.description) {
        #expect(opened[key] != nil, "nobody could look into \(key)")
      }
      let all = [bytes] + (opened[key] ?? [])
      let isTrace = needles.contains { needle in
        all.contains { Data($0).range(of: Data(needle)) != nil }
      }
      if isTrace { found.append(key.description) }
    }
    return found
  }

  /// Returns all objects of the zone, opened with each of its keys.
  private func opened() throws -> [ObjectKey: [[UInt8]]] {
    var opened: [ObjectKey: [[UInt8]]] = [:]
    let keys = zone.keyring()
    let people = People(store: world.store)
    for place in 1...zone.header.sequence {
      for key in keys.all {
        let object = zone.folder.place(place, key)
        guard let bytes = try world.store.get(object) else { continue }
        let commit = try EntryCodec.open(bytes, zone: zone.id, sequence: place, keys: keys) {
          try people.signKey(of: $0)
        }
        let contents = commit.records.compactMap(\.content)
        opened[object] =
          commit.chunks.flatMap { [$0.name.bytes, $0.place] }
          + contents.flatMap { [$0.id.bytes] + $0.chunks.map(\.bytes) }
      }
    }
    let floors = Floors(folder: zone.folder, store: world.store)
    for told in try floors.told(keys) {
      let snapshot = try #require(try floors.read(told))
      opened[told.object] = [snapshot.encoded()]
      func open(_ digest: Bytes32) throws {
        let place = zone.folder.part(digest, told.key)
        let bytes = try #require(try world.store.get(place))
        switch try #require(SnapshotSeal.open(bytes, as: digest, zone.id, told.key)) {
        case .part(let plain): opened[place] = [plain]
        case .node(let below):
          opened[place] = below.map(\.bytes)
          for digest in below { try open(digest) }
        }
      }
      for list in snapshot.lists { try open(list) }
    }
    return opened
  }
}
