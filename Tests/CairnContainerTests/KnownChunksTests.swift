import CairnStore
import CairnZone
import Synchronization
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// The sources of a content: exactly the needed bytes of packs, and a file that has some of them.
@Suite struct KnownChunksTests {
  private let store = PacedStore()
  private let zone: Zone

  init() throws {
    let world = try ZoneWorld(store)
    zone = try world.open(try world.account("ana")).privateDatabase.createZone(named: "Trip")
  }

  /// Stores contents in one run, as a folder does.
  private func add(_ files: [[UInt8]]) throws -> [Content] {
    var contents: [Content] = []
    try zone.ingestAll { ingest in
      for bytes in files { contents.append(try Zone.read(bytes, with: ingest)) }
    }
    try zone.save(contents.map { try Zone.file("\($0.id)".suffix(9).description, $0) })
    _ = store.takeRead()
    return contents
  }

  /// The number of bytes that the chunks of a content take in packs, as none can be compressed.
  private func stored(_ content: Content) -> Int {
    Int(content.size) + content.chunks.count * Crypto.tagCount
  }

  private func read(
    _ contents: [Content], lanes: Int = 1, known: [Int: KnownChunks] = [:],
    onFetch: @escaping @Sendable (Int) throws -> Void = { _ in }
  ) throws -> [Int: [UInt8]] {
    let found = Mutex<[Int: [UInt8]]>([:])
    try zone.readContents(contents, lanes: lanes, known: known, onFetch: onFetch) { number, read in
      var bytes: [UInt8] = []
      try read { bytes += $0 }
      found.withLock { [bytes] in $0[number] = bytes }
    }
    return found.withLock { $0 }
  }

  @Test(arguments: [1, 2])
  func `a large content is read once, and nothing behind it`(lanes: Int) throws {
    let bytes = Crypto.random(9 << 20)
    let content = try add([bytes])[0]
    #expect(try read([content], lanes: lanes) == [0: bytes])
    #expect(store.takeRead() == stored(content))
    var whole: [UInt8] = []
    try zone.readContent(content) { whole += $0 }
    #expect(whole == bytes && store.takeRead() == stored(content))
  }

  @Test func `adjacent contents are read together, and those between them aren't`() throws {
    let files = (0..<9).map { _ in Crypto.random(100_000) }
    let contents = try add(files)
    #expect(try read(contents).count == 9)
    #expect(store.takeRead() == contents.reduce(0) { $0 + stored($1) })
    let some = [contents[0], contents[1], contents[7]]
    #expect(try read(some) == [0: files[0], 1: files[1], 2: files[7]])
    #expect(store.takeRead() == some.reduce(0) { $0 + stored($1) })
  }

  @Test(arguments: [1, 2], [false, true])
  func `chunks that a file has aren't requested, and each is checked`(
    lanes: Int, isAltered: Bool
  ) throws {
    let old = Crypto.random(9 << 20)
    var new = old
    new[5 << 20] ^= 1
    let contents = try add([old, new])
    let parts = try #require(try zone.read { try $0.parts(of: contents[0].id) })
    let known = KnownChunks(parts: parts) { part in
      var bytes = Array(old[Int(part.offset)..<Int(part.offset) + part.size])
      if isAltered, part.offset == 0 { bytes[9] ^= 1 }
      return bytes
    }
    let observed = Mutex(0)
    let found = try read([contents[1]], lanes: lanes, known: [0: known]) { count in
      observed.withLock { $0 += count }
    }
    #expect(found == [0: new])
    let fetched = contents[1].chunks.filter { parts[$0] == nil }
    #expect(!fetched.isEmpty && fetched.count < contents[1].chunks.count / 2)
    var expected = try fetched.reduce(0) { try $0 + length($1) }
    if isAltered { expected += try length(contents[1].chunks[0]) }
    #expect(store.takeRead() == expected && observed.withLock { $0 } == expected)
  }

  private func length(_ name: ChunkName) throws -> Int {
    try Int(#require(try zone.read { try $0.state.chunks.entry(name) }).size) + Crypto.tagCount
  }

  @Test func `the chunks of an earlier version are known, those of others aren't`() throws {
    let first = try add([Crypto.random(300_000)])[0]
    let id = try zone.write("file", Crypto.random(70_000))
    let second = try zone.ingest(Crypto.random(200_000))
    let before = try #require(try zone.read { try $0.record(id)?.content })
    try zone.save([RecordChange(id: id, act: .update, content: second)])
    for content in [first, second, before] {
      let parts = try #require(try zone.read { try $0.parts(of: content.id) })
      #expect(parts.values.reduce(0) { $0 + $1.size } == Int(content.size))
    }
    let other = try zone.contentID { _ in 0 }
    #expect(try zone.read { try $0.parts(of: other) } == nil)
  }
}
