import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Drop boxes: files from anybody with a link, for their owner alone.
struct DropTests {
  /// Ana with a drop box for a zone, and the container that senders find.
  private struct Scene {
    let world: ZoneWorld
    let ana: Container
    let box: DropBox

    init(
      _ limits: DropLimits = DropLimits(size: 1_000, files: 3), expires: Int64? = nil
    ) throws {
      world = try ZoneWorld()
      ana = try world.open(world.account("ana"))
      let zone = try ana.privateDatabase.createZone(named: "Photos")
      box = try ana.drops.create(
        into: ZonePart(zone.id), title: "Photos", limits: limits, expires: expires)
    }

    var link: DropLink { ana.drops.link(of: box, location: "/c") }

    var root: ContainerFile {
      get throws { try #require(try ContainerFile.root(of: world.store)) }
    }

    func sender(_ account: Account? = nil, link: DropLink? = nil) throws -> DropSender {
      // The link as it arrives by mail.
      let text = (link ?? self.link).text
      return try DropSender(
        DropLink(parsing: "<\(text.uppercased())>\n"), in: world.store, root: root, by: account)
    }

    func send(_ name: String, _ bytes: [UInt8], by account: Account? = nil) throws {
      try DropTests.send(name, bytes, by: sender(account))
    }

    var waiting: [WaitingDrop] {
      get throws { try ana.drops.survey().drops }
    }

    /// Returns the contents of the complete files, by name.
    func contents() throws -> [String: [UInt8]] {
      try waiting.filter { $0.state == .complete }.reduce(into: [String: [UInt8]]()) {
        $0[$1.name] = try read($1)
      }
    }

    func read(_ drop: WaitingDrop) throws -> [UInt8] {
      var bytes: [UInt8] = []
      try ana.drops.read(drop) { bytes += $0 }
      return bytes
    }

    /// Returns the keys of all objects of boxes.
    func keys() throws -> [ObjectKey] { try world.keys(DropPlace.folder(ana.account.user) + "/") }

    /// Ends the time of the box. The clock of this process can't be set here: the end is in the
    /// record alone.
    func makeOver() throws {
      let over = DropBox(
        secret: box.secret, owner: box.owner, part: box.part, title: box.title,
        limits: box.limits, expires: 1)
      try AccountZone.add(over, to: ana.accountZone)
    }

    func place(_ key: ObjectKey) throws -> DropPlace {
      try #require(DropPlace(key, of: ana.account.user))
    }
  }

  private static func send(_ name: String, _ bytes: [UInt8], by sender: DropSender) throws {
    var rest = bytes[...]
    try sender.send(name: name, size: UInt64(bytes.count)) { count in
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
  }

  // MARK: Giving and taking

  @Test func `the owner reads the files of people with the link, and knows signers`()
    throws
  {
    let scene = try Scene()
    let bob = try scene.world.account("bob")
    try scene.send("of nobody", [1, 2, 3])
    try scene.send("of bob", [], by: bob)
    #expect(try scene.contents() == ["of nobody": [1, 2, 3], "of bob": []])
    let senders = try scene.waiting.reduce(into: [String: UserID]()) {
      $0[$1.name] = $1.sender?.user
    }
    #expect(senders["of bob"] == bob.user)
    #expect(senders["of nobody"] == nil)
    // All devices of the owner see them.
    let phone = try scene.world.open(scene.world.device("phone", by: scene.ana))
    #expect(Set(try phone.drops.survey().drops.map(\.name)) == ["of nobody", "of bob"])
  }

  @Test func `a file of several pieces arrives unchanged`() throws {
    let scene = try Scene(DropLimits(size: 100_000_000, files: 1))
    let bytes = Crypto.padding(Int(DropContent.pieceSize) + 5)
    try scene.send("large", bytes)
    #expect(try scene.keys().count == 4)
    #expect(try scene.contents()["large"] == bytes)
  }

  @Test func `people with the link read neither files nor names`() throws {
    let scene = try Scene()
    try scene.send("secret name", [1, 2, 3])
    let bob = try scene.world.open(scene.world.account("bob"))
    let seal = DropSeal(owner: scene.ana.account.user, secret: scene.link.secret)
    for key in try scene.keys() {
      guard case .drop = try scene.place(key) else { continue }
      let bytes = try #require(try scene.world.store.get(key))
      #expect(throws: FormatError.self) {
        try DropMessage(
          bytes, at: scene.place(key), seal, open: { bob.account.open($0) }, signKey: { _ in nil })
      }
    }
    #expect(try bob.drops.survey().drops.isEmpty)
  }

