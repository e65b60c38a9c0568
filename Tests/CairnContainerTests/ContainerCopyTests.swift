import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Copies of a container, and their contents.
struct ContainerCopyTests {
  @Test func `everybody finds everything in the copy`() throws {
    let world = try ZoneWorld()
    let (zone, bobs, accounts) = try world.shared()
    try zone.write("anas", ContentPieces.noise(200_000))
    try bobs.pull()
    try bobs.write("bobs", [2])
    let ana = try world.open(accounts[0])
    let published = try ana.publicZones.founded()
    try published.write("news", [3])
    let target = MemoryStore()
    let report = try ana.copying.copy(to: target)
    #expect(report.isNew && report.problems.isEmpty && report.unsettled.isEmpty)
    #expect(try ContainerFile.root(of: target)?.id == world.id)
    for account in accounts {
      let container = try world.open(account, store: target)
      let found = try #require(try container.zone(zone.id))
      try found.pull()
      #expect(try found.files().keys.sorted() == ["anas", "bobs"])
      #expect(try found.verify().isEmpty && container.upkeep.verifyPeople().isEmpty)
      let news = try container.publicZones.zone(of: accounts[0].user)
      try news.pull()
      #expect(try news.files() == ["news": [3]])
    }
    // A person with the permission to write writes there, and the same device goes on in it.
    let index = "\(world.folder)/index-of-the-copy"
    let again = try world.open(accounts[1], index: index, store: target)
    let theirs = try #require(try again.zone(zone.id))
    try theirs.pull()
    try theirs.write("later", [4])
    #expect(try theirs.names() == ["anas", "bobs", "later"])
  }

  @Test func `temporary files and change markers aren't copied, but unknown objects are`() throws {
    let world = try ZoneWorld()
    let ana = try world.account("ana")
    let hints = ["bells/0-1", "wakes/0-1", "probe/x", "elsewhere"]
    let newer = "users/\(ana.user)/newer/1"
    for name in hints + [newer] {
      #expect(try world.store.put(#require(ObjectKey(name)), [1]) == .stored)
    }
    let target = MemoryStore()
    _ = try world.open(ana).copying.copy(to: target)
    let copied = Set(try target.list("", after: nil, limit: 1_000))
    #expect(Set(try world.keys()).subtracting(copied).map(\.description).sorted() == hints.sorted())
  }

  @Test func `another container as a target is refused, and nothing is put there`() throws {
    let (world, other) = (try ZoneWorld(), try ZoneWorld())
    let ana = try world.open(try world.account("ana"))
    let before = try other.keys()
    #expect(try cloudCode { _ = try ana.copying.copy(to: other.store) } == .badContainer)
    #expect(try other.keys() == before)
  }

  @Test func `a copy that is cut off at any point is a container`() throws {
    let world = try ZoneWorld()
    let (zone, bobs, accounts) = try world.shared()
    let ana = try world.open(accounts[0])
    let base = MemoryStore()
    _ = try ana.copying.copy(to: base)
    let known = zone.header.sequence
    for number in 0..<4 { try bobs.write("b\(number)", ContentPieces.noise(70_000)) }
    try zone.pull()
    // Two entries of one chain, and of her public log.
    for name in ["desk", "table"] {
      _ = try ana.devices.rename(accounts[0].device.id, to: name)
      try ana.publicZones.founded().write(name, [1])
    }
    var cuts = 0
    while true {
      cuts += 1
      let copy = base.copy()
      let target = FaultyStore(copy)
      target.fail(call: cuts, .before, putsOnly: true)
      do { _ = try ana.copying.copy(to: target) } catch is StoreError {
        let reader = try world.open(accounts[1], store: copy)
        let found = try #require(try reader.zone(zone.id))
        try found.pull()
        #expect(found.trouble == nil && found.header.sequence >= known)
        #expect(try found.verify().isEmpty && reader.upkeep.verifyPeople().isEmpty, "put \(cuts)")
        let published = try reader.publicZones.zone(of: accounts[0].user)
        try published.pull()
        #expect(published.trouble == nil)
        // No object is behind a gap.
        #expect(try Self.count(copy, found.folder.log) == found.header.sequence)
        #expect(
          try Self.count(copy, published.folder.log) == published.header.sequence, "put \(cuts)")
        let chain = try #require(try reader.people.person(accounts[0].user))
        #expect(try Self.count(copy, ChainPlace.folder(chain.id)) == chain.length)
        let rest = try ana.copying.copy(to: copy)
        #expect(rest.problems.isEmpty && rest.copied.objects > 0)
        continue
      }
      #expect(!target.isSpent && cuts > 8)
      return
    }
  }

  private static func count(_ store: any ObjectStore, _ folder: String) throws -> UInt64 {
    UInt64(try store.list(folder + "/", after: nil, limit: 1_000).count)
  }

  @Test func `a reader can copy a container`() throws {
    let world = try ZoneWorld()
    let ana = try world.open(try world.account("ana"))
    try ana.publicZones.founded().write("news", [3])
    let target = MemoryStore()
    let report = try world.anonymous().copying.copy(to: target)
    #expect(report.problems.isEmpty)
    #expect(try target.list("", after: nil, limit: 1_000) == world.keys())
  }

  @Test func `every key that is made has a kind`() throws {
    let user = try Sample.account("ana").account.user
    let folder = ZoneFolder(zone: ZoneID(Crypto.digest("a zone", [])), founder: user)
    let key = ZoneKey.random(epoch: 1)
    let made: [(ObjectKey, ObjectKind)] = [
      (ChainPlace.start(user), .chain), (Inbox.key(of: user, .random()), .inbox),
      (DropPlace.drop(.random(), in: .random()).key(user), .drops),
      (folder.place(1, key), .log), (folder.copy(of: .zero, 0, key), .copies),
      (folder.end(of: key), .copies), (folder.floor(7, key), .floors),
      (folder.part(.zero, key), .parts), (folder.door, .door),
      (PackStamp.random(generation: 1).key(owner: user), .packs),
      (WakeObject(owner: String(repeating: "0", count: 32), number: 1).key, .wakes),
    ]
    for (key, kind) in made { #expect(ObjectKind(key) == kind, "\(key)") }
    for text in ["container", "users/\(user)/public/00", "bells/0", "probe/0"] {
      #expect(ObjectKind(try #require(ObjectKey(text))) != nil, "\(text)")
    }
    for text in ["container/x", "users/\(user)", "users/\(user)/log", "x/\(user)/log/start"] {
      #expect(ObjectKind(try #require(ObjectKey(text))) == nil, "\(text)")
    }
  }
}
