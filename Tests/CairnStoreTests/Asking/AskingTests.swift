import Testing

@testable import CairnStore

/// The followers that learn of a write, the times and the costs; with the test's clock.
struct AskingTests {
  private let zones = (0..<1_000).map { AskingWorld.zone($0 + 1) }
  private let inbox = "users/x/inbox"

  @Test(arguments: [1, 10, 1_000])
  func `after an hour of quiet there are two requests a minute at most`(_ shares: Int) throws {
    var world = AskingWorld()
    let one = world.add(Array(zones.prefix(shares)) + [inbox])
    try world.pass(seconds: 3_600)
    let before = world.devices[one].total
    try world.pass(seconds: 4 * 3_600)
    #expect(world.devices[one].total - before <= 4 * 120)
    #expect(world.devices[one].requests["list", default: 0] > 4 * 60)
  }

  @Test func `a dear look is paid for as well`() throws {
    var world = AskingWorld()
    world.price = 200
    let one = world.add([inbox])
    try world.pass(seconds: 3_600)
    let before = world.devices[one].total
    try world.pass(seconds: 100 * 3_600)
    #expect(world.devices[one].total - before <= 100 * 120)
  }

  @Test(arguments: [0.5, 10, 100, 3_600])
  func `what is written is heard of, and only there`(_ quiet: Double) throws {
    var world = AskingWorld()
    let (ana, bob) = (world.add([zones[0], zones[1]]), world.add([zones[0], zones[1]]))
    let carol = world.add([zones[2]])
    try world.pass(seconds: quiet)
    world.devices[bob].hints = []
    world.devices[carol].hints = []
    let start = world.now
    world.write(ana, in: zones[1])
    try world.pass(seconds: 60)
    let heard = try #require(world.devices[bob].hints.first { $0.groups == [zones[1]] })
    #expect(Double(heard.time - start) / 1e9 <= min(60, max(2, quiet / 8 + 1)))
    #expect(world.devices[carol].hints.allSatisfy { !$0.groups.contains(zones[1]) })
    #expect(world.devices[ana].requests["put"] == 2, "it told that it is there, and rang")
  }

  @Test func `in traffic each change is heard of half a second later at most`() throws {
    var world = AskingWorld()
    let (ana, bob) = (world.add([zones[0]]), world.add([zones[0]]))
    try world.pass(seconds: 3_600)
    for _ in 0..<70 {
      world.write(ana, in: zones[0])
      try world.pass(seconds: 1.1)
    }
    for _ in 0..<600 {
      world.devices[bob].hints = []
      let start = world.now
      world.write(ana, in: zones[0])
      try world.pass(seconds: 1.1)
      let heard = try #require(world.devices[bob].hints.first)
      #expect(heard.time - start <= 500_000_000)
    }
    let counted = world.devices[bob].requests
    #expect(counted["list", default: 0] < 200 + 737 * 2)
    // One bell a second is put, some at once, and the one before it taken away.
    #expect(world.devices[ana].requests["put", default: 0] <= 671 + Int(BellRope.burst))
  }

  // MARK: Folders of a network's

  @Test func `where lists are remembered, who heard of one change hears of the next`() throws {
    var world = AskingWorld()
    world.memory = 20
    let (ana, bob) = (
      world.add(isFolder: true, Array(zones.prefix(20))),
      world.add(isFolder: true, Array(zones.prefix(20)))
    )
    try world.pass(seconds: 3_600)
    world.write(ana, in: zones[1])
    // After an hour of quiet it asks once a minute.
    for _ in 0..<85 where !world.devices[bob].hints.contains(where: { $0.groups == [zones[1]] }) {
      try world.pass(seconds: 1)
    }
    // The list is as old as ever; that name is asked for by itself.
    for _ in 0..<100 {
      world.devices[bob].hints = []
      let start = world.now
      world.write(ana, in: zones[1])
      try world.pass(seconds: 3)
      let heard = try #require(world.devices[bob].hints.first { $0.groups.contains(zones[1]) })
      #expect(heard.time - start <= 500_000_000)
    }
    // What one writes oneself is answered there, as likely as not.
    let asked = world.devices[ana].hints.filter { $0.groups.contains(zones[1]) }
    #expect(asked.count > 100)
    // After a minute without a change it is a folder like any other.
    try world.pass(seconds: 120)
    world.devices[bob].hints = []
    try world.pass(seconds: 3_600)
    #expect(world.devices[bob].hints.allSatisfy { $0.groups.count == 1 })
    #expect(world.devices[bob].hints.count { $0.groups.contains(zones[1]) } <= 5)
  }

