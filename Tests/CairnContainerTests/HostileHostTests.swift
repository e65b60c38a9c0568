import CairnStore
import CairnZone
import Foundation
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// A host of the container that serves other bytes than were put there, and people who put files
/// there that are no objects of Cairn's.
@Suite struct HostileHostTests {
  @Test func `two swapped packs are named, and everything else is read`() throws {
    let world = try ZoneWorld()
    let (ana, bob, _) = try world.shared()
    for seed in [1, 2] as [UInt64] {
      try ana.write("large-\(seed)", ContentPieces.noise(200_000, seed: seed))
    }
    try ana.write("small", [1])
    let packs = try world.keys("users/").filter { $0.description.contains("/packs/") }
    try #require(packs.count == 2)
    let bytes = try packs.map { try #require(try world.store.get($0)) }
    try world.replace(packs[0]) { $0 = bytes[1] }
    try world.replace(packs[1]) { $0 = bytes[0] }
    try bob.pull()
    try expectUnreadable(bob, but: ["small"])
    #expect(try Set(bob.verify().map(\.key)) == Set(packs.map(\.description)))
    try bob.write("after", [2])
    try ana.pull()
    #expect(try ana.names().contains("after"))
  }

  private func expectUnreadable(_ zone: Zone, but readable: Set<String>) throws {
    let records = try zone.read { view in
      try view.children(of: .root).compactMap { try view.record($0) }
    }
    for record in records {
      let content = try #require(record.content)
      let name = try #require(record.place?.name.description)
      if readable.contains(name) {
        try zone.readContent(content) { _ in }
      } else {
        #expect(throws: ContentError.self, "\(name)") { try zone.readContent(content) { _ in } }
      }
    }
  }

  @Test func `two swapped entries are noticed, and never replayed`() throws {
    let world = try ZoneWorld()
    let (ana, _, accounts) = try world.shared()
    for name in ["a", "b", "c"] { try ana.write(name, [1]) }
    let keys = try (3...4).map { try ana.place($0) }
    let bytes = try keys.map { try #require(try world.store.get($0)) }
    try world.replace(keys[0]) { $0 = bytes[1] }
    try world.replace(keys[1]) { $0 = bytes[0] }
    // A reader who has replayed them goes on. verify names both.
    #expect(try Set(ana.verify().map(\.key)) == Set(keys.map(\.description)))
    // A new reader stops before them, with a sentence.
    let newcomer = try #require(try world.open(accounts[0]).zone(ana.id))
    for _ in 0..<2 { _ = try cloudCode { try newcomer.pull() } }
    #expect(try !newcomer.names().contains("c"))
    #expect(newcomer.header.sequence < 5)
  }

  @Test func `an entry that was cut off is refused, and all agree without it`() throws {
    let world = try ZoneWorld()
    let (ana, bob, _) = try world.shared()
    try ana.write("a", [1])
    let whole = try #require(try world.store.get(ana.place(ana.header.sequence)))
    let log = HostileLog(world: world, zone: bob, account: try bob.exclusivelyAccount)
    for count in [0, 1, whole.count / 2, whole.count - 1] {
      try log.put(Array(whole.prefix(count)))
      try log.expectHeld(by: [ana, bob])
    }
  }

  /// A container on a disk with sparse files of a terabyte.
  @Test func `objects without end are never read to their end`() throws {
    let folder = try TemporaryContainer()
    let world = try ZoneWorld(DirectoryStore(root: folder.path))
    let (ana, bob, accounts) = try world.shared()
    try ana.write("a", [1])
    try bob.pull()
    let huge = 1 << 40
    try folder.grow(ana.place(ana.header.sequence + 1), to: huge)
    try folder.grow(Inbox.key(of: accounts[1].user, .random()), to: huge)
    let container = try world.open(accounts[1])
    let person = try #require(try container.people.refresh(accounts[0].user))
    let place = try Sample.nextKey(accounts[0], after: person)
    try folder.grow(place, to: huge)
    try folder.grow(ChainPlace.key(person.id, String(repeating: "f", count: 32)), to: huge)
    for zone in [ana, bob] { #expect(try cloudCode { try zone.pull() } == .zoneBusy) }
    try bob.takeAway(try #require(bob.planRepair().held))
    try bob.write("b", [2])
    try ana.pull()
    #expect(try ana.names() == ["a", "b"])
    #expect(ana.header.head == bob.header.head)
    #expect(try container.people.refresh(person.id) == person)
    #expect(container.people.troubles[person.id]?.object == place.description)
    #expect(try container.participation.invitations().isEmpty)
    #expect(try container.upkeep.verifyPeople().map(\.key) == [place.description])
    #expect(try ana.verify().isEmpty)
  }

  enum NoObject: CaseIterable { case folder, filledFolder, fifo, link }

  @Test(arguments: NoObject.allCases)
  func `an entry of the next place that is no file holds it, and is taken away`(
    kind: NoObject
  ) throws {
    let folder = try TemporaryContainer()
    let world = try ZoneWorld(DirectoryStore(root: folder.path))
    let (ana, bob, _) = try world.shared()
    let path = "\(folder.path)/\(try ana.place(ana.header.sequence + 1))"
    switch kind {
    case .folder: mkdir(path, 0o755)
    case .filledFolder:
      mkdir(path, 0o755)
      mkdir(path + "/below", 0o755)
    case .fifo: mkfifo(path, 0o644)
    case .link: symlink("/etc/passwd", path)
    }
    for zone in [ana, bob] {
      #expect(try cloudCode { try zone.pull() } == .zoneBusy)
      #expect(zone.trouble?.kind == .held && zone.trouble?.isRubbish == true)
    }
    try ana.takeAway(try #require(ana.planRepair().held))
    try ana.write("one", [1])
    try bob.pull()
    #expect(try bob.names() == ["one"])
  }

  @Test func `repair reads no object to its end, and mends endless ones`() throws {
    let folder = try TemporaryContainer()
    let world = try ZoneWorld(DirectoryStore(root: folder.path))
    let (ana, bob, accounts) = try world.shared()
    let bytes = ContentPieces.noise(200_000)
    let record = try ana.write("a", bytes)
    try bob.pull()
    let container = try world.open(accounts[1])
    let user = accounts[0].user
    #expect(try container.people.refresh(user) != nil)
    func grow(_ key: ObjectKey) throws {
      try world.store.delete(key)
      try folder.grow(key, to: 1 << 40)
    }
    try grow(ChainPlace.start(user))
    try grow(ana.place(2))
    for pack in try world.keys("users/\(user)/packs/") { try grow(pack) }

    #expect(try container.people.refresh(user)?.handle == "ana")
    #expect(container.people.troubles[user]?.kind == .twoHistories)
    #expect(try container.people.putBack(user) == 0)
    try bob.putBack(bob.planRepair().kept)
    #expect(try bob.planRepair().isEmpty)
    let broken = try ana.brokenChunks()
    #expect(!broken.isEmpty)
    let left = try ana.mend(broken, isDryRun: false) { file, read in
      guard file == record else { return false }
      try bytes.withUnsafeBytes { bytes in
        var offset = 0
        try read { room in
          let count = min(room.count, bytes.count - offset)
          room.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)]))
          offset += count
          return count
        }
      }
      return true
    }
    #expect(left.isEmpty)
    #expect(try bob.files() == ["a": bytes])
  }

  @Test func `verify reports a host that shows one person an older container`()
    throws
  {
    let world = try ZoneWorld()
    let (ana, bob, accounts) = try world.shared()
    try ana.write("a", [1])
    try bob.pull()
    // From here on Bob sees only the earlier objects.
    let frozen = MemoryStore()
    for key in try world.keys() {
      _ = try frozen.put(key, try #require(try world.store.get(key)))
    }
    try ana.write("b", [2])
    let blind = try #require(try world.open(accounts[1], store: frozen).zone(ana.id))
    try blind.pull()
    #expect(try blind.names() == ["a"])
    // His entries there are in nobody's log, and his own log stays as it was.
    try blind.write("of bob", [3])
    try bob.pull()
    #expect(try bob.names() == ["a", "b"])
    #expect(blind.header.head != bob.header.head)
    // When he sees the true container again, it isn't the history that he has seen.
    #expect(blind.header.sequence == bob.header.sequence)
  }
}

extension Zone {
  /// The account that uses the zone.
  var exclusivelyAccount: Account {
    get throws { try exclusively { $0.account } }
  }
}

/// A folder for a container on the disk, which is removed with the value.
final class TemporaryContainer {
  let path: String

  init() throws {
    var template = Array("/tmp/cairn-host-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Makes a file of that many bytes, which take no space.
  func grow(_ key: ObjectKey, to size: Int) throws {
    let parts = key.description.split(separator: "/")
    var folder = path
    for part in parts.dropLast() {
      folder += "/\(part)"
      mkdir(folder, 0o755)
    }
    let file = open("\(path)/\(key)", O_WRONLY | O_CREAT | O_EXCL, 0o644)
    try #require(file >= 0)
    defer { close(file) }
    try #require(ftruncate(file, size) == 0)
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch {
      Issue.record("\(path) can't be removed: \(error)")
    }
  }
}
