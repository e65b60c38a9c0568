import CairnControl
import Testing

/// A container that lost its end, was restored from an old copy, or shows two histories. It is
/// named, no folder loses anything, and `cairn repair` restores what a device has.
extension EndToEnd {
  @Suite struct HistoryTests {
    @Test func `a log that lost its end is named, and restored as it was`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        for name: Name in ["one", "two", "three"] {
          try ana.folder.write("text", to: name)
          try people.settle()
        }
        try ana.folder.write(Samples.noise(300_000), to: "large")
        try people.settle()
        let (anas, bobs) = (try ana.folder.tree(), try bob.folder.tree())
        let log = try people.log()
        let entries = try people.entries()
        let lost = entries.suffix(2).map { Name(Array($0.utf8)) }
        let bytes = try lost.map { try people.container.read($0) }
        for entry in lost { try people.container.remove(entry) }

        // Nobody writes into the gap, on either side. Edits wait.
        try ana.folder.write("edited meanwhile", to: "one")
        try people.expectState(.lostEnd, seenBy: ana)
        try people.expectState(.lostEnd, seenBy: bob)
        #expect(try ana.mount().work.pendingLocal == 1)
        #expect(try people.container.names(log).count == entries.count - 2)
        try ana.awaitEvent(.containerDamaged, "lost end")
        #expect(try bob.folder.tree() == bobs)
        #expect(Set(try ana.folder.tree().keys) == Set(anas.keys))
        let doctor = try bob.run("doctor")
        #expect(doctor.status == Control.ErrorCode.changeTokenExpired.exitStatus)
        #expect(doctor.text.contains("lost end: "), "\(doctor.text)")

