import CairnStore
import CairnZone
import Testing

@testable import CairnIdentity
@testable import CairnReplica

@Suite struct ContentTests {
  static let samples: [[UInt8]] = [
    [], [42], ContentPieces.noise(64 << 10), ContentPieces.noise((64 << 10) + 1),
    ContentPieces.noise(5 << 20), ContentPieces.text(5 << 20),
  ]

  @Test(arguments: samples.indices)
  func `written bytes are read back from packs`(index: Int) throws {
    let bytes = Self.samples[index]
    let shelf = ContentShelf()
    let content = try shelf.write(bytes)
    try shelf.seal()
    #expect(content.size == UInt64(bytes.count))
    #expect(try shelf.read(content) == bytes)
  }

  @Test func `many packs are read back, too`() throws {
    let shelf = ContentShelf()
    let bytes = ContentPieces.noise(20 << 20)
    let content = try shelf.write(bytes)
    try shelf.seal()
    let packs = try shelf.store.list("users/", after: nil, limit: 100)
    #expect(packs.count == 3)
    #expect(try shelf.read(content) == bytes)
  }

  @Test func `small contents are read in the order of their places, in few requests`() throws {
    let shelf = ContentShelf()
    var contents: [(content: Content, bytes: [UInt8])] = []
    for seed in 1...200 {
      let bytes = ContentPieces.noise(3_000 + seed, seed: UInt64(seed))
      contents.append((try shelf.write(bytes), bytes))
    }
    try shelf.seal()
    let mixed = contents.indices.map { contents[$0 * 77 % contents.count] }
    let order = try ContentReader.order(of: mixed.map(\.content)) { shelf.entries[$0] }
    #expect(order.map { mixed[$0].bytes.count } == contents.map(\.bytes.count))
    let counted = CountingStore(shelf.store)
    let other = ContentReader(store: counted)
    other.expect(order.flatMap { mixed[$0].content.chunks }, in: shelf.entries, nil)
    for number in order {
      var found: [UInt8] = []
      try other.read(mixed[number].content, lookup: { shelf.entries[$0] }) { found += $0 }
      #expect(found == mixed[number].bytes)
    }
    #expect(counted.gets < 5)
  }

  @Test(arguments: [1, 1000, 65_536, 300_000, 2 << 20])
  func `the size of the pieces doesn't matter`(step: Int) throws {
    let bytes = ContentPieces.noise(step == 1 ? 200_000 : 3 << 20, seed: 9)
    let content = try ContentShelf().write(bytes, step: step)
    #expect(content == (try ContentShelf().write(bytes)))
  }

  @Test func `equal bytes have equal ids, and different bytes different ones`() throws {
    let bytes = ContentPieces.text(700_000)
    var other = bytes
    other[350_000] ^= 1
    let id = try ContentShelf().write(bytes).id
    #expect(try ContentShelf().write(bytes).id == id)
    #expect(try ContentShelf().write(other).id != id)
    #expect(try ContentShelf().write(bytes + [0]).id != id)
  }

  @Test func `a byte inserted at the front costs at most three chunks`() throws {
    let shelf = ContentShelf()
    let bytes = ContentPieces.noise(8 << 20, seed: 4)
    _ = try shelf.write(bytes)
    try shelf.seal()
    let before = shelf.brought.count
    let content = try shelf.write([1] + bytes)
    try shelf.seal()
    #expect(shelf.brought.count - before <= 3)
    #expect(shelf.brought.count > before)
    #expect(try shelf.read(content) == [1] + bytes)
  }

  @Test func `a chunk is stored once`() throws {
    let bytes = ContentPieces.noise(300_000)
    let writer = PackWriter(owner: ContentPieces.owner)
    let name = bytes.withUnsafeBytes { ChunkName.digest(of: $0) }
    #expect(!writer.contains(name))
    for _ in 0..<3 { #expect(bytes.withUnsafeBytes { writer.add(name, $0) } == nil) }
    #expect(writer.contains(name))
    let pack = try #require(writer.seal())
    #expect(pack.entries.count == 1)
    #expect(writer.seal() == nil)
  }

  @Test func `a small commit contains its content`() throws {
    let shelf = ContentShelf()
    let text = ContentPieces.text(200_000)
    let content = try shelf.write(text)
    let small = try shelf.write([1, 2, 3])
    try shelf.takeInline()
    #expect(try shelf.store.list("", after: nil, limit: 1).isEmpty)
    #expect(try shelf.read(content) == text)
    #expect(try shelf.read(small) == [1, 2, 3])
    #expect(shelf.entries.values.reduce(0) { $0 + $1.place.count } < 65_536)
  }

  @Test func `more than 64 KiB doesn't fit into a commit`() throws {
    let shelf = ContentShelf()
    let bytes = ContentPieces.noise(65_537)
    let content = try shelf.write(bytes)
    #expect(shelf.writer.inlineEntries() == nil)
    try shelf.seal()
    #expect(try shelf.read(content) == bytes)
  }

  @Test(arguments: [65_537, 100_000, 1_000_000, 8_200_000])
  func `a pack has the size of a class and hides the end of its content`(count: Int) throws {
    let shelf = ContentShelf()
    _ = try shelf.write(ContentPieces.noise(count))
    try shelf.seal()
    for key in try shelf.store.list("users/", after: nil, limit: 10) {
      let bytes = try #require(try shelf.store.get(key))
      #expect(bytes.count >= 4096)
      #expect(SizeClass.padded(bytes.count) == bytes.count)
      #expect(bytes.suffix(16) != ArraySlice([UInt8](repeating: 0, count: 16)))
    }
  }

  @Test func `a pack of one small chunk has 4096 bytes and a random name`() throws {
    let name = [UInt8(1)].withUnsafeBytes { ChunkName.digest(of: $0) }
    let packs = try (0..<2).map { _ in
      let writer = PackWriter(owner: ContentPieces.owner)
      #expect([UInt8(1)].withUnsafeBytes { writer.add(name, $0) } == nil)
      return try #require(writer.seal())
    }
    #expect(packs.allSatisfy { $0.bytes.count == 4096 })
    #expect(packs[0].key != packs[1].key)
    #expect(packs[0].bytes.prefix(17) != packs[1].bytes.prefix(17))
    let parts = packs[0].key.description.split(separator: "/")
    #expect(parts.count == 6 && parts[0] == "users" && parts[2] == "packs")
    #expect(parts[1] == ContentPieces.owner.description && parts[3] == "00000000")
    #expect(parts[5].count == 32 && parts[5].hasPrefix(parts[4]) && parts[4].count == 2)
  }

  @Test func `an error of the sink is thrown`() throws {
    struct Stop: Error {}
    let builder = ContentBuilder { _, _ in throw Stop() }
    #expect(throws: Stop.self) {
      _ = try builder.fill { room in
        room.copyBytes(from: [1, 2, 3])
        return 3
      }
      _ = try builder.finish()
    }
  }
}
