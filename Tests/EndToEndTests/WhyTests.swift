import CairnControl
import Testing

extension EndToEnd {
  /// The reasons for a path's state.
  @Suite struct WhyTests {
    private func why(_ person: Person, _ path: String) throws -> Control.WhyReply {
      try person.answer(Control.WhyReply.self, "why", path)
    }

    @Test func `a file shows who made, moved and changed it, even after its deletion`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("one", to: "a")
        try people.settle()
        try bob.folder.write("two", to: "a")
        try people.settle()
        try ana.folder.move("a", to: "b")
        try people.settle()

        let reply = try why(bob, bob.folder.path + "/b")
        #expect(reply.now.map(\.rule) == [.agreed])
        #expect(reply.history.map(\.rule) == [.lastInLog, .lastInLog, .lastInLog])
        let told = reply.history.map { ($0.entry?.author?.handle, $0.entry?.changes.first?.what) }
        #expect(told.map(\.0) == ["ana", "bob", "ana"])
        #expect(told.map(\.1) == ["moved", "changed", "created"])
        let places = reply.history.compactMap { $0.entry?.sequence }
        #expect(places.count == 3 && places == places.sorted(by: >))

        try bob.folder.remove("b")
        try people.settle()
        let gone = try why(ana, ana.folder.path + "/b")
        #expect(gone.now.isEmpty && gone.record == nil)
        #expect(gone.history.first?.entry?.author?.handle == "bob")
        #expect(gone.history.first?.entry?.changes.first?.what == "deleted")
        try ana.fails(.unknownItem, "why", ana.folder.path + "/never")
      }
    }

    @Test func `all commands report the obstacle of a file`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try bob.folder.pipe("f")
        try ana.folder.write("hers", to: "f")
        try ana.wait()
        try bob.awaits("import.end")
        let ends = try bob.count(of: "import.end")
        let outcome = try bob.fails(.timedOut, "wait", "--timeout", "2")
        #expect(outcome.errors.contains("FIFO"))
        let mount = try bob.mount()
        #expect(mount.phase == .waiting)
        #expect(mount.problems.map(\.code) == [.constraintViolation])
        #expect(try why(bob, bob.folder.path + "/f").now.map(\.rule).contains(.problem))
        // Asked by a person, it was tried once more.
        #expect(try bob.count(of: "import.end") <= ends + 1)
        try bob.folder.remove("f")
        try people.settle()
        #expect(try bob.folder.text("f") == "hers")
        #expect(try bob.mount().phase == .idle)
      }
    }

    @Test func `an unmirrored path names the pattern or the reason`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        try ana.folder.write("*.o\n", to: ".cairnignore")
        try people.settle()
        try ana.folder.write("x", to: "main.o")
        try ana.folder.write("x", to: "draft~")
        try people.settle()
        let own = try why(ana, ana.folder.path + "/main.o")
        #expect(own.now.map(\.rule) == [.ignored] && own.history.isEmpty)
        #expect(own.now.first?.text.contains("`*.o` in .cairnignore") == true)
        let builtin = try why(ana, ana.folder.path + "/draft~")
        #expect(builtin.now.map(\.rule) == [.ignored])
        #expect(builtin.now.first?.text.contains("built-in pattern `*~`") == true)
        try ana.folder.make("d")
        try ana.folder.make("d/.cairn")
        let reserved = try why(ana, ana.folder.path + "/d/.cairn")
        #expect(reserved.now.map(\.rule) == [.ignored])
        #expect(reserved.now.first?.text.contains("Cairn's own") == true)
        let outside = try why(ana, "/")
        #expect(outside.now.map(\.rule) == [.notMirrored] && outside.zone == nil)
      }
    }

    @Test func `a reader's changed file reports that it was set aside, and why`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("hers", to: "a")
        try people.settle()
        try ana.cairn("share", "set-permission", ana.folder.path, "bob", "read-only")
        try people.settle()
        try bob.folder.change(mode: 0o644, of: "a")
        try bob.folder.write("his", to: "a")
        try people.settle()
        let reply = try why(bob, bob.folder.path + "/a")
        #expect(reply.now.map(\.rule).contains(.rescued))
        #expect(try bob.folder.text("a") == "hers")
        let share = try why(bob, bob.folder.path)
        let texts = share.history.flatMap { $0.entry?.changes.map(\.text) ?? [] }
        #expect(texts.contains("set bob to read-only"))
      }
    }
  }
}
