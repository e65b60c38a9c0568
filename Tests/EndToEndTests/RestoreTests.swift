import CairnControl
import Testing

/// Former versions of files, and their restoring, with the built programs.
extension EndToEnd {
  @Suite struct RestoreTests {
    /// Returns the last position of the log that a person knows.
    private func head(_ person: Person) throws -> String {
      "@\(try person.zone().sequence)"
    }

    private func history(
      _ person: Person, _ arguments: String...
    ) throws -> [Control.HistoryEntry] {
      let outcome = try person.run(["history"] + arguments + ["--json"])
      #expect(outcome.status == 0, "\(outcome.text)")
      return try ControlJSON.decode(Control.HistoryReply.self, from: outcome.output).entries
    }

    /// Expects that history and log show the reversal as one act.
    private func expectOneAct(
      _ person: Person, _ done: Control.RestoreReply, _ place: String
    ) throws {
      let act = try #require(done.act)
      let back = try history(person, person.folder.path).filter { $0.act != nil }
      #expect(back.count >= done.total && back.allSatisfy { $0.act == act })
      let log = try person.run("log", person.folder.path).text
      #expect(log.contains("reverted changes since entry \(place.dropFirst())"), "\(log)")
    }

    @Test func `a file's versions are listed through renames, shown and restored`()
      throws
    {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("one\n", to: "draft")
        try people.settle()
        let first = try head(ana)
        try bob.folder.write("two\n", to: "draft")
        try people.settle()
        try bob.folder.move("draft", to: "report")
        try people.settle()
        try ana.folder.remove("report")
        try people.settle()

        // The folder is younger than that. An empty history is no error.
        #expect(try history(ana, ana.folder.path, "--until", "2020-01-01").isEmpty)
        let path = ana.folder.path + "/report"
        let versions = try history(ana, path)
        #expect(versions.map(\.what) == [["deleted"], ["renamed"], ["edited"], ["made"]])
        let names = ["report", "report", "draft", "draft"].map { Array($0.utf8) }
        #expect(versions.map { $0.path?.lastName } == names)
        #expect(versions.map(\.author.handle) == ["ana", "bob", "bob", "ana"])
        #expect(versions.map(\.size) == [4, 4, 4, 4])
        #expect(
          try history(bob, bob.folder.path, "--deleted").map(\.version) == [
            versions[0].version
          ])
        #expect(try history(ana, path, "--by", "bob", "--limit", "1").map(\.what) == [["renamed"]])

        #expect(try bob.cairn("show", bob.folder.path + "/report").text == "two\n")
        #expect(try bob.cairn("show", bob.folder.path + "/draft", "--at", first).text == "one\n")
        let number = "\(versions[3].version)"
        #expect(try ana.cairn("show", path, "--version", number).text == "one\n")
        let diff = try ana.cairn("diff", path, "--at", first, "--at", "@\(versions[2].version)")
        #expect(diff.text.hasSuffix("-one\n+two\n"), "\(diff.text)")
        let listed = try ana.cairn("ls", ana.folder.path, "-0", "--at", first)
        #expect(listed.text == ana.folder.path + "/draft\0")