  @Test func `of many folders in which something happens the latest are asked for`() throws {
    var world = AskingWorld()
    let one = world.add(isFolder: true, Array(zones.prefix(20)))
    try world.pass(seconds: 3_600)
    world.devices[one].hints = []
    for zone in zones.prefix(20) {
      world.write(one, in: zone)
      try world.pass(seconds: 0.01)
    }
    try world.pass(seconds: 1)
    let heard = world.devices[one].hints.last?.groups
    #expect(heard?.isSuperset(of: zones[12..<20]) ?? false)
    #expect((heard?.count ?? 0) <= FollowedFolders.mostWarm + 1)
  }

  @Test func `one who wrote in many zones at once is understood by one more request`() throws {
    var world = AskingWorld()
    let (ana, bob) = (world.add(zones), world.add(zones))
    try world.pass(seconds: 60)
    world.devices[bob].hints = []
    for zone in zones.prefix(40) { world.write(ana, in: zone) }
    try world.pass(seconds: 60)
    let heard = world.devices[bob].hints.reduce(into: Set<String>()) { $0.formUnion($1.groups) }
    #expect(heard.isSuperset(of: zones.prefix(40)))
    #expect(world.devices[bob].requests["get"] == 1)
  }

  @Test func `tags of strangers cost nothing, and no haste`() throws {
    var (quiet, noisy) = (AskingWorld(), AskingWorld())
    _ = (quiet.add([zones[0]]), noisy.add([zones[0]]))
    let stranger = noisy.add([zones[1]])
    for _ in 0..<3_600 {
      noisy.write(stranger, in: zones[1])
      try noisy.pass(seconds: 1)
      try quiet.pass(seconds: 1)
    }
    #expect(noisy.devices[0].hints.map(\.time) == quiet.devices[0].hints.map(\.time))
    #expect(noisy.devices[0].requests["list"] == quiet.devices[0].requests["list"])
  }

  @Test func `a flood of rings that everybody can make is answered three times a minute`() throws {
    var world = AskingWorld()
    let (ana, bob) = (world.add([inbox]), world.add([inbox]))
    try world.pass(seconds: 3_600)
    world.devices[bob].hints = []
    for _ in 0..<600 {
      world.write(ana, in: "users/y/inbox")
      try world.pass(seconds: 1)
    }
    #expect((10...38).contains(world.devices[bob].hints.count), "in ten minutes, six at once")
    // The last isn't forgotten.
    let start = world.now
    try world.pass(seconds: 180)
    #expect(world.devices[bob].hints.contains { $0.time > start })
  }

  @Test func `what no bell tells is looked at in turn`() throws {
    var world = AskingWorld()
    let one = world.add(Array(zones.prefix(5)) + [inbox])
    try world.pass(seconds: 2 * 3_600)
    let seen = world.devices[one].hints.map(\.groups)
    #expect(seen.allSatisfy { $0.count == 1 })
    for group in zones.prefix(5) + [FollowedFolders.common] {
      #expect(seen.count { $0.contains(group) } >= 3, "\(group)")
    }
  }

  @Test func `who only reads looks at everything each time`() throws {
    var world = AskingWorld()
    let reader = world.add(isReader: true, longest: 1_800, [zones[0], zones[1], inbox])
    try world.pass(seconds: 10 * 1_800)
    let whole: Set<String> = [zones[0], zones[1], FollowedFolders.common]
    #expect(world.devices[reader].hints.count { $0.groups == whole } >= 6)
    #expect(world.devices[reader].requests["put"] == nil)
    #expect(try world.store.list("", after: nil, limit: 9).isEmpty)
  }