  @Test func `a discarded file leaves nothing, and an ended box takes no more`() throws {
    let scene = try Scene()
    try scene.send("one", [1])
    try scene.send("two", [2])
    let sender = try scene.sender()
    let first = try #require(try scene.waiting.first)
    try scene.ana.drops.discard(first)
    #expect(try scene.waiting.count == 1)
    #expect(try scene.keys().count == 3)
    try scene.ana.drops.end(scene.box)
    #expect(try scene.keys().isEmpty)
    #expect(try scene.ana.drops.boxes().isEmpty)
    #expect(try cloudCode { _ = try scene.sender() } == .permissionFailure)
    // A sender that holds the box open learns it.
    #expect(try cloudCode { try Self.send("late", [3], by: sender) } == .permissionFailure)
    #expect(try scene.keys().isEmpty)
  }

  @Test func `a revoked device can't read later files`() throws {
    let scene = try Scene()
    let thief = try scene.world.device("phone", by: scene.ana)
    try scene.ana.revocation.revoke(thief.device.id)
    try scene.send("later", [1, 2])
    #expect(try scene.contents() == ["later": [1, 2]])
    let seal = DropSeal(owner: scene.ana.account.user, secret: scene.link.secret)
    let key = try #require(
      try scene.keys().first { if case .drop = try scene.place($0) { true } else { false } })
    let bytes = try #require(try scene.world.store.get(key))
    #expect(throws: FormatError.self) {
      try DropMessage(
        bytes, at: scene.place(key), seal, open: { thief.open($0) }, signKey: { _ in nil })
    }
  }

  // MARK: Limits

  @Test func `a sender learns what the box doesn't take`() throws {
    let scene = try Scene(DropLimits(size: 3, files: 2))
    #expect(try cloudCode { try scene.send("large", [1, 2, 3, 4]) } == .limitExceeded)
    for name in ["", ".hidden", "a/b", "line\nbreak", "\u{202E}gpj.exe", "..", "nul\0"] {
      #expect(try cloudCode { try scene.send(name, [1]) } == .invalidArguments, "\(name)")
    }
    #expect(try cloudCode { try scene.send(String(repeating: "a", count: 256), []) } != nil)
    try scene.send("one", [1])
    try scene.send("two", [2])
    #expect(try cloudCode { try scene.send("three", [3]) } == .limitExceeded)
    #expect(try scene.contents().count == 2)
    // A file that grows or shrinks meanwhile isn't sent.
    try scene.ana.drops.discard(try #require(try scene.waiting.first))
    let sender = try scene.sender()
    for bytes in [[UInt8](), [1, 2, 3]] {
      var rest = bytes[...]
      let code = try cloudCode {
        try sender.send(name: "changing", size: 2) { count in
          defer { rest = rest.dropFirst(count) }
          return Array(rest.prefix(count))
        }
      }
      #expect(code == .assetFileModified)
    }
    #expect(try scene.keys().count == 3)
  }

  @Test func `an owner makes no box without limits`() throws {
    let scene = try Scene()
    let (drops, part) = (scene.ana.drops, scene.box.part)
    for limits in [DropLimits(size: 0, files: 1), DropLimits(size: 1, files: 0)] {
      let code = try cloudCode { _ = try drops.create(into: part, title: "", limits: limits) }
      #expect(code == .invalidArguments)
    }
    let late = try cloudCode {
      _ = try drops.create(into: part, title: "", limits: scene.box.limits, expires: 1)
    }
    #expect(late == .invalidArguments)
  }

  @Test func `a link ends by itself, and an emptied box with it`() throws {
    let scene = try Scene()
    try scene.send("in time", [1])
    try scene.makeOver()
    #expect(try scene.contents() == ["in time": [1]])
    #expect(try cloudCode { _ = try scene.sender() } == .permissionFailure)
    try scene.ana.drops.discard(try #require(try scene.waiting.first))
    #expect(try scene.ana.drops.survey().boxes.isEmpty)
    #expect(try scene.keys().isEmpty)
  }

  // MARK: Nothing is lost

  @Test func `a file for a key that a device hasn't learned waits until it has`() throws {
    let scene = try Scene()
    let phone = try scene.world.open(scene.world.device("phone", by: scene.ana))
    let tablet = try scene.world.device("tablet", by: scene.ana)
    #expect(try phone.drops.boxes().count == 1)
    try scene.ana.revocation.revoke(tablet.device.id)
    try scene.send("later", [1])
    #expect(try phone.drops.survey().drops.isEmpty)
    #expect(try phone.drops.garbage().isEmpty)
    _ = try phone.refreshMe()
    #expect(try phone.drops.survey().drops.map(\.name) == ["later"])
  }

  @Test func `the owner's garbage collection keeps what people with the link made`() throws {
    let scene = try Scene()
    let bob = try scene.world.account("bob")
    let key = try force(scene, "for another key", size: 0, to: bob.encryptionKey)
    let start = WallClock.seconds
    for time in [start, start + Upkeep.garbageLife] {
      _ = try scene.ana.upkeep.collectGarbage(at: time)
    }
    #expect(try scene.keys().contains(key))
    try scene.ana.drops.end(scene.box)
    #expect(try scene.keys().isEmpty)
  }

  @Test func `a sender learns that the box ended while they sent`() throws {
    for isByTime in [false, true] {
      let scene = try Scene()
      let sender = try scene.sender()
      var rest: [UInt8] = [1]
      let code = try cloudCode {
        try sender.send(name: "late", size: 1) { count in
          defer { rest = Array(rest.dropFirst(count)) }
          guard rest.isEmpty else { return rest }
          // The piece is in the container.
          if isByTime {
            try scene.makeOver()
            #expect(try scene.ana.drops.survey().boxes.count == 1)
          } else {
            try scene.ana.drops.end(scene.box)
          }
          return []
        }
      }
      #expect(code == .permissionFailure)
      #expect(try scene.ana.drops.survey().boxes.isEmpty)
      #expect(try scene.keys().isEmpty)
    }
  }

  @Test func `strangers without the link fill no box`() throws {
    let scene = try Scene()
    let stranger = DropSeal(owner: scene.ana.account.user, secret: .random())
    for number in 0..<5 {
      let place = DropPlace.drop(.random(), in: scene.box.id)
      let message = DropMessage(key: .random(), name: "evil", size: 0, time: 0, author: nil)
      let sealed = message.sealed(
        at: place, stranger, to: scene.ana.account.encryptionKey, by: nil)
      _ = try scene.world.store.put(
        place.key(stranger.owner), number == 0 ? [1] : try #require(sealed))
    }
    for name in ["one", "two", "three"] { try scene.send(name, [1]) }
    #expect(try cloudCode { try scene.send("four", [1]) } == .limitExceeded)
    #expect(try scene.contents().count == 3)
  }

  // MARK: Attacks

  /// A program with the link that keeps to no rule.
  private func force(
    _ scene: Scene, _ name: String, size: UInt64, to key: Bytes32? = nil,
    author: Account? = nil
  ) throws -> ObjectKey {
    let seal = DropSeal(owner: scene.ana.account.user, secret: scene.link.secret)
    let place = DropPlace.drop(.random(), in: seal.box)
    let message = DropMessage(
      key: .random(), name: name, size: size, time: .max, author: author?.author)
    let bytes = message.sealed(
      at: place, seal, to: key ?? scene.ana.account.encryptionKey, by: author)
    let object = place.key(seal.owner)
    #expect(try scene.world.store.put(object, try #require(bytes)) == .stored)
    return object
  }

  @Test func `files that break the limits can't be accepted, and hide no others`() throws {
    let scene = try Scene(DropLimits(size: 100, files: 3))
    try scene.send("good", [1])
    _ = try scene.waiting
    _ = try force(scene, "huge", size: .max)
    _ = try force(scene, "without content", size: 5)
    for _ in 0..<10 { _ = try force(scene, "more", size: 0) }
    let survey = try scene.ana.drops.survey()
    #expect(survey.drops.count == 3)
    #expect(survey.drops.first?.name == "good")
    #expect(survey.beyond[scene.box.id] == 10)
    for drop in survey.drops where drop.state != .complete {
      #expect(throws: CloudError.self) { try scene.read(drop) }
    }
    // Emptying it shows the next ones.
    for drop in survey.drops { try scene.ana.drops.discard(drop) }
    #expect(try scene.waiting.count == 3)
  }

  @Test func `objects by people without the link are no files, and are deleted later`() throws {
    let scene = try Scene()
    try scene.send("good", [1])
    let folder = DropPlace.folder(scene.ana.account.user)
    let stranger = DropSeal(owner: scene.ana.account.user, secret: .random())
    let place = DropPlace.drop(.random(), in: scene.box.id)
    let message = DropMessage(key: .random(), name: "evil", size: 0, time: 0, author: nil)
    let sealed = try #require(
      message.sealed(at: place, stranger, to: scene.ana.account.encryptionKey, by: nil))
    let box = hexadecimal(scene.box.id.bytes)
    let objects: [String: [UInt8]] = [
      place.name: sealed,
      DropPlace.drop(.random(), in: scene.box.id).name: [UInt8](repeating: 1, count: 20_000),
      DropPlace.piece(0, of: .random(), in: scene.box.id).name: [1],
      DropPlace.drop(.random(), in: .random()).name: [2],
      "\(box)-x": [3], "\(box)-\(box)-00": [], "readme": [4],
    ]
    for (name, bytes) in objects {
      _ = try scene.world.store.put(try #require(ObjectKey("\(folder)/\(name)")), bytes)
    }
    #expect(try scene.contents() == ["good": [1]])
    #expect(try scene.keys().count == 3 + objects.count)
    let start = WallClock.seconds
    _ = try scene.ana.upkeep.collectGarbage(at: start)
    #expect(try scene.keys().count == 3 + objects.count)
    _ = try scene.ana.upkeep.collectGarbage(at: start + Upkeep.garbageLife)
    #expect(try scene.keys().count == 3)
    #expect(try scene.contents() == ["good": [1]])
  }

  @Test func `the host can't change, swap or rename a file unnoticed`() throws {
    let scene = try Scene(DropLimits(size: 100_000_000, files: 9))
    let size = Int(DropContent.pieceSize) * 2
    try scene.send("one", [UInt8](repeating: 1, count: size))
    try scene.send("two", [UInt8](repeating: 2, count: size))
    let store = scene.world.store
    let pieces = try scene.keys().filter {
      if case .piece = try scene.place($0) { true } else { false }
    }
    #expect(pieces.count == 4)
    // A piece at the place of its neighbour, and at the place of another file's.
    for (from, to) in [(0, 1), (0, 2), (1, 0), (3, 0)] {
      let (before, other) = (try store.get(pieces[to]), try store.get(pieces[from]))
      try scene.world.replace(pieces[to]) { $0 = other ?? [] }
      let changed = try #require(DropPlace(pieces[to], of: scene.ana.account.user))
      let drop = try #require(
        try scene.waiting.first {
          if case .piece(_, $0.id, _) = changed { true } else { false }
        })
      #expect(drop.state == .complete)
      #expect(try cloudCode { _ = try scene.read(drop) } == .assetNotAvailable)
      try scene.world.replace(pieces[to]) { $0 = before ?? [] }
    }
    // A piece that was cut is missed before it is read.
    try scene.world.replace(pieces[0]) { $0.removeLast() }
    #expect(try Set(scene.waiting.map(\.state)) == [.complete, .incomplete])
    // A drop under another name.
    let drops = try scene.keys().filter {
      if case .drop = try scene.place($0) { true } else { false }
    }
    let copy = DropPlace.drop(.random(), in: scene.box.id).key(scene.ana.account.user)
    _ = try store.put(copy, try #require(try store.get(drops[0])))
    #expect(try scene.waiting.count == 2)
  }

  @Test func `nobody sends in another person's name, or describes another person's box`() throws {
    let scene = try Scene()
    let (bob, carol) = (try scene.world.account("bob"), try scene.world.account("carol"))
    let key = try force(scene, "of bob", size: 0, author: bob)
    #expect(try scene.waiting.map(\.sender?.user) == [bob.user])
    // Signed for one place only.
    let seal = DropSeal(owner: scene.ana.account.user, secret: scene.link.secret)
    let bytes = try #require(try scene.world.store.get(key))
    let box = try seal.open(bytes, at: scene.place(key), "drop")
    let place = DropPlace.drop(.random(), in: seal.box)
    _ = try scene.world.store.put(place.key(seal.owner), seal.seal(box, at: place))
    let senders = try scene.waiting.reduce(into: [Bytes16: UserID]()) {
      $0[$1.id] = $1.sender?.user
    }
    #expect(senders.count == 1 && senders.values.contains(bob.user))
    // A person with the link replaces the description of the box.
    let forgery = DropBoxDescription(
      container: scene.world.id, title: "Evil", limits: DropLimits(size: 1, files: 1), expires: nil)
    let forged = DropSeal(owner: carol.user, secret: scene.link.secret)
    let notice = DropPlace.box(seal.box).key(seal.owner)
    try scene.world.replace(notice) { $0 = forgery.sealed(by: carol, forged) }
    #expect(try cloudCode { _ = try scene.sender() } == .permissionFailure)
  }

  @Test func `the links of boxes and shares aren't mistaken for each other`() throws {
    let scene = try Scene()
    let text = scene.link.text
    #expect(throws: ShareLink.Failure.aDropBox) { try ShareLink(parsing: text) }
    #expect(throws: DropLink.Failure.notALink) { try DropLink(parsing: "cairn:share/abc") }
    #expect(throws: DropLink.Failure.mistyped) { try DropLink(parsing: String(text.dropLast())) }
    #expect(try DropLink(parsing: "see \(text).") == scene.link)
  }
}