        let restored = try bob.answer(
          Control.RestoreReply.self, "restore", bob.folder.path + "/report")
        #expect(try !restored.applied || bob.folder.text("report") == "two\n")
        try people.settle()
        #expect(try ana.folder.text("report") == "two\n")
        try ana.fails(.invalidArguments, "restore", path)
        try ana.cairn("restore", path, "--version", number)
        try people.settle()
        #expect(try bob.folder.text("report") == "one\n")
        #expect(
          try history(bob, bob.folder.path + "/report").prefix(2).map(\.what) == [
            ["restored"], ["restored"],
          ])
        try people.expectSame(count: 1)
        try people.expectNoConflicts()
        try ana.fails(.unknownItem, "history", ana.folder.path + "/never")
        try ana.fails(.unknownItem, "restore", path, "--version", "1000000")
        try ana.fails(.invalidArguments, "show", path, "--at", "@1000000")
      }
    }

    @Test func `a deleted tree is restored as it was, and no byte is stored again`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("photos")
        for number in 0..<40 {
          let directory: Name = "photos/\(number / 10)"
          if number % 10 == 0 { try ana.folder.make(directory) }
          try ana.folder.write(Samples.noise(20_000), to: directory / "\(number)")
        }
        try ana.folder.write("before", to: "photos/gone before")
        try people.settle()
        try ana.folder.remove("photos/gone before")
        try ana.folder.write("else", to: "else")
        try people.settle()
        let before = try ana.folder.tree()
        let packs = try people.packBytes()
        try bob.folder.remove("photos")
        try people.settle()
        #expect(!ana.folder.exists("photos"))

        let plan = try ana.answer(
          Control.RestoreReply.self, "restore", ana.folder.path + "/photos", "--dry-run")
        #expect(plan.dryRun && plan.total == plan.paths.count && plan.commits == 1)
        #expect(!ana.folder.exists("photos"))
        try ana.cairn("restore", ana.folder.path + "/photos")
        try people.settle()
        #expect(Set(try ana.folder.tree().keys) == Set(before.keys))
        let after = try ana.folder.tree()
        #expect(after.allSatisfy { before[$0.key]?.kind == $0.value.kind })
        try people.expectSame(count: before.count)
        #expect(try people.packBytes() == packs)
        // It is done already.
        let again = try ana.answer(
          Control.RestoreReply.self, "restore", ana.folder.path + "/photos", "--at",
          try head(bob))
        #expect(again.total == 0 && again.commits == 0)
      }
    }

    @Test func `one device's changes are reverted, and others' unsent changes stay`()
      throws
    {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        for name: Name in ["a", "b", "c", "kept"] {
          try ana.folder.write("good \(name.text)", to: name)
        }
        try people.settle()
        let good = try head(ana)
        for name: Name in ["a", "b", "c"] { try bob.folder.write("encrypted", to: name) }
        try bob.folder.move("b", to: "b.locked")
        try bob.folder.write("pay", to: "RANSOM")
        try bob.folder.remove("kept")
        try people.settle()
        try ana.folder.write("ana's own", to: "c")
        try ana.folder.write("new", to: "new")
        try people.settle()

        let plan = try ana.answer(
          Control.RestoreReply.self, "rewind", ana.folder.path, "--to", good, "--by", "bob",
          "--dry-run")
        #expect(plan.work.map(\.author.handle) == ["bob", "ana"])
        #expect(plan.work.map(\.isUndone) == [true, false])
        #expect(plan.work[0].deleted == 1 && plan.work[1].changed == 2)
        // Bob has these changes in his folder and hasn't sent them yet.
        try bob.stopDaemon()
        try bob.folder.write("not sent yet", to: "a")
        let done = try ana.answer(
          Control.RestoreReply.self, "rewind", ana.folder.path, "--to", good, "--by", "bob")
        try bob.startDaemon()
        try people.settle()
        for person in [ana, bob] { try expectOneAct(person, done, good) }
        try people.expectSame(count: 7)
        #expect(try ana.folder.text("b") == "good b" && !ana.folder.exists("b.locked"))
        #expect(try ana.folder.text("kept") == "good kept" && !ana.folder.exists("RANSOM"))
        #expect(try ana.folder.text("c") == "ana's own" && ana.folder.text("new") == "new")
        let copies = try ana.folder.tree().keys.filter(\.isConflictCopy)
        let texts = try copies.map { try ana.folder.text($0) } + [try ana.folder.text("a")]
        #expect(Set(texts) == ["good a", "not sent yet", "good c"])
        // A directory that was deleted and created again is restored as one.
        try ana.folder.make("d")
        try ana.folder.write("first", to: "d/first")
        try people.settle()
        let second = try head(ana)
        try bob.folder.remove("d")
        try people.settle()
        try bob.folder.make("d")
        try bob.folder.write("second", to: "d/second")
        try people.settle()
        try ana.cairn("rewind", ana.folder.path + "/d", "--to", second)
        try people.settle()
        #expect(try bob.folder.names("d") == ["first"])
        #expect(try history(ana, ana.folder.path + "/d", "--by", "bob").count == 4)

        let log = try ana.zone().sequence
        try ana.cairn("rewind", ana.folder.path, "--to", good, "--by", "bob", "--device", "none")
        #expect(try ana.zone().sequence == log)
      }
    }

    @Test func `unusually many changes by a device are reported, with the remedy`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        func bursts(_ person: Person) throws -> [Control.Burst] {
          try person.answer(Control.StatusReply.self, "status").bursts
        }
        for number in 0..<120 { try ana.folder.write("good \(number)", to: "\(number)") }
        try people.settle()
        #expect(try bursts(ana).isEmpty)
        let before = try ana.folder.tree()
        for number in 0..<110 { try bob.folder.write("encrypted \(number)", to: "\(number)") }
        try people.settle()
        try ana.awaitEvent(.changesMany, "bob on ")
        let burst = try #require(try bursts(ana).first)
        #expect(burst.author.handle == "bob" && burst.all == 120)
        let status = try ana.run("status").text
        let path = ana.folder.path
        #expect(status.contains("cairn rewind \(path) --to @\(burst.before)"), "\(status)")
        try ana.cairn("rewind", path, "--to", "@\(burst.before)", "--device", burst.id)
        try people.settle()
        #expect(try ana.folder.tree() == before)
        try people.expectSame(count: 120)
        // Reverting them isn't unusual.
        #expect(try ana.count(of: Control.EventKind.changesMany.rawValue) == 1)
      }
    }

    @Test func `a reader sees the history, and restores to elsewhere`() throws {
      try TwoPeople.playSharing("read-only") { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("d")
        try ana.folder.write("one", to: "d/f")
        try people.settle()
        let first = try head(bob)
        try ana.folder.write("two", to: "d/f")
        try people.settle()
        try ana.folder.remove("d")
        try people.settle()
        #expect(try history(bob, bob.folder.path + "/d/f").count == 3)
        try bob.fails(.permissionFailure, "restore", bob.folder.path + "/d")
        try bob.fails(.permissionFailure, "rewind", bob.folder.path, "--to", first)
        let elsewhere = people.root.path + "/elsewhere"
        try bob.cairn("restore", bob.folder.path + "/d", "--at", first, "--to", elsewhere)
        #expect(try people.root.text("elsewhere/f") == "one")
        // No existing file is replaced.
        try bob.fails(
          .constraintViolation, "restore", bob.folder.path + "/d/f", "--to", elsewhere + "/f")
        try bob.fails(.constraintViolation, "restore", bob.folder.path + "/d", "--to", elsewhere)
        #expect(try people.root.text("elsewhere/f") == "one")
        #expect(!ana.folder.exists("d"))
      }
    }
  }
}

extension TwoPeople {
  /// Returns the bytes of content in the container.
  fileprivate func packBytes() throws -> Int64 {
    let reply = try ana.answer(Control.InspectReply.self, "inspect")
    return reply.users.reduce(0) { $0 + $1.bytes }
  }
}