  @Test func `a container that goes away is noticed, and all is looked at when it is back`() throws
  {
    var world = AskingWorld()
    let one = world.add([zones[0], inbox])
    try world.pass(seconds: 3_600)
    world.devices[one].hints = []
    world.isAway = true
    try world.pass(seconds: 600)
    let whole: Set<String> = [zones[0], FollowedFolders.common]
    #expect(world.devices[one].hints.map(\.groups) == [whole])
    world.isAway = false
    let back = world.now
    try world.pass(seconds: 10)
    #expect(world.devices[one].hints.map(\.groups) == [whole, whole])
    #expect(try #require(world.devices[one].hints.last).time <= back + AskingPlan.away)
  }

  @Test func `what came before the first question was answered is looked at`() throws {
    var world = AskingWorld()
    world.isAway = true
    let one = world.add([zones[0], inbox])
    try world.pass(seconds: 0.5)
    #expect(world.devices[one].hints.isEmpty)
    world.isAway = false
    try world.pass(seconds: 2)
    #expect(world.devices[one].hints.map(\.groups) == [[zones[0], FollowedFolders.common]])
  }

  // MARK: Containers that tell

  @Test func `where the container tells nobody asks or rings`() throws {
    var world = AskingWorld()
    let (ana, bob) = (
      world.add(isAsking: false, [zones[0]]), world.add(isAsking: false, [zones[0]])
    )
    try world.pass(seconds: 60)
    for _ in 0..<100 {
      world.write(ana, in: zones[0])
      try world.pass(seconds: 60)
    }
    for device in [ana, bob] { #expect(world.devices[device].requests == ["list": 1]) }
    #expect(try world.store.list("", after: nil, limit: 9).isEmpty)
  }

  @Test func `who is told rings for those who have to ask`() throws {
    var world = AskingWorld()
    let server = world.add(isAsking: false, [zones[0]])
    let client = world.add([zones[0]])
    try world.pass(seconds: 60)
    // A notice of the new bell makes it look.
    world.devices[server].asking.lookAgain()
    try world.pass(seconds: 1)
    world.devices[client].hints = []
    world.write(server, in: zones[0])
    try world.pass(seconds: 60)
    #expect(world.devices[client].hints.first?.groups == [zones[0]])
    #expect(world.devices[server].requests == ["list": 2, "put": 1])
  }

  @Test func `one who isn't told after all begins to ask`() throws {
    var world = AskingWorld()
    let (ana, bob) = (world.add([zones[0]]), world.add(isAsking: false, [zones[0]]))
    try world.pass(seconds: 60)
    #expect(world.devices[bob].asking.lateness(now: world.now) == nil)
    for _ in 0..<2 { world.devices[bob].asking.beginAsking(now: world.now) }
    try world.pass(seconds: 2)
    #expect(world.devices[bob].hints.map(\.groups) == [[zones[0]]], "what was missed, once")
    world.devices[bob].hints = []
    world.write(ana, in: zones[0])
    try world.pass(seconds: 60)
    #expect(world.devices[bob].hints.first?.groups == [zones[0]])
    #expect(world.devices[bob].requests["put"] == 1, "others have to know of it")
  }

  // MARK: Tags

  @Test func `of two epochs both tags are heard, and the newer one is rung`() throws {
    var world = AskingWorld()
    let folder = zones[6]
    let (ana, bob) = (world.add([folder]), world.add([folder]))
    try world.pass(seconds: 60)
    for device in [ana, bob] { world.devices[device].asking.agree(on: 70, for: folder) }
    world.write(ana, in: folder)
    try world.pass(seconds: 30)
    #expect(world.devices[bob].hints.last?.groups == [folder])
    let names = try world.store.list("bells/", after: nil, limit: 9)
    #expect(names.compactMap { Bell($0) }.contains { $0.tags.map(\.tag) == [70] })
  }

  @Test(arguments: [
    ("users/x/log", true), ("users/x/inbox", true), ("users/x/join", true),
    ("users/x/packs", false), ("users/x/zones/1/parts", false), ("zones/x/log", false),
  ])
  func `beside zones only identities, inboxes and codes ring`(_ folder: String, _ rings: Bool) {
    var asking = Asking(
      owner: String(repeating: "a", count: 32), isAsking: true, isFolder: false, longest: 60,
      now: 0)
    #expect(asking.stored(in: folder, now: 0) == rings)
  }
}
