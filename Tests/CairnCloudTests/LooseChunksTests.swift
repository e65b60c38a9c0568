import CairnStore
import CairnZone
import Testing

@testable import CairnCloud

/// Chunks between their bytes and the commit that names them.
struct LooseChunksTests {
  private let inner = MemoryStore()
  private let faulty: FaultyStore
  private let chunks: LooseChunks

  init() throws {
    faulty = FaultyStore(inner)
    chunks = LooseChunks(faulty, owner: try Sample.account("ana").account.user)
  }

  private func add(_ number: UInt8, _ count: Int, isBeside: Bool = false) throws -> ChunkName {
    let name = try #require(ChunkName(bytes: [UInt8](repeating: number, count: 32)))
    try ContentPieces.noise(count).withUnsafeBytes {
      try chunks.add(name, $0, isBeside: isBeside)
    }
    return name
  }

  private func packs() throws -> Int { try inner.list("users/", after: nil, limit: 100).count }

  @Test func `a small chunk goes into the commit, and a large one into a pack before that`() throws
  {
    let small = try add(1, 100)
    #expect(chunks.has(small) && chunks[small] == nil)
    let inline = try chunks.take([small])
    #expect(inline.map(\.name) == [small] && inline[0].pack == nil)
    #expect(try packs() == 0)
    chunks.drop(inline)
    #expect(!chunks.has(small))
    let large = try add(2, 200_000)
    #expect(try packs() == 0)
    let stored = try chunks.take([large])
    #expect(stored.map(\.name) == [large] && stored[0].pack != nil)
    #expect(try packs() == 1)
    // Nobody asked for what isn't here.
    #expect(try chunks.take([small]).isEmpty)
  }

  @Test(arguments: [false, true])
  func `a pack that the container doesn't take stays, and is stored by the next try`(
    isBeside: Bool
  ) throws {
    faulty.fail(call: 1, .before, putsOnly: true)
    var names: [ChunkName] = []
    // Beside everything else it is told of when the next one is full.
    let code = try cloudCode {
      for number in 0..<20 { names.append(try add(UInt8(number), 1 << 20, isBeside: isBeside)) }
    }
    #expect(code == .networkUnavailable && faulty.isSpent)
    #expect(try packs() == 0 && names.allSatisfy { chunks.has($0) })
    let stored = try chunks.take(Set(names))
    #expect(stored.count == names.count && stored.allSatisfy { $0.pack != nil })
    #expect(try packs() > 0)
  }

  @Test func `what couldn't be stored, or is closed, is read again`() throws {
    faulty.fail(call: 1, .before, putsOnly: true)
    let unsent = try add(1, 200_000)
    #expect(throws: CloudError.self) { try chunks.seal() }
    #expect(chunks.has(unsent))
    chunks.forgetUnsent()
    #expect(!chunks.has(unsent))
    chunks.begin(owner: nil, generation: 1)
    let old = try add(2, 200_000)
    try chunks.seal()
    chunks.begin(owner: nil, generation: 2)
    let new = try add(3, 200_000)
    try chunks.seal()
    chunks.dropClosed(below: 2)
    #expect(!chunks.has(old) && chunks[new]?.pack?.generation == 2)
    chunks.dropAll()
    #expect(!chunks.has(new))
  }
}
