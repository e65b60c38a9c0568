import CairnStore
import CairnZone
import Dispatch
import Synchronization
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// The objects that a commit stores in the container, and their number.
struct ZoneCommitTests {
  private func zone(
    _ world: ZoneWorld, store: (any ObjectStore)? = nil
  ) throws -> Zone {
    let container = try world.open(try world.account("ana"), store: store)
    return try container.privateDatabase.createZone(named: "Trip")
  }

  @Test func `names of types and zones survive the index, NUL and all`() throws {
    let world = try ZoneWorld()
    let account = try world.account("ana")
    let zone = try world.open(account).privateDatabase.createZone(named: "Tr\0p")
    let change = RecordChange(id: .random(), act: .create(.typed("no\0te")))
    try zone.save([change])
    let again = try #require(try world.open(account).zone(zone.id))
    try again.pull()
    for zone in [zone, again] {
      #expect(zone.header.genesis?.name == "Tr\0p")
      #expect(try zone.read { try $0.typedRecords("no\0te").map(\.id) } == [change.id])
      #expect(try zone.read { try $0.typedRecords("no") }.isEmpty)
      let all = try zone.read { try $0.state.records.allTyped() }
      #expect(all[change.id]?.type == .typed("no\0te"))
    }
  }

  @Test func `concurrent commits all land once`() throws {
    let world = try ZoneWorld()
    let (ana, bob, accounts) = try world.shared()
    let other = try #require(try world.open(accounts[0]).zone(ana.id))
    let (zones, count) = ([ana, bob, other, ana], 8)
    let problems = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: zones.count) { thread in
      let zone = zones[thread]
      do {
        for number in 0..<count {
          let change = try Zone.file("\(thread)-\(number)", try zone.ingest([UInt8(number)]))
          var isDone = false
          while !isDone {
            try zone.pull()
            do {
              try zone.commit([change], expecting: zone.header.sequence)
              isDone = true
            } catch let error as CloudError where error.code == .serverRecordChanged {}
          }
        }
      } catch {
        problems.withLock { $0.append("\(error)") }
      }
    }
    #expect(problems.withLock { $0 } == [])
    let expected = Set((0..<zones.count).flatMap { t in (0..<count).map { "\(t)-\($0)" } })
    for zone in zones {
      try zone.pull()
      #expect(try zone.names() == expected)
      // Genesis, title, invitation, acceptance, and each commit once.
      #expect(zone.header.sequence == UInt64(4 + zones.count * count))
      #expect(zone.header.head == ana.header.head)
    }
    #expect(try ana.verify() == [])
  }

  @Test func `a small commit is one object, a large one has a pack, equal bytes none`() throws {
    let world = try ZoneWorld()
    let zone = try zone(world)
    var count = try world.keys().count
    func added() throws -> Int {
      let before = count
      count = try world.keys().count
      return count - before
    }
    try zone.write("small", [1, 2, 3])
    #expect(try added() == 1)
    let bytes = ContentPieces.noise(500_000)
    try zone.write("large", bytes)
    #expect(try added() == 2)
    #expect(try world.keys("users/").filter { $0.description.contains("/packs/") }.count == 1)
    try zone.write("copy", bytes)
    #expect(try added() == 1)
    let key = try zone.place(zone.header.sequence)
    #expect(try #require(try world.store.size(of: key)) < 2_000)
    #expect(try zone.files() == ["small": [1, 2, 3], "large": bytes, "copy": bytes])
  }

  @Test func `a lost answer makes no second object`() throws {
    let world = try ZoneWorld()
    let faulty = FaultyStore(world.store)
    let zone = try zone(world, store: faulty)
    let bytes = ContentPieces.noise(200_000)
    let before = try world.keys().count
    // The first put is the pack's, and the second the entry's.
    for (name, call) in [("pack", 1), ("entry", 2)] {
      faulty.fail(call: call, .after, putsOnly: true)
      try zone.write(name, bytes + [UInt8(call)])
      #expect(faulty.isSpent)
    }
    try zone.pull()
    #expect(try zone.names() == ["pack", "entry"])
    #expect(try world.keys().count == before + 4)
    #expect(try zone.verify() == [])
  }

  @Test func `a content survives a pack that the container refused at first`() throws {
    let world = try ZoneWorld()
    let faulty = FaultyStore(world.store)
    let zone = try zone(world, store: faulty)
    let bytes = ContentPieces.noise(200_000)
    // The first put is the pack's.
    faulty.fail(call: 1, .before, putsOnly: true)
    #expect(try cloudCode { _ = try zone.ingest(bytes) } == .networkUnavailable)
    let change = try Zone.file("x", try zone.ingest(bytes))
    faulty.fail(call: 1, .before, putsOnly: true)
    let code = try cloudCode { try zone.commit([change], expecting: zone.header.sequence) }
    #expect(code == .networkUnavailable)
    try zone.commit([change], expecting: zone.header.sequence)
    #expect(try zone.files() == ["x": bytes])
    #expect(try world.keys("users/").filter { $0.description.contains("/packs/") }.count == 1)
  }

  @Test func `nobody writes on in a log without its head`() throws {
    let world = try ZoneWorld()
    let zone = try zone(world)
    try zone.write("a", [1])
    // A fresh look isn't repeated at once, but a moment later.
    try zone.exclusively { $0.looks.trust = 0 }
    try world.store.delete(zone.place(zone.header.sequence))
    // A pack is stored before the commit. No entry names it, so it becomes garbage.
    func keys() throws -> [ObjectKey] {
      try world.keys().filter { !$0.description.contains("/packs/") }
    }
    let before = try keys()
    for count in [1, 200_000] {
      let code = try cloudCode { try zone.write("b", ContentPieces.noise(count)) }
      #expect(code == .changeTokenExpired)
    }
    #expect(try keys() == before)
    #expect(try zone.names() == ["a"])
  }

  @Test func `a writer with a fresh look finds after the put that the log lost its end`() throws {
    let world = try ZoneWorld()
    let zone = try zone(world)
    for name in ["a", "b"] { try zone.write(name, [1]) }
    try zone.exclusively { $0.looks.trust = .max }
    for back in [0, 1] as [UInt64] {
      try world.store.delete(zone.place(zone.header.sequence - back))
    }
    let before = try world.keys()
    #expect(try cloudCode { try zone.write("c", [1]) } == .changeTokenExpired)
    #expect(try world.keys() == before && zone.trouble?.kind == .lostEnd)
    #expect(try zone.names() == ["a", "b"])
  }

  @Test func `the writer behind a new hole fills it`() throws {
    let world = try ZoneWorld()
    let zone = try zone(world)
    for name in ["a", "b"] { try zone.write(name, [1]) }
    try zone.exclusively { $0.looks.trust = .max }
    let head = try zone.place(zone.header.sequence)
    let bytes = try #require(try world.store.get(head))
    try world.store.delete(head)
    try zone.write("c", [1])
    #expect(try world.store.get(head) == bytes && zone.trouble == nil)
    #expect(try zone.verify() == [])
  }
}
