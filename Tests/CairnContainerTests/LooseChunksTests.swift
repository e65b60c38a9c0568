import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Chunks between their storing and the commit that names them.
struct LooseChunksTests {
  private let inner = MemoryStore()
  private let faulty: FaultyStore
  private let chunks: LooseChunks
  private let owner: UserID

  init() throws {
    faulty = FaultyStore(inner)
    owner = try Sample.account("ana").account.user
    chunks = try LooseChunks(owner: owner)
  }

  private func add(_ number: UInt8, _ count: Int, to sender: PackSender) throws -> ChunkName {
    let name = try #require(ChunkName(bytes: [UInt8](repeating: number, count: 32)))
    try Crypto.random(count).withUnsafeBytes { try sender.add(name, $0) }
    return name
  }

  /// Adds one chunk by itself.
  private func add(_ number: UInt8, _ count: Int) throws -> ChunkName {
    let sender = PackSender(faulty, chunks)
    let name = try add(number, count, to: sender)
    try sender.finish()
    return name
  }

  private func begin(_ generation: UInt32, mayStore: Bool = true) {
    chunks.begin(LooseChunks.Terms(owner: owner, generation: generation, mayStore: mayStore))
  }

  private func packs() throws -> Int { try inner.list("users/", after: nil, limit: 100).count }

  @Test func `a small chunk goes into the commit, and a large one into an earlier pack`() throws {
    let small = try add(1, 100)
    #expect(chunks[small] != nil && chunks[small]?.pack == nil)
    let inline = chunks.take([small])
    #expect(inline.map(\.name) == [small] && inline[0].pack == nil)
    #expect(try packs() == 0)
    chunks.drop(inline)
    #expect(!chunks.has(small))
    let large = try add(2, 200_000)
    #expect(try packs() == 1)
    let stored = chunks.take([large])
    #expect(stored.map(\.name) == [large] && stored[0].pack != nil)
    // Nobody asked for what isn't here.
    #expect(chunks.take([small]).isEmpty)
  }

  @Test func `a commit contains few bytes, however many readers there are`() throws {
    let names = try (1...10).map { try add($0, 20_000) }
    let inline = names.filter { chunks[$0]?.pack == nil }
    #expect(inline.count == 3)
    #expect(try packs() == 7)
    // The next commit may contain others.
    #expect(chunks.take(Set(names)).count == 10)
    #expect(chunks[try add(11, 20_000)]?.pack == nil)
  }

  @Test(arguments: [false, true])
  func `a pack that the container doesn't take ends its reader, and the others' chunks stay`(
    isBeside: Bool
  ) throws {
    let first = try add(200, 200_000)
    faulty.fail(call: 2, .before, putsOnly: true)
    let sender = PackSender(faulty, chunks, isBeside: isBeside)
    var names: [ChunkName] = []
    let code = try cloudCode {
      for number in 0..<20 { names.append(try add(UInt8(number), 1 << 20, to: sender)) }
      try sender.finish()
    }
    #expect(code == .networkUnavailable && faulty.isSpent)
    // The pack before it is stored, and nobody stores its chunks again.
    let kept = names.filter { chunks.has($0) }
    #expect(kept.count >= 7 && kept.count < names.count && chunks.has(first))
    let packs = try packs()
    let again = PackSender(faulty, chunks, isBeside: isBeside)
    #expect(try kept.allSatisfy { try again.has($0) })
    for (number, name) in names.enumerated() where try !again.has(name) {
      _ = try add(UInt8(number), 1 << 20, to: again)
    }
    try again.finish()
    #expect(names.allSatisfy { chunks[$0]?.pack != nil })
    #expect(try self.packs() > packs)
  }

  /// The events between two runs of an upload.
  enum Between: CaseIterable {
    case nothing, packIsLost, packIsCut, packsAreClosed, rightsAreLost, fileIsAnother
  }

  @Test(arguments: Between.allCases)
  func `an upload continues after a restart with the chunks of stored packs`(
    between: Between
  ) throws {
    let world = try ZoneWorld(inner)
    let zones = try world.shared()
    let index = world.folder + "/restarted"
    let bob = zones.accounts[1]
    let first = try world.open(bob, index: index, store: faulty)
      .participation.accept(zones.ana.id)
    var bytes = Crypto.random(20 << 20)
    let before = try world.packs()
    // The third pack isn't stored.
    faulty.fail(call: 3, .before, putsOnly: true)
    #expect(throws: CloudError.self) { try first.ingest(bytes) }
    var kept = try world.packs().subtracting(before)
    #expect(kept.count == 2)
    switch between {
    case .nothing: break
    case .packIsLost: try inner.delete(kept.removeFirst())
    case .packIsCut: try world.replace(kept.removeFirst()) { $0.removeLast(4 << 20) }
    case .packsAreClosed:
      let isClosed = try zones.ana.exclusively {
        try PackClosing($0).retire(to: 1) { _ in Retirement(generation: 1, kept: []) }
      }
      #expect(isClosed)
      try first.pull()
      kept = []
    case .rightsAreLost:
      try zones.ana.changeShare([.setPermission(user: bob.user, permission: .readOnly)])
      try first.pull()
    case .fileIsAnother: (bytes, kept) = (Crypto.random(20 << 20), [])
    }
    let again = try #require(try world.open(bob, index: index).zone(zones.ana.id))
    let old = try world.packs()
    let content = try again.ingest(bytes)
    let new = try world.packs().subtracting(old)
    guard between != .rightsAreLost else { return #expect(new.isEmpty) }
    #expect(new.count == 3 - kept.count)
    try again.commit([Zone.file("film", content)], expecting: again.header.sequence)
    try zones.ana.pull()
    #expect(try zones.ana.files()["film"] == bytes)
    let named = try again.read { try $0.state.chunks.stored(content.chunks).map(\.range.key) }
    #expect(Set(named) == kept.union(new))
    // The chunks belong to the zone now, and the next start knows no others.
    let later = try #require(try world.open(bob, index: index).zone(zones.ana.id))
    #expect(content.chunks.allSatisfy { later.loose.earlier(with: $0).isEmpty })
  }

  @Test func `what is closed, or was dropped on its way, is read again`() throws {
    begin(1)
    let old = try add(2, 200_000)
    begin(2)
    let new = try add(3, 200_000)
    #expect(!chunks.has(old) && chunks[new]?.pack?.generation == 2)
    chunks.dropAll()
    #expect(!chunks.has(new))
    // The pack was put before everything was dropped, and is told of after that.
    let (era, late) = (chunks.era, try add(4, 200_000))
    let entry = try #require(chunks[late])
    chunks.dropAll()
    chunks.add([entry], in: era)
    #expect(!chunks.has(late))
  }

  @Test func `a pack that is begun before its generation is closed isn't used`() throws {
    begin(1)
    let sender = PackSender(faulty, chunks)
    let name = try add(1, 200_000, to: sender)
    begin(2)
    try sender.finish()
    #expect(!chunks.has(name))
  }

  @Test func `who may not write any more stores nothing more`() throws {
    let sender = PackSender(faulty, chunks)
    let name = try add(1, 200_000, to: sender)
    begin(1, mayStore: false)
    let other = try add(2, 200_000, to: sender)
    try sender.finish()
    #expect(try packs() == 0 && !chunks.has(name) && !chunks.has(other))
  }
}
