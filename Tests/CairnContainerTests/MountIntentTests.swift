import CairnStore
import CairnZone
import Glibc
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// The notes of a home about unfinished commands, and zones that are created by repeating.
@Suite struct MountIntentTests {
  private static func open(
    _ world: ZoneWorld, _ account: Account, file: String = "mounts.json"
  ) throws -> Container {
    try Container(
      store: world.store, id: world.id, account: account, indexFolder: world.folder, root: nil,
      ownMounts: OwnMounts(path: "\(world.folder)/\(file)"))
  }

  @Test func `after a failed write, the list of mounts is read again`() throws {
    let world = try ZoneWorld()
    let ana = try world.account("ana")
    let (folder, away) = ("\(world.folder)/own", "\(world.folder)/away")
    #expect(mkdir(folder, 0o700) == 0)
    let container = try Self.open(world, ana, file: "own/mounts.json")
    let intents = try ["first", "second", "third"].map { name in
      let new = try container.newZone(named: name)
      return MountIntent(
        new: new, items: [MountIntent.Item(part: ZonePart(new.id), path: Array("/a".utf8))])
    }
    try container.note(intents[0])
    #expect(rename(folder, away) == 0)
    #expect(throws: CloudError.self) { try container.note(intents[1]) }
    // The failed write may have replaced the file.
    #expect(rename(away, folder) == 0)
    try Self.open(world, ana, file: "other.json").note(intents[2])
    #expect(rename("\(world.folder)/other.json", "\(folder)/mounts.json") == 0)
    #expect(try container.intents() == [intents[2]])
  }

  @Test func `a home keeps the intents of unfinished commands`() throws {
    let world = try ZoneWorld()
    let ana = try world.account("ana")
    let first = try Self.open(world, ana)
    let (new, exit) = (try first.newZone(named: "Tänze"), try first.newZone(named: ""))
    let part = ZonePart(new.id, base: .random())
    let source = ZoneID.derive(owner: ana.user, nonce: .random())
    let create = MountIntent(
      new: new, title: "Trip",
      items: [
        MountIntent.Item(
          part: part, path: [47, 255, 10], source: source, wasMarked: true, isMade: true),
        MountIntent.Item(part: ZonePart(new.id, base: .random()), path: [47], isFile: true),
      ])
    let add = MountIntent(
      zone: source, items: [MountIntent.Item(part: ZonePart(source), path: [47, 97])])
    for intent in [create, add] { try first.note(intent) }
    try first.noteExit(part, .to(exit))
    try first.noteExit(ZonePart(source), .unmirrored)
    let second = try Self.open(world, ana)
    #expect(try second.intents() == [create, add])
    #expect(try second.exits() == [part: .to(exit), ZonePart(source): .unmirrored])

    var withdrawn = create
    withdrawn.isWithdrawn = true
    try second.note(withdrawn)
    try second.drop(add)
    #expect(try Self.open(world, ana).intents() == [withdrawn])
  }

  @Test(arguments: [FaultyStore.Fault.before, .after])
  func `after a failure of any put a zone is created or dropped by repeating`(
    fault: FaultyStore.Fault
  ) throws {
    let world = try ZoneWorld()
    var call = 0
    var isOver = false
    while !isOver {
      call += 1
      try #require(call < 10)
      let ana = try world.account("ana\(call)")
      let faulty = FaultyStore(world.store)
      let container = try world.open(ana, store: faulty)
      let new = try container.newZone(named: "Trip")
      faulty.fail(call: call, fault, putsOnly: true)
      do { _ = try container.create(new) } catch is CloudError {} catch is StoreError {}
      isOver = !faulty.isSpent
      faulty.heal()
      // The next start, with an empty index.
      let next = try world.open(ana)
      let folder = ZoneFolder(zone: new.id, founder: ana.user).path
      let isKnown = try next.zone(new.id) != nil
      #expect(try isKnown || world.keys("\(folder)/").isEmpty, "call \(call): nobody has its key")
      guard call.isMultiple(of: 2) else {
        try next.drop(new)
        #expect(try world.keys("\(folder)/").isEmpty && next.privateDatabase.zones().isEmpty)
        continue
      }
      let zone = try next.create(new)
      try zone.write("file", [1])
      let last = try #require(try world.open(ana).privateDatabase.zones().first)
      try last.pull()
      #expect(last.id == new.id && last.header.genesis?.name == "Trip")
      #expect(try last.files() == ["file": [1]])
    }
    #expect(call > 2)
  }
}