        let plan = try bob.fails(.partialFailure, "repair", bob.folder.path)
        #expect(plan.text.contains("would be done: put entries"), "\(plan.text)")
        #expect(try people.container.names(log).count == entries.count - 2)
        try bob.cairn("repair", bob.folder.path, "--yes")
        #expect(try lost.map { try people.container.read($0) } == bytes)
        try people.settle()
        try ana.awaitEvent(.containerRepaired)
        #expect(try ana.mount().state == nil)
        try people.expectSame(count: 4)
        #expect(try bob.folder.text("one") == "edited meanwhile")
        try people.expectNoConflicts()
        try ana.cairn("verify")
        try bob.cairn("repair")
      }
    }

    @Test func `a restored container is reported as such, and everything is put back`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("before", to: "before")
        try people.settle()
        try people.root.copy("c", to: "backup")

        try ana.folder.write(Samples.noise(300_000), to: "large")
        try ana.folder.remove("before")
        try people.settle()
        // Another folder of hers makes her account grow, too.
        try people.root.make("More")
        try ana.cairn("add", people.root.path + "/More")
        try people.root.write("more", to: "More/file")
        try ana.wait()

        try people.restore()
        try people.expectState(.lostEnd, seenBy: bob)
        try people.expectState(.lostEnd, seenBy: ana)
        #expect(try ana.containerState() == .restored)
        let status = try ana.run("status").text
        #expect(status.contains("RESTORED"), "\(status)")
        try ana.awaitEvent(.containerDamaged, "restored: ")
        #expect(try bob.folder.names("").count == 2 && bob.folder.exists("large"))

        let repaired = try ana.run("repair", "--yes")
        #expect(repaired.status == 0, "\(repaired.text)\(repaired.errors)")
        try people.settle()
        try people.expectSame(count: 1)
        #expect(Set(try bob.folder.tree().keys) == ["large"])
        #expect(try ana.containerState() == nil)
        try people.expectNoConflicts()
        for person in [ana, bob] { try person.cairn("verify") }

        // A newcomer of hers finds all of it.
        try people.withDevice(of: ana) { laptop in
          try laptop.awaitEvent(.mountAdded, "/A")
          try laptop.wait()
          #expect(try laptop.folder.files().contains { $0.text.hasSuffix("/large") })
        }
      }
    }

    @Test func `two histories become one, and nothing of either is lost`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        for name: Name in ["both", "anas", "bobs", "gone", "kept"] {
          try ana.folder.write("common", to: name)
        }
        try people.settle()
        try bob.stopDaemon()
        try people.root.copy("c", to: "backup")
        // Only Ana's device ever sees these.
        try ana.folder.write("of ana", to: "both")
        try ana.folder.write("of ana", to: "anas")
        try ana.folder.write(Samples.noise(200_000), to: "new of ana")
        try ana.folder.remove("gone")
        try ana.wait()
        try ana.stopDaemon()
        try people.restore()

        try bob.startDaemon()
        try bob.folder.write("of bob", to: "both")
        try bob.folder.write("of bob", to: "bobs")
        try bob.folder.write("new", to: "new of bob")
        try bob.folder.remove("kept")
        try bob.wait()
        let epoch = try bob.zone().epoch

        try ana.startDaemon()
        let before = try ana.folder.tree()
        try people.expectState(.twoHistories, seenBy: ana)
        #expect(try ana.folder.tree() == before)
        let plan = try ana.fails(.partialFailure, "repair", ana.folder.path)
        #expect(plan.text.contains("two histories"), "\(plan.text)")
        try ana.cairn("repair", ana.folder.path, "--yes")
        try people.settle()

        try people.expectSame(count: 6)
        let tree = try ana.folder.tree().keys
        #expect(tree.count { $0.isConflictCopy } == 1)
        let texts = try tree.filter { $0.text.hasPrefix("both") }.map { try ana.folder.text($0) }
        #expect(Set(texts) == ["of ana", "of bob"])
        #expect(try bob.folder.text("anas") == "of ana")
        #expect(try ana.folder.text("bobs") == "of bob")
        #expect(try bob.folder.read("new of ana") == Samples.noise(200_000))
        #expect(ana.folder.exists("new of bob") && !ana.folder.exists("kept"))
        #expect(!bob.folder.exists("gone"))
        // No position of the log names two entries of one epoch.
        #expect(try ana.zone().epoch == epoch + 1)
        for person in [ana, bob] { try person.cairn("verify") }
      }
    }

    @Test func `a lost index and a restored container take nothing from a folder`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("old", to: "old")
        try people.settle()
        try people.root.copy("c", to: "backup")
        try ana.folder.write("new", to: "new")
        try people.settle()
        for person in [ana, bob] { try person.stopDaemon() }
        try people.restore()
        // Only the folder's own memory shows that there were entries.
        for name: Name in ["shared.sqlite", "shared.sqlite-wal", "shared.sqlite-shm"] {
          if bob.home.exists("index" / name) { try bob.home.remove("index" / name) }
        }
        try bob.startDaemon()
        try people.expectState(.lostEnd, seenBy: bob)
        #expect(try bob.folder.text("new") == "new")
        try bob.cairn("repair", bob.folder.path, "--yes")
        try bob.wait()
        #expect(try bob.folder.text("new") == "new")
        try ana.startDaemon()
        try people.expectState(.twoHistories, seenBy: ana)
        try ana.cairn("repair", "--yes")
        try people.settle()
        try people.expectSame(count: 2)
        try people.expectNoConflicts()
      }
    }

    /// Up to that position in its log, the zone isn't shared with Bob yet.
    @Test func `a log with only its beginning readable doesn't end a share`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("text", to: "file")
        try people.settle()
        let second = "c" / Name(Array(try people.entries()[1].utf8))
        try bob.stopDaemon()
        for name: Name in ["shared.sqlite", "shared.sqlite-wal", "shared.sqlite-shm"] {
          if bob.home.exists("index" / name) { try bob.home.remove("index" / name) }
        }
        try people.root.move(second, to: "hidden")
        try bob.startDaemon()
        try people.expectState(.damaged, seenBy: bob)
        #expect(try bob.folder.text("file") == "text")
        try people.root.move("hidden", to: second)
        try people.settle()
        try people.expectSame(count: 1)
        try people.expectNoConflicts()
      }
    }

    @Test func `a home that was copied to another machine is noticed; nothing is lost`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("text", to: "file")
        try people.settle()
        try ana.stopDaemon()
        try people.root.copy("ana", to: "copy")
        for file: Name in ["keys/account", "keys"] {
          try people.root.change(mode: file == "keys" ? 0o700 : 0o600, of: "copy" / file)
        }
        let copy = try Person("ana", in: people.root, folder: "A", home: "copy")
        try ana.startDaemon()
        try ana.wait()
        try copy.startDaemon()
        defer { do { try copy.killDaemon() } catch { Issue.record("\(error)") } }
        try copy.cairn("quota", copy.folder.path, "--limit", "1G")
        try ana.awaitEvent(.problem, "keys of this device")

        // It reads on, and gives the reason at each attempt to write.
        try ana.fails(
          .accountTemporarilyUnavailable, "quota", ana.folder.path, "--limit", "2G")
        let status = try ana.answer(Control.StatusReply.self, "status")
        #expect(status.problems.map(\.code) == [.accountTemporarilyUnavailable])
        // Both homes have the same folder: the copy's daemon could bring the file first.
        try copy.stopDaemon()
        try bob.folder.write("of bob", to: "of bob")
        try bob.wait()
        try ana.awaitEvent(.importEnd, after: 1)
        #expect(try ana.folder.text("of bob") == "of bob")

        try ana.stopDaemon()
        try ana.startDaemon()
        try ana.folder.write("after", to: "after")
        try people.settle()
        try people.expectSame(count: 3)
        #expect(try ana.answer(Control.StatusReply.self, "status").problems.isEmpty)
      }
    }

    @Test func `a container without an answer is offline, and returns by itself`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("text", to: "file")
        try people.settle()
        let before = try bob.folder.tree()
        try people.root.move("c", to: "away")
        try bob.folder.write("meanwhile", to: "meanwhile")
        try people.expectState(.offline, seenBy: bob)
        for (name, node) in before { #expect(try bob.folder.node(name) == node) }
        try people.root.move("away", to: "c")
        try people.settle()
        try people.expectSame(count: 2)
        #expect(try bob.mount().state == nil)
      }
    }

    @Test func `an unmounted container is offline from the start, and stays unwritten`()
      throws
    {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("text", to: "file")
        try people.settle()
        try bob.stopDaemon()
        try people.root.move("c", to: "away")
        try people.root.make("c")
        try bob.startDaemon()
        try bob.folder.write("meanwhile", to: "from bob")
        try ana.folder.write("meanwhile", to: "from ana")
        for person in [ana, bob] {
          try people.expectState(.offline, seenBy: person)
          #expect(try person.cairn("status").text.contains("no container is in it"))
        }
        #expect(try people.container.names("").isEmpty)
        #expect(try bob.folder.text("file") == "text")

        try people.root.remove("c")
        try people.root.move("away", to: "c")
        try people.settle()
        try people.expectSame(count: 3)
        // It is followed again, too.
        try ana.folder.write("later", to: "later")
        try people.settle()
        #expect(try bob.folder.text("later") == "later")
        #expect(try bob.mount().state == nil)
      }
    }
  }
}

