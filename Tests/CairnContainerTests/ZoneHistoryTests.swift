import CairnIndex
import CairnStore
import CairnZone
import Foundation
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Lost or replaced objects of a container: their reports, and the repair by a device.
struct ZoneHistoryTests {
  /// Returns a zone with entries 1 to 6, which Bob has read.
  private func world() throws -> (ZoneWorld, ana: Zone, bob: Zone, accounts: [Account]) {
    let world = try ZoneWorld()
    let (ana, bob, accounts) = try world.shared()
    try ana.write("small", [1])
    try ana.write("large", ContentPieces.noise(200_000))
    try bob.pull()
    return (world, ana, bob, accounts)
  }

  @Test func `entries that are gone from the end are put back unchanged`() throws {
    let (world, ana, bob, _) = try world()
    let seen = ana.header.sequence
    let before = try world.objects()
    for place in [seen - 1, seen] { try world.store.delete(ana.place(place)) }
    let lost = LogTrouble(.lostEnd, agreed: seen - 2, seen: seen)
    #expect(try cloudCode { try bob.pull() } == .changeTokenExpired)
    #expect(bob.trouble == lost)
    #expect(try cloudCode { try bob.write("new", [2]) } == .changeTokenExpired)
    #expect(try bob.files().count == 2)
    let plan = try bob.planRepair()
    #expect(plan.kept == [seen - 1, seen] && plan.lost == [] && !plan.follows)
    try bob.putBack(plan.kept)
    #expect(try world.objects() == before)
    #expect(bob.trouble == nil)
    try bob.write("new", [2])
    try ana.pull()
    #expect(try ana.files() == bob.files())
    for zone in [ana, bob] { #expect(try zone.verify() == []) }
  }

  @Test(arguments: [false, true])
  func `an epoch's end that was put back gets its end-of-epoch record again`(
    restarted: Bool
  ) throws {
    let (world, ana, bob, accounts) = try world()
    let before = Set(try world.keys())
    try ana.changeShare([], rekey: true)
    let mark = ana.folder.end(of: try #require(ana.keyring()[1]))
    try bob.pull()
    let raise = try bob.place(bob.header.sequence)
    #expect(Set(try world.keys()).subtracting(before) == [raise, mark])
    // No object behind it would show whether its author takes it back.
    for key in [raise, mark] { try world.store.delete(key) }
    #expect(try cloudCode { try bob.pull() } == .changeTokenExpired)
    try bob.putBack(bob.planRepair().kept)
    #expect(try world.store.size(of: mark) == nil)
    let index = restarted ? "\(world.folder)/index-2" : nil
    let later = try index.map { try world.open(accounts[1], index: $0).zone(ana.id) } ?? bob
    try #require(later).write("behind", [1])
    #expect(try world.store.size(of: mark) != nil)
  }

  @Test func `nobody writes into a gap, and an entry in the middle is restored`() throws {
    let (world, ana, bob, accounts) = try world()
    let newcomer = try #require(try world.open(accounts[1]).zone(ana.id))
    let key = try ana.place(4)
    for harm in ["missing", "altered"] {
      if harm == "missing" {
        try world.store.delete(key)
      } else {
        try world.replace(key) { $0[90] ^= 1 }
      }
      #expect(try cloudCode { try newcomer.pull() } == .assetNotAvailable, "\(harm)")
      #expect(newcomer.trouble?.kind == .damaged)
      #expect(try cloudCode { try newcomer.save([]) } == .assetNotAvailable)
      #expect(try newcomer.planRepair().kept == [])
      #expect(try bob.verify().map(\.sequence) == [4])
      let plan = try bob.planRepair()
      #expect(plan.kept == [4])
      try bob.putBack(plan.kept)
      #expect(try ana.verify() == [])
    }
    try newcomer.pull()
    #expect(try newcomer.files() == ana.files())
  }

  @Test func `rubbish behind a free place is no gap, and matters only in its turn`() throws {
    let (world, ana, bob, accounts) = try world()
    for place in [8, 9, 12] as [UInt64] {
      _ = try world.store.put(ana.place(place), ContentPieces.noise(300))
    }
    let newcomer = try #require(try world.open(accounts[1]).zone(ana.id))
    try newcomer.pull()
    try bob.write("a", [1])
    for zone in [ana, newcomer] {
      #expect(try cloudCode { try zone.pull() } == .zoneBusy)
      #expect(try zone.names() == ["small", "large", "a"])
    }
    // One repair takes all of it away.
    try ana.takeAway(try #require(ana.planRepair().held))
    for _ in 8...9 {
      _ = try cloudCode { try ana.pull() }
      #expect(try cloudCode { try ana.write("b\(ana.header.sequence)", [2]) } == nil)
      _ = try cloudCode { try ana.pull() }
    }
    for zone in [ana, bob, newcomer] {
      try zone.pull()
      #expect(try zone.names() == ["small", "large", "a", "b7", "b8"])
    }
  }

  @Test func `an altered head is damage, and another entry is another history`() throws {
    let (world, ana, bob, _) = try world()
    let head = try ana.place(6)
    let whole = try #require(try world.store.get(head))
    try world.replace(head) { $0[$0.count / 2] ^= 1 }
    #expect(try cloudCode { try bob.pull() } == .assetNotAvailable)
    #expect(bob.trouble == LogTrouble(.damaged, agreed: 5, seen: 6))
    try bob.putBack(bob.planRepair().kept)
    #expect(try world.store.get(head) == whole)

    // Ana's device goes on from an older copy of the container, and of its index.
    try world.store.delete(head)
    let other = try #require(try world.open(ana.account).zone(ana.id))
    try other.pull()
    try other.write("elsewhere", [7])
    #expect(try cloudCode { try bob.pull() } == .changeTokenExpired)
    #expect(bob.trouble == LogTrouble(.twoHistories, agreed: 5, seen: 6))
    #expect(try bob.planRepair().follows)
    #expect(try bob.names() == ["small", "large"])
  }

  @Test func `a follower of the other history gets its records, in a new epoch if allowed`()
    throws
  {
    let (world, ana, bob, _) = try world()
    let backup = try world.objects()
    let id = RecordID.random()
    let note = RecordChange(id: id, act: .create(.typed("note")), fields: ["text": .text("of ana")])
    try ana.save([note])
    try ana.write("of ana", [3])
    try world.rollBack(to: backup)
    try bob.write("of bob", [4])
    #expect(try cloudCode { try ana.pull() } == .changeTokenExpired)

    let plan = try ana.planRepair()
    let common = try ana.common(upTo: try #require(plan.trouble?.agreed))
    #expect(try common.names() == ["small", "large"])
    let epoch = bob.header.epoch
    let result = try ana.follow(common)
    #expect(result.raisedEpoch)
    #expect(ana.trouble == nil)
    // Files come from folders. Typed records are in the index only.
    #expect(try ana.names() == ["small", "large", "of bob"])
    #expect(try ana.read { try $0.record(id)?.fields["text"] } == .text("of ana"))
    try bob.pull()
    #expect(bob.header.epoch == epoch + 1)
    #expect(bob.header.head == ana.header.head)
    for zone in [ana, bob] { #expect(try zone.verify() == []) }
  }

  @Test(arguments: ["missing", "truncated", "flipped"])
  func `any reader with the bytes restores content, and only the right bytes`(
    how: String
  ) throws {
    let (world, ana, bob, _) = try world()
    let pack = try #require(try world.keys("users/").first { $0.description.contains("/packs/") })
    let whole = try #require(try world.store.get(pack))
    switch how {
    case "missing": try world.store.delete(pack)
    case "truncated": try world.replace(pack) { $0.removeLast($0.count / 2) }
    default: try world.replace(pack) { $0[1_000] ^= 1 }
    }
    let broken = try bob.brokenChunks()
    #expect(!broken.isEmpty)
    #expect(try bob.verify().first?.records.count == 1)
    let wrong = ContentPieces.noise(200_000).map { $0 ^ 1 }
    for (bytes, isDryRun) in [(wrong, false), (ContentPieces.noise(200_000), true)] {
      let left = try bob.mend(broken, isDryRun: isDryRun) { try Self.lend(bytes, $1) }
      #expect(left == (isDryRun ? [] : broken))
      #expect(try bob.brokenChunks() == broken)
    }
    let left = try bob.mend(bob.brokenChunks(), isDryRun: false) {
      try Self.lend(ContentPieces.noise(200_000), $1)
    }
    #expect(left.isEmpty)
    #expect(try world.store.get(pack)?.count ?? 0 >= 200_000)
    if how == "flipped" { #expect(try world.store.get(pack) == whole) }
    for zone in [ana, bob] { #expect(try zone.verify() == []) }
    #expect(try bob.files()["large"] == ContentPieces.noise(200_000))
  }

  private static func lend(
    _ bytes: [UInt8], _ body: ((UnsafeMutableRawBufferPointer) throws -> Int) throws -> Void
  ) throws -> Bool {
    var offset = 0
    try body { room in
      let count = min(room.count, bytes.count - offset, 1_000)
      room.copyBytes(from: bytes[offset..<offset + count])
      offset += count
      return count
    }
    return true
  }

  @Test func `a compressed piece gets its former length, whoever compresses it`() {
    let codec = ChunkCodec()
    let plain = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 / 7 * $0) }
    plain.withUnsafeBytes { plain in
      for level in [1, 7, 19] as [Int32] {
        guard let size = codec.compressed(plain, level: level)?.count else { continue }
        for count in [size, size + 9, size + 500] {
          guard let payload = codec.compressed(plain, to: count) else {
            Issue.record("no form of \(count) bytes")
            continue
          }
          #expect(payload.count == count)
          let name = ChunkName.digest(of: plain)
          let read = codec.plaintext(
            of: payload, isCompressed: true, size: plain.count, name: name)
          #expect(read == Array(plain))
        }
      }
    }
  }

  @Test func `an identity that lost entries stays the same person, and gets them back`() throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let index = "\(world.folder)/bob"
    let container = try world.open(bob, index: index)
    _ = try container.people.refresh(ana.user)
    let laptop = DeviceKeys.random()
    _ = try People(store: world.store).append(to: ana) { person in
      .addDevice(DeviceRequest(name: "laptop", keys: laptop, to: person))
    }
    _ = try container.people.refresh(ana.user)
    let key = try Sample.nextKey(ana, after: try Sample.person(ana))
    let entry = try #require(try world.store.get(key))
    try world.store.delete(key)

    // A new process has only the index as its memory.
    let again = try world.open(bob, index: index)
    #expect(try again.people.refresh(ana.user)?.devices.count == 2)
    let lost = LogTrouble(.lostEnd, agreed: 1, seen: 2, object: key.description)
    #expect(again.people.troubles == [ana.user: lost])
    #expect(try again.upkeep.putBackPeople() == 1)
    #expect(try world.store.get(key) == entry)
    #expect(again.people.troubles == [:])

    // Another entry in that place can't make another person of her.
    try world.store.delete(key)
    _ = try world.store.put(key, ContentPieces.noise(100))
    let third = try world.open(bob, index: index)
    #expect(try third.people.refresh(ana.user)?.devices.count == 2)
    #expect(third.people.troubles[ana.user]?.kind == .twoHistories)
    #expect(try third.upkeep.putBackPeople() == 0)
  }

  @Test func `an index that differs from the log is named`() throws {
    let (_, _, bob, _) = try world()
    #expect(try bob.verify() == [])
    try bob.index.write { db in
      try db.run("UPDATE record SET modified = 99 WHERE type = 'file'")
    }
    #expect(try bob.verify().map(\.key) == [bob.folder.path])
  }

  @Test func `a copy of this device that writes at the same time is noticed, and stops it`() throws
  {
    let world = try ZoneWorld()
    let account = try world.account("ana")
    let index = "\(world.folder)/here"
    try FileManager.default.createDirectory(atPath: index, withIntermediateDirectories: true)
    let here = try Container(
      store: world.store, id: world.id, account: account, indexFolder: index, root: nil,
      ownMounts: OwnMounts(path: "\(world.folder)/mounts"))
    let zone = try here.privateDatabase.createZone(named: "Trip")
    try here.addMount(zone.id, path: Array("/home/ana/Trip".utf8))
    let folder = "\(world.folder)/copy"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let copy = try Container(
      store: world.store, id: world.id, account: account, indexes: IndexFiles(folder: folder),
      ownStore: nil, use: DeviceUse(run: .random()))
    let other = try #require(try copy.zone(zone.id))
    try other.pull()
    try other.write("by the copy", [1])
    try zone.pull()
    #expect(here.devices.clone == ClonedDevice(zone: zone.id, sequence: 2))
    #expect(copy.devices.clone == nil)
    let code = try cloudCode { try zone.write("here", [2]) }
    #expect(code == .accountTemporarilyUnavailable)
    // It goes on reading, and only the copy goes on writing.
    try other.write("more", [3])
    try zone.pull()
    #expect(try zone.names() == ["by the copy", "more"])
    #expect(copy.devices.clone == nil)
  }

  @Test func `neither a lost index nor an older one nor a lost answer looks like a copy`() throws {
    let store = FaultyStore(MemoryStore())
    let world = try ZoneWorld(store)
    let account = try world.account("ana")
    let (index, old) = ("\(world.folder)/index", "\(world.folder)/old")
    let first = try world.open(account, index: index)
    let zone = try first.privateDatabase.createZone(named: "Trip")
    try FileManager.default.copyItem(atPath: index, toPath: old)
    try zone.write("one", [1])
    // The answer to the put gets lost, and so does the answer to the look after it.
    let change = try Zone.file("two", try zone.ingest([2]))
    store.fail(call: 1, .after, putsOnly: true)
    try zone.save([change])
    #expect(store.isSpent && first.devices.clone == nil)

    for path in [index, old, "\(world.folder)/new"] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      let again = try Container(
        store: world.store, id: world.id, account: account, indexes: IndexFiles(folder: path),
        ownStore: nil, use: DeviceUse(run: .random()))
      let zone = try #require(try again.zone(zone.id))
      try zone.pull()
      #expect(again.devices.clone == nil)
      try zone.write("by \(path.suffix(3))", [3])
      #expect(again.devices.clone == nil)
    }
  }

  @Test func `a limited amount is kept of a log, and it is the newest`() throws {
    let world = try ZoneWorld()
    let container = try world.open(try world.account("ana"))
    let zone = try container.privateDatabase.createZone(named: "Trip")
    let large = [UInt8](repeating: 1, count: Int(KeptEntryTable.limit / 3))
    try zone.index.write { db in
      let state = try IndexedZone(db, zone: zone.id)
      for place in 2...6 as ClosedRange<UInt64> { try state.keptEntries.keep(large, at: place) }
    }
    let places = try zone.index.read { db in
      var query = try Query(
        db, "SELECT sequence FROM kept_entry WHERE length(bytes) > 9999 ORDER BY sequence")
      var places: [Int64] = []
      while try query.next() { places.append(query.integer(0)) }
      return places
    }
    #expect(places == [3, 4, 5, 6])
  }
}

extension ZoneWorld {
  /// Returns everything in the container.
  func objects() throws -> [ObjectKey: [UInt8]] {
    Dictionary(
      uniqueKeysWithValues: try keys().map { ($0, try #require(try store.get($0))) })
  }

  /// Restores the container to these objects, as a restored backup does.
  func rollBack(to objects: [ObjectKey: [UInt8]]) throws {
    for key in try keys() where objects[key] == nil { try store.delete(key) }
  }
}
