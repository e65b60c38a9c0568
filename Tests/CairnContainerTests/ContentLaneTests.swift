import CairnStore
import CairnZone
import Synchronization
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Many contents that several threads read at once.
@Suite struct ContentLaneTests {
  private struct Stop: Error {}

  /// Returns a zone with many small files, one of several chunks, and one with its bytes in a
  /// commit.
  private func world() throws -> (zone: Zone, contents: [Content], bytes: [[UInt8]]) {
    let world = try ZoneWorld()
    let zone = try world.open(try world.account("ana")).publicZones.founded()
    var bytes = (1...300).map { ContentPieces.noise(2_000 + $0, seed: UInt64($0)) }
    bytes.append(ContentPieces.noise(3 << 20, seed: 1_000))
    var files = try bytes.map { try Zone.file("\($0.count)", zone.ingest($0)) }
    try zone.commit(files, expecting: zone.header.sequence)
    bytes.append([1, 2, 3])
    files.append(try Zone.file("small", zone.ingest([1, 2, 3])))
    try zone.commit(files.suffix(1), expecting: zone.header.sequence)
    return (zone, files.compactMap(\.content), bytes)
  }

  @Test(arguments: [1, 2, 5])
  func `each content is read completely, once, by any thread`(lanes: Int) throws {
    let (zone, contents, bytes) = try world()
    let found = Mutex<[Int: [[UInt8]]]>([:])
    var isBegun = false
    try zone.readContents(contents, lanes: lanes, meanwhile: { isBegun = true }) { number, read in
      var whole: [UInt8] = []
      try read { whole += $0 }
      found.withLock { [whole] in $0[number, default: []].append(whole) }
    }
    #expect(isBegun)
    let all = found.withLock { $0 }
    #expect(all.count == contents.count)
    for (number, expected) in bytes.enumerated() { #expect(all[number] == [expected]) }
  }

  @Test(arguments: [1, 2])
  func `a pack whose name has other bytes gets another name`(lanes: Int) throws {
    let store = ForestallingStore()
    let world = try ZoneWorld(store)
    let account = try world.account("ana")
    let zone = try world.open(account).privateDatabase.createZone(named: "Trip")
    let bytes = ContentPieces.noise(20 << 20, seed: 5)
    func send() throws {
      var rest = bytes[...]
      var content: Content?
      try zone.ingestAll(lanes: lanes) { ingest in
        content = try ingest { room in
          let piece = rest.prefix(room.count)
          room.copyBytes(from: piece)
          rest = rest.dropFirst(piece.count)
          return piece.count
        }
      }
      try zone.save([try Zone.file("large", try #require(content))])
    }
    store.takeNames(2)
    try send()
    let reader = try #require(try world.open(account).zone(zone.id))
    try reader.pull()
    #expect(try reader.names() == ["large"] && reader.verify().isEmpty)
    let record = try #require(try reader.read { try $0.children(of: .root).first })
    let content = try #require(try reader.read { try $0.record(record)?.content })
    var read: [UInt8] = []
    try reader.readContent(content) { read += $0 }
    #expect(read == bytes)
  }

  @Test func `a store with every name taken is reported, and tried again`() throws {
    let store = ForestallingStore()
    let world = try ZoneWorld(store)
    let zone = try world.open(try world.account("ana")).privateDatabase.createZone(named: "Trip")
    store.takeNames(.max)
    let bytes = ContentPieces.noise(200_000, seed: 6)
    #expect(try cloudCode { try zone.write("large", bytes) } == .serviceUnavailable)
    store.takeNames(0)
    try zone.write("large", bytes)
    #expect(try zone.names() == ["large"] && zone.verify().isEmpty)
  }

  @Test(arguments: [1, 2])
  func `an error of one thread ends all of them`(lanes: Int) throws {
    let (zone, contents, _) = try world()
    #expect(throws: Stop.self) {
      try zone.readContents(contents, lanes: lanes) { _, _ in throw Stop() }
    }
    #expect(throws: Stop.self) {
      try zone.readContents(contents, lanes: lanes, meanwhile: { throw Stop() }) { _, _ in }
    }
  }

  @Test(arguments: [70_001, 16 << 20])
  func `a large content is the same for any number of threads`(step: Int) throws {
    let bytes = ContentPieces.noise(6 << 20, seed: 4)
    var all: [[(ChunkName, [UInt8])]] = []
    for lanes in [1, 2] {
      var chunks: [(ChunkName, [UInt8])] = []
      let builder = ContentBuilder(lanes: lanes) { chunks.append(($0, Array($1))) }
      var rest = bytes[...]
      while try builder.fill({ room in
        let piece = rest.prefix(min(step, room.count))
        room.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
      }) > 0 {}
      #expect(try builder.finish() == Content(size: UInt64(bytes.count), chunks: chunks.map(\.0)))
      all.append(chunks)
    }
    #expect(all[0].map(\.0) == all[1].map(\.0))
    #expect(all[1].flatMap(\.1) == bytes)
  }

  @Test(arguments: [1, 2])
  func `a large content is read completely, and an altered pack is named`(lanes: Int) throws {
    let world = try ZoneWorld()
    let zone = try world.open(try world.account("ana")).publicZones.founded()
    let bytes = ContentPieces.noise(9 << 20, seed: 6)
    let content = try zone.ingest(bytes)
    try zone.commit([try Zone.file("x", content)], expecting: zone.header.sequence)
    #expect(try zone.whole(content, lanes: lanes) == bytes)
    let packs = try world.keys("users/").filter { $0.description.contains("/packs/") }
    let last = try #require(packs.max { $0.description < $1.description })
    let pack = try #require(try world.store.get(last))
    try world.store.delete(last)
    _ = try world.store.put(last, ContentPieces.altered(pack))
    #expect(throws: ContentError.damaged(last, why: "was altered")) {
      try zone.whole(content, lanes: lanes)
    }
  }

  @Test(arguments: 1...3)
  func `a content survives a pack that couldn't be stored during the reading`(call: Int) throws {
    let world = try ZoneWorld()
    let faulty = FaultyStore(world.store)
    let zone = try world.open(try world.account("ana"), store: faulty).publicZones.founded()
    let (bytes, next) = (ContentPieces.noise(9 << 20, seed: 8), ContentPieces.noise(100_000))
    faulty.fail(call: call, .before, putsOnly: true)
    let large = try insist { try zone.ingest(bytes, lanes: 2) }
    // The error of the concurrent put may only be reported now.
    let small = try insist { try zone.ingest(next) }
    let changes = [try Zone.file("x", large), try Zone.file("y", small)]
    try insist { try zone.commit(changes, expecting: zone.header.sequence) }
    #expect(faulty.isSpent)
    #expect(try zone.files() == ["x": bytes, "y": next])
    #expect(try zone.verify() == [])
  }
}

/// Repeats the body until the container can be reached.
@discardableResult
private func insist<Result>(_ body: () throws -> Result) throws -> Result {
  while true {
    do { return try body() } catch let error as CloudError {
      guard error.code == .networkUnavailable else { throw error }
    }
  }
}

extension Zone {
  /// Reads a file's bytes into the zone's chunks.
  fileprivate func ingest(_ bytes: [UInt8], lanes: Int) throws -> Content {
    var content: Content?
    var rest = bytes[...]
    try ingestAll(lanes: lanes) { ingest in
      content = try ingest { room in
        let piece = rest.prefix(room.count)
        room.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
      }
    }
    return try #require(content)
  }

  /// Returns all bytes of one content.
  fileprivate func whole(_ content: Content, lanes: Int) throws -> [UInt8] {
    let found = Mutex<[UInt8]>([])
    try readContents([content], lanes: lanes) { _, read in
      try read { bytes in found.withLock { $0 += bytes } }
    }
    return found.withLock { $0 }
  }
}

/// A store that puts other bytes into the place of a pack, that many times.
private final class ForestallingStore: StoreAround {
  let inner: any ObjectStore = MemoryStore()
  private let times = Mutex(0)

  func takeNames(_ count: Int) { times.withLock { $0 = count } }

  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    let isTaken = times.withLock { times in
      guard times > 0, key.description.contains("/packs/") else { return false }
      times -= 1
      return true
    }
    if isTaken { _ = try inner.put(key, ContentPieces.altered(bytes)) }
    return try inner.put(key, bytes)
  }
}
