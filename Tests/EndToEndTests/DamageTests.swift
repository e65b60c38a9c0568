import CairnControl
import Glibc
import Testing

extension EndToEnd {
  @Suite struct DamageTests {
    enum Harm: CaseIterable { case flip, cut, remove }

    @Test(arguments: Harm.allCases)
    func `a damaged pack is named, nobody applies it, and the rest goes on`(
      _ harm: Harm
    ) throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.write(Samples.noise(300_000), to: "large")
        try ana.cairn("share", "create", ana.folder.path)
        try ana.wait()
        // It is in a commit of its own, and therefore not in the pack.
        try ana.folder.write("small", to: "small")
        try ana.wait()
        try ana.cairn("verify")
        let packs = try people.container.files(below: "users").filter(\.isPack)
        let pack = try #require(packs.first)
        switch harm {
        case .flip: try people.container.flip(pack)
        case .cut: try people.container.truncate(pack, to: 1000)
        case .remove: try people.container.remove(pack)
        }
        try people.expectDamage(of: pack, seenBy: ana)

        let link = try ana.cairn(
          "share", "invite", ana.folder.path, "bob", "--permission", "read-write"
        ).lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path)
        try ana.folder.write("later", to: "later")
        try ana.wait()
        let waited = try bob.run("wait", "--timeout", "2")
        #expect(waited.status == Control.ErrorCode.timedOut.exitStatus)
        #expect(waited.errors.contains("/large"))
        #expect(try bob.folder.text("small") == "small")
        #expect(try bob.folder.text("later") == "later")
        #expect(!bob.folder.exists("large"))
        let problems = try bob.mount().problems
        #expect(problems.contains { $0.path?.text == bob.folder.path + "/large" }, "\(problems)")
      }
    }

    @Test func `a device can't restore bytes that it lacks, and names those who may`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write(Samples.noise(300_000), to: "large")
        try people.settle()
        for pack in try people.container.files(below: "users").filter(\.isPack) {
          try people.container.truncate(pack, to: 1000)
        }
        let damaged = try bob.run("verify")
        #expect(damaged.text.contains("affects \(bob.folder.path)/large"), "\(damaged.text)")
        #expect(damaged.text.contains("cairn repair"), "\(damaged.text)")
        try people.withDevice(of: ana) { laptop in
          try laptop.awaitEvent(.mountAdded, "/A")
          let refused = try laptop.fails(.partialFailure, "repair", "--yes")
          #expect(refused.text.contains("can't be done here"), "\(refused.text)")
          #expect(refused.text.contains("a device whose folder has these files"))
          try bob.cairn("repair", "--yes")
          try laptop.wait()
          #expect(try laptop.folder.read("A/large") == Samples.noise(300_000))
        }
        for person in [ana, bob] { try person.cairn("verify") }
      }
    }

    @Test func `chunks are restored in their places by a device that has the file`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write(Samples.noise(300_000), to: "large")
        let words = String(repeating: "the same words again and again, ", count: 40_000)
        try ana.folder.write(words + "\(Samples.noise(30_000))", to: "text")
        try people.settle()
        for pack in try people.container.files(below: "users").filter(\.isPack) {
          try people.container.remove(pack)
        }
        try bob.cairn("repair", bob.folder.path, "--yes")
        for person in [ana, bob] { try person.cairn("verify", "--folder") }
        try people.withDevice(of: ana) { laptop in
          try laptop.awaitEvent(.mountAdded, "/A")
          try laptop.wait()
          #expect(try laptop.folder.read("A/large") == Samples.noise(300_000))
          #expect(try laptop.folder.read("A/text") == ana.folder.read("text"))
        }
      }
    }

    @Test func `nobody sees a stranger's objects in a log, and nothing stops`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("before", to: "before")
        try people.settle()
        let log = try people.log()
        // Names of the right form. One object is an entry of the same log.
        let own = try people.container.read(Name(Array((try people.entries().last ?? "").utf8)))
        for (number, bytes) in [Samples.noise(500), own, []].enumerated() {
          let digits = String(repeating: "\(number)", count: 32)
          try people.container.write(bytes, to: log / Name(Array(digits.utf8)))
        }
        try people.container.make(log / "00000000000000000009")

        try ana.folder.write("of ana", to: "of ana")
        try bob.folder.write("of bob", to: "of bob")
        try bob.folder.write("after", to: "before")
        try people.settle()
        #expect(Set(try ana.folder.tree().keys) == ["before", "of ana", "of bob"])
        try people.expectSame(count: 3)
        try people.expectNoConflicts()
        for person in [ana, bob] { try person.cairn("verify") }
      }
    }

    @Test func `a flipped byte in an old commit is named, and stops nothing`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        for name: Name in ["first", "second", "third"] {
          try ana.folder.write("before", to: name)
          try people.settle()
        }
        try bob.cairn("verify")
        let entries = try people.entries()
        let entry = Name(Array(entries[entries.count - 2].utf8))
        try people.container.flip(entry)
        for person in [ana, bob] { try people.expectDamage(of: entry, seenBy: person) }
        try bob.folder.write("after", to: "first")
        try ana.folder.write("after", to: "fourth")
        try people.settle()
        try people.expectSame(count: 4)
        #expect(try ana.folder.text("first") == "after")
      }
    }

    @Test func `an object in the place of an entry is named, and taken away`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("first", to: "first")
        try people.settle()
        try bob.stopDaemon()
        try ana.folder.write("second", to: "second")
        try ana.wait()
        // The writer is allowed to do this. For Bob it is the next place, with garbage in it.
        let last = Name(Array((try people.entries().last ?? "").utf8))
        try people.container.remove(last)
        try people.container.write(Samples.noise(300), to: last)
        try bob.startDaemon()
        try people.expectState(.held, seenBy: bob)
        let status = try bob.run("status").text
        #expect(status.contains(last.text), "\(status)")
        // All stop there, and verify reports the same as status.
        let verified = try bob.fails(.assetNotAvailable, "verify").text
        #expect(verified.contains(last.text) && verified.contains("cairn repair"), "\(verified)")
        #expect(!verified.contains("Nothing has to be done"), "\(verified)")
        try bob.folder.write("of bob", to: "of bob")
        let plan = try bob.fails(.partialFailure, "repair", bob.folder.path)
        #expect(plan.text.contains("take \(last.text) away"), "\(plan.text)")
        // Ana has read the entry there, and puts it back.
        try people.expectState(.damaged, seenBy: ana)
        try ana.cairn("repair", "--yes")
        try people.settle()
        try people.expectSame(count: 3)
        for person in [ana, bob] { try person.cairn("verify") }
      }
    }
  }
}

extension Name {
  var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension TwoPeople {
  /// Expects that `cairn verify` fails, and names the object to people and to programs.
  func expectDamage(
    of object: Name, seenBy person: Person, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let shown = try person.run("verify")
    #expect(
      shown.status == Control.ErrorCode.assetNotAvailable.exitStatus,
      "\(shown.text)\(shown.errors)", sourceLocation: sourceLocation)
    #expect(
      shown.text.contains("damaged: \(object.text) "), "\(shown.text)",
      sourceLocation: sourceLocation)
    let told = try person.run("verify", "--json")
    let reply = try ControlJSON.decode(Control.VerifyReply.self, from: told.output)
    #expect(
      Set(reply.damage.map(\.object)) == [object.text], "\(told.text)",
      sourceLocation: sourceLocation)
    #expect(
      reply.damage.allSatisfy { $0.message.hasPrefix(object.text + " ") }, "\(told.text)",
      sourceLocation: sourceLocation)
  }
}
