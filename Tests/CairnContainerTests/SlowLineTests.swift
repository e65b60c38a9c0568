import CairnStore
import CairnThreads
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// A slow line keeps nobody from the zone: what isn't a pack passes it.
@Suite struct SlowLineTests {
  private let store = PacedStore()
  private let world: ZoneWorld
  private let ana: Zone
  private let container: Container
  private let bob: UserID
  private let bobs: Zone

  init() throws {
    world = try ZoneWorld(store)
    let (zone, bobs, accounts) = try world.shared()
    bob = accounts[1].user
    self.bobs = bobs
    container = try world.open(accounts[0])
    ana = try #require(try container.zone(zone.id))
    try ana.pull()
  }

  @Test(arguments: [1, 2])
  func `nothing in the zone waits for a file that is being sent`(lanes: Int) throws {
    let known = try ana.write("known", Array("text".utf8))
    store.close()
    let bytes = Crypto.random(300_000)
    let upload = BackgroundTask { [ana] in
      var content: Content?
      try ana.ingestAll(lanes: lanes) { content = try Zone.read(bytes, with: $0) }
      return content
    }
    defer { store.open() }
    store.expectWaiting()

    let (container, ana, bob) = (container, ana, bob)
    try store.expectEnd("a permission") {
      try container.access.setPermission(.readOnly, of: bob, in: ana)
    }
    _ = try store.expectEnd("a link") {
      try container.links.oneTimeLink(to: ana, permission: .readOnly)
    }
    try store.expectEnd("a removal") { try container.access.remove(bob, from: ana) }
    try store.expectEnd("a small file") { _ = try ana.write("small", [1, 2, 3]) }
    try store.expectEnd("a new name") {
      let name = try #require(FileName("renamed"))
      let change = RecordChange(
        id: known, act: .update, place: Place(parent: .root, name: name))
      try ana.save([change])
    }
    let log = try store.expectEnd("a read of the log") { try ana.log(after: 0, limit: 100) }
    #expect(log.count == Int(ana.header.sequence))
    let damages = try store.expectEnd("a verification") { try ana.verify() }
    #expect(damages.isEmpty)
    let files = try store.expectEnd("a version") { try ana.files() }
    #expect(files["renamed"] == Array("text".utf8))
    try store.expectEnd("a pull") { _ = try ana.pull() }

    store.open()
    let content = try #require(try upload.wait())
    try ana.save([try Zone.file("large", content)])
    #expect(try ana.files()["large"] == bytes)
    #expect(try ana.verify().isEmpty)
  }

  @Test func `nobody waits for a content that is being read`() throws {
    let bytes = Crypto.random(300_000)
    let content = try ana.ingest(bytes)
    try ana.save([try Zone.file("large", content)])
    store.close()
    let (container, ana, bob) = (container, ana, bob)
    let download = BackgroundTask {
      var found: [UInt8] = []
      try ana.readContent(content) { found += $0 }
      return found
    }
    defer { store.open() }
    store.expectWaiting()
    try store.expectEnd("a removal") { try container.access.remove(bob, from: ana) }
    store.open()
    #expect(try download.wait() == bytes)
  }

  @Test func `who is removed while they send leaves no more packs`() throws {
    let bytes = Crypto.random(9 << 20)
    store.close()
    let bobs = self.bobs
    let upload = BackgroundTask { try bobs.ingest(bytes) }
    defer { store.open() }
    store.expectWaiting()
    try container.access.setPermission(.readOnly, of: bob, in: ana)
    try store.expectEnd("a pull") { _ = try bobs.pull() }
    store.open()
    // What isn't sent still gets its id.
    #expect(try upload.wait().size == UInt64(bytes.count))
    #expect(try world.keys("users/").filter { $0.description.contains("/packs/") }.count == 1)
  }

  @Test func `nothing in the zone waits for packs that are stored again`() throws {
    let (container, ana, bob) = (container, ana, bob)
    var files: [RecordChange] = []
    try ana.ingestAll { ingest in
      for number in 1...4 {
        let content = try Zone.read(Crypto.random(200_000), with: ingest)
        files.append(try Zone.file("\(number)", content))
      }
    }
    try ana.save(files)
    try container.ownership.setHistory(HistoryPolicy(versions: 0), of: ana)
    try ana.save(files.prefix(2).map { RecordChange(id: $0.id, act: .delete) })
    _ = try container.upkeep.collectGarbage(at: WallClock.seconds)
    try ana.save([RecordChange(id: files[2].id, act: .delete)])
    let later = WallClock.seconds + 8 * 86_400
    store.close()
    let collection = BackgroundTask { try container.upkeep.collectGarbage(at: later) }
    defer { store.open() }
    store.expectWaiting()
    // The first chunk is read. The pack with it waits.
    store.pass(1)
    store.expectWaiting()
    try store.expectEnd("a permission") {
      try container.access.setPermission(.readOnly, of: bob, in: ana)
    }
    try store.expectEnd("a small file") { _ = try ana.write("small", [1, 2, 3]) }
    // The last chunk leaves the zone before its new pack is there.
    let last = RecordChange(id: files[3].id, act: .delete)
    try store.expectEnd("a deletion") { _ = try ana.save([last]) }
    store.open()
    _ = try collection.wait()
    #expect(try ana.files().keys.sorted() == ["small"])
    #expect(try ana.verify().isEmpty)
    try bobs.pull()
    #expect(try bobs.verify().isEmpty)
  }

  @Test func `nothing in the zone waits for chunks that come from another owner's zone`() throws {
    let bytes = Crypto.random(300_000)
    let (other, _, _) = try world.shared()
    let content = try other.ingest(bytes)
    try other.save([try Zone.file("large", content)])
    let chunks = try other.read { view in
      try content.chunks.compactMap { try view.state.chunks.entry($0) }
    }
    let (container, ana, bob) = (container, ana, bob)
    store.close()
    let move = BackgroundTask { try ana.save([try Zone.file("large", content)], bringing: chunks) }
    defer { store.open() }
    store.expectWaiting()
    try store.expectEnd("a permission") {
      try container.access.setPermission(.readOnly, of: bob, in: ana)
    }
    try store.expectEnd("a small file") { _ = try ana.write("small", [1, 2, 3]) }
    store.open()
    _ = try move.wait()
    #expect(try ana.files()["large"] == bytes)
    #expect(try ana.verify().isEmpty)
  }
}
