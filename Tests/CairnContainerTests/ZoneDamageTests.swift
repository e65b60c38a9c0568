import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Forged, altered or missing objects of a zone: the people who notice, and the work that
/// continues.
struct ZoneDamageTests {
  @Test func `rubbish in the next places is removed at once, and delays nobody again`() throws {
    let world = try ZoneWorld()
    let (ana, bob, _) = try world.shared()
    try bob.pull()
    let next = bob.header.sequence + 1
    let keys = bob.keyring()
    let key = try #require(keys.latest)
    for place in next..<next + 30 where place != next + 5 {
      _ = try world.store.put(bob.folder.place(place, key), ContentPieces.noise(20))
    }
    #expect(try cloudCode { try ana.pull() } == .zoneBusy)
    try ana.takeAway(try #require(ana.planRepair().held))
    for number in 0..<31 { try ana.write("\(number)", [1]) }
    try bob.pull()
    #expect(try bob.names().count == 31 && bob.trouble == nil)
  }

  @Test func `rubbish holds its place until it is taken away, and nobody is deceived`()
    throws
  {
    let world = try ZoneWorld()
    let (ana, bob, accounts) = try world.shared()
    try bob.pull()
    let forged = try ana.place(bob.header.sequence + 1)
    _ = try world.store.put(forged, ContentPieces.noise(500))
    #expect(try cloudCode { try bob.write("b", [1]) } == .serverRecordChanged)
    #expect(try cloudCode { try bob.pull() } == .zoneBusy)
    #expect(bob.trouble?.object == forged.description)
    let newcomer = try #require(try world.open(accounts[1]).zone(ana.id))
    for zone in [ana, newcomer] {
      #expect(try cloudCode { try zone.pull() } == .zoneBusy)
      #expect(zone.header.head == bob.header.head)
    }
    // Whatever happens to it, it leaves nothing behind: other rubbish, then nothing.
    try world.replace(forged) { $0 = ContentPieces.noise(20) }
    #expect(try cloudCode { try ana.pull() } == .zoneBusy)
    try world.store.delete(forged)
    try bob.write("b", [1])
    try ana.pull()
    try ana.write("a", [2])
    for zone in [ana, bob, newcomer] {
      try zone.pull()
      #expect(try zone.names() == ["a", "b"])
      #expect(zone.header.head == ana.header.head && zone.trouble == nil)
      #expect(try zone.verify().isEmpty)
    }
  }

  @Test(arguments: [1, 3, 5])
  func `a newcomer stops before an entry that was altered`(sequence: UInt64) throws {
    let world = try ZoneWorld()
    let (ana, _, accounts) = try world.shared()
    for name in ["a", "b"] { try ana.write(name, [1]) }
    let key = try ana.place(sequence)
    let whole = try #require(try world.store.get(key))
    try world.replace(key) { $0[$0.count / 2] ^= 1 }
    let newcomer = try #require(try world.open(accounts[0]).zone(ana.id))
    let before = try world.keys()
    for _ in 0..<2 {
      #expect(try cloudCode { try newcomer.pull() } == .assetNotAvailable)
      #expect(newcomer.header.sequence == sequence - 1)
    }
    #expect(try cloudCode { try newcomer.save([]) } == .assetNotAvailable)
    #expect(try world.keys() == before)
    let damage = Damage(
      .entry, key: key.description, reason: "was altered after it was written",
      sequence: sequence)
    #expect(try ana.verify() == [damage])

    try world.replace(key) { $0 = whole }
    try newcomer.pull()
    #expect(try newcomer.names() == ["a", "b"])
    #expect(try ana.verify() == [])
  }

  @Test func `an entry that is missing in the middle is named`() throws {
    let world = try ZoneWorld()
    let (ana, _, accounts) = try world.shared()
    for name in ["a", "b"] { try ana.write(name, [1]) }
    let key = try ana.place(3)
    try world.store.delete(key)
    #expect(
      try ana.verify() == [Damage(.entry, key: key.description, reason: "is missing", sequence: 3)])
    let newcomer = try #require(try world.open(accounts[0]).zone(ana.id))
    #expect(try cloudCode { try newcomer.pull() } == .assetNotAvailable)
    #expect(newcomer.header.sequence == 2)
    let trouble = try #require(newcomer.trouble)
    #expect(trouble.kind == .damaged && trouble.agreed == 2 && trouble.object == key.description)
    #expect(try newcomer.verify().map(\.key) == [key.description])
  }

  @Test(arguments: ["missing", "truncated", "flipped"])
  func `a damaged pack affects only its contents, and is named`(how: String) throws {
    let world = try ZoneWorld()
    let (ana, bob, _) = try world.shared()
    try ana.write("small", [1])
    try ana.write("large", ContentPieces.noise(200_000))
    try bob.pull()
    let pack = try #require(
      try world.keys("users/").first { $0.description.contains("/packs/") })
    switch how {
    case "missing": try world.store.delete(pack)
    case "truncated": try world.replace(pack) { $0.removeLast($0.count / 2 + $0.count / 4) }
    default: try world.replace(pack) { $0[1_000] ^= 1 }
    }
    let contents = try bob.read { view in
      try view.children(of: .root).compactMap { try view.record($0)?.content }
    }
    for content in contents where content.size == 1 {
      var bytes: [UInt8] = []
      try bob.readContent(content) { bytes += Array($0) }
      #expect(bytes == [1])
    }
    for content in contents where content.size > 1 {
      #expect(throws: ContentError.self) { try bob.readContent(content) { _ in } }
    }
    #expect(contents.count == 2)
    #expect(Set(try bob.verify().map(\.key)) == [pack.description])
  }
}
