import CairnStore
import CairnZone
import Testing

@testable import CairnIdentity
@testable import CairnReplica

/// Missing, damaged or forged content is refused, and named.
@Suite struct ContentDamageTests {
  /// A shelf with one content in one pack.
  private func shelf(_ bytes: [UInt8]) throws -> (ContentShelf, Content, ObjectKey) {
    let shelf = ContentShelf()
    let content = try shelf.write(bytes)
    try shelf.seal()
    let key = try #require(try shelf.store.list("users/", after: nil, limit: 2).first)
    return (shelf, content, key)
  }

  private func entry(_ shelf: ContentShelf, _ content: Content) throws -> ChunkEntry {
    let name = try #require(content.chunks.first)
    return try #require(shelf.entries[name])
  }

  @Test(arguments: [0, 1, 17, 4000, 69_999])
  func `a flipped bit names the pack`(at index: Int) throws {
    let (shelf, content, key) = try shelf(ContentPieces.noise(70_000))
    try shelf.replace(key) { $0[index] ^= 0x10 }
    let error = #expect(throws: ContentError.self) { _ = try shelf.read(content) }
    guard case .damaged(let named, _) = error else {
      Issue.record("\(String(describing: error)) isn't damage")
      return
    }
    #expect(named == key)
    #expect(error?.description.contains(key.description) == true)
  }

  @Test func `a pack that was cut off is named`() throws {
    let (shelf, content, key) = try shelf(ContentPieces.noise(70_000))
    try shelf.replace(key) { $0.removeLast(5_000) }
    let error = #expect(throws: ContentError.self) { _ = try shelf.read(content) }
    guard case .damaged(key, _) = error else {
      Issue.record("\(String(describing: error)) isn't damage of \(key)")
      return
    }
  }

  @Test func `a pack that is gone is missing`() throws {
    let (shelf, content, key) = try shelf(ContentPieces.noise(70_000))
    try shelf.store.delete(key)
    #expect(throws: ContentError.missing(key)) { _ = try shelf.read(content) }
  }

  @Test func `a chunk that no commit added is unknown`() throws {
    let (shelf, content, _) = try shelf(ContentPieces.noise(70_000))
    shelf.entries = [:]
    #expect(throws: ContentError.unknownChunk(content.chunks[0])) { _ = try shelf.read(content) }
  }

  @Test func `a content with a false size is refused`() throws {
    let (shelf, content, _) = try shelf(ContentPieces.noise(70_000))
    for size: UInt64 in [0, 69_999, 70_001, .max] {
      let liar = Content(size: size, chunks: content.chunks)
      #expect(throws: ContentError.self) { _ = try shelf.read(liar) }
    }
  }

  @Test(arguments: [0, 1, 69_999, 70_001, 1 << 20, 2 << 20, UInt32.max])
  func `an entry with a false size is refused`(size: UInt32) throws {
    for bytes in [ContentPieces.noise(70_000), ContentPieces.text(70_000)] {
      let shelf = ContentShelf()
      let content = try shelf.write(bytes)
      try shelf.seal()
      var liar = try entry(shelf, content)
      liar.size = size
      shelf.entries[liar.name] = liar
      #expect(throws: ContentError.self) { _ = try shelf.read(content) }
    }
  }

  @Test func `a bomb is refused and never grows beyond the stated size`() throws {
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    let shelf = ContentShelf()
    let content = try shelf.write(zeros)
    try shelf.takeInline()
    let honest = try entry(shelf, content)
    #expect(honest.place.count < 1000)
    var bomb = honest
    bomb.size = 4096
    shelf.entries[bomb.name] = bomb
    #expect(throws: ContentError.self) { _ = try shelf.read(content) }
  }

  @Test func `a chunk under another name is refused, wherever it is`() throws {
    for isInline in [true, false] {
      let shelf = ContentShelf()
      let first = try shelf.write(ContentPieces.text(30_000))
      let second = try shelf.write(Array(ContentPieces.text(30_001).dropFirst()))
      if isInline { try shelf.takeInline() } else { try shelf.seal() }
      let swapped = try entry(shelf, second)
      let name = try #require(first.chunks.first)
      shelf.entries[name] = ChunkEntry(
        name: name, size: swapped.size, place: swapped.place, pack: swapped.pack)
      #expect(throws: ContentError.self) { _ = try shelf.read(first) }
    }
  }

  @Test func `a place with any flipped bit is refused and never traps`() throws {
    let (shelf, content, _) = try shelf(ContentPieces.text(70_000))
    let inline = ContentShelf()
    let small = try inline.write([1, 2, 3, 4, 5])
    try inline.takeInline()
    for (shelf, content) in [(shelf, content), (inline, small)] {
      let honest = try entry(shelf, content)
      for bit in 0..<(8 * honest.place.count) {
        var changed = honest
        changed.place[bit / 8] ^= 1 << UInt8(bit % 8)
        shelf.entries[changed.name] = changed
        #expect(throws: (any Error).self) { _ = try shelf.read(content) }
      }
    }
  }

  @Test func `random places never trap`() throws {
    let (shelf, content, _) = try shelf(ContentPieces.noise(70_000))
    let honest = try entry(shelf, content)
    for seed in 0..<2000 {
      var changed = honest
      changed.place = ContentPieces.noise(seed % 150, seed: UInt64(seed))
      #expect(throws: FormatError.self) { _ = try ChunkPlace(changed) }
    }
  }

  @Test func `a place is encoded and decoded to the same value`() throws {
    let (shelf, content, key) = try shelf(ContentPieces.noise(70_000))
    let honest = try entry(shelf, content)
    let place = try ChunkPlace(honest)
    #expect(place.encoded() == honest.place)
    guard case .pack(let range, _) = place.position else {
      Issue.record("70 000 bytes of noise belong into a pack")
      return
    }
    #expect(range.key == key)
    #expect(range.offset == 0 && range.length == 70_016)
  }
}