extension TwoPeople {
  /// Returns the folder of the share's log in the container.
  func log() throws -> Name {
    let first = try #require(try entries().first)
    return Name(Array(first.utf8.prefix(first.utf8.count - 33)))
  }

  /// Returns the keys of the objects of the share's log, in the order of the log.
  func entries(of person: Person? = nil) throws -> [String] {
    let reply = try (person ?? ana).answer(
      Control.LogReply.self, "log", ana.folder.path, "--limit", "100000")
    return try reply.entries.sorted { $0.sequence < $1.sequence }.map { try #require($0.object) }
  }

  /// Restores the container's `backup`, as a person does who thinks that the container is lost.
  func restore() throws {
    // The directory stays, because it is a mount point, and somebody's shell may use it.
    for name in try container.names("") { try container.remove(name) }
    let backup = Folder(root.path + "/backup")
    for name in try backup.names("") {
      try root.move("backup" / name, to: "c" / name)
    }
  }

  /// Expects that a person's folder is in a state, now and after a restart.
  func expectState(
    _ state: Control.LogState, seenBy person: Person,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let waited = try person.run("wait", "--timeout", "1")
    #expect(
      waited.status == Control.ErrorCode.timedOut.exitStatus, "\(waited.errors)",
      sourceLocation: sourceLocation)
    let mount = try person.mount(sourceLocation: sourceLocation)
    #expect(mount.state == state, "\(mount)", sourceLocation: sourceLocation)
    #expect(
      mount.phase == (state == .offline ? .offline : .damaged), sourceLocation: sourceLocation)
    guard state != .offline else { return }
    let told = mount.problems.contains { $0.message.lowercased().hasPrefix(state.rawValue) }
    #expect(told, "\(mount.problems)", sourceLocation: sourceLocation)
  }
}

extension Person {
  /// Returns the state of the container as a whole.
  func containerState() throws -> Control.LogState? {
    try answer(Control.StatusReply.self, "status").container.state
  }

  /// Returns the person's only mirrored zone.
  func zone() throws -> Control.ZoneStatus {
    let id = try mount().zone
    let zones = try answer(Control.ZonesReply.self, "zones").zones
    return try #require(zones.first { $0.zone == id })
  }
}

enum Samples {
  /// Returns incompressible bytes, the same each time.
  static func noise(_ count: Int) -> [UInt8] {
    var state: UInt64 = 42
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
  }
}

extension Folder {
  /// Copies a directory with everything in it, as a backup does.
  func copy(_ old: Name, to new: Name) throws {
    try make(new)
    for name in try names(old) {
      switch try node(old / name).kind {
      case .directory: try copy(old / name, to: new / name)
      case .file(let bytes): try write(bytes, to: new / name)
      case .symlink, .other: continue
      }
    }
  }
}
