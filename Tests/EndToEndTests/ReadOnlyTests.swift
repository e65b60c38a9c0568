import CairnControl
import Testing

extension EndToEnd {
  @Suite struct ReadOnlyTests {
    @Test func `a reader's forced changes are set aside, and the rest goes on`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.make("d")
        for name: Name in ["plan", "d/deleted", "d/moved", "d/kept"] {
          try ana.folder.write("shared", to: name)
        }
        try people.share("read-only")
        #expect(try bob.mount().permission == .readOnly)

        try bob.folder.write("forced", to: "plan")
        try bob.folder.write("new of bob", to: "d/new")
        try bob.folder.remove("d/deleted")
        try bob.folder.move("d/moved", to: "elsewhere")
        try bob.wait()
        #expect(try bob.folder.text("plan") == "shared")
        try people.expectSame(count: 5, writable: false)
        #expect(Set(try ana.folder.tree().keys) == ["plan", "d", "d/deleted", "d/moved", "d/kept"])

        let rescued = try bob.mount().rescued
        for (name, text) in [("plan", "forced"), ("d/new", "new of bob")] {
          let entry = try #require(rescued.first { $0.of.text == bob.folder.path + "/" + name })
          #expect(entry.path.text?.hasPrefix(bob.folder.path + "/.cairn/rescue/") == true)
          let place = entry.path.bytes.dropFirst(bob.folder.path.utf8.count + 1)
          #expect(try bob.folder.text(Name(Array(place))) == text)
          #expect(entry.reason.contains("read-only"))
        }
        #expect(rescued.count == 2)

        try ana.folder.write("shared anew", to: "plan")
        try ana.folder.write("one more", to: "d/more")
        try people.settle()
        #expect(try bob.folder.text("plan") == "shared anew")
        try people.expectSame(count: 6, writable: false)
        // Rescued bytes are found again after a start.
        try bob.stopDaemon()
        try bob.startDaemon()
        try bob.wait()
        #expect(Set(try bob.mount().rescued.map(\.path)) == Set(rescued.map(\.path)))
      }
    }

    @Test func `an entry that is moved in and put back was never deleted for others`() throws {
      try TwoPeople.playSharing("read-only") { people in
        let (ana, bob) = (people.ana, people.bob)
        let own: Name = "own"
        try people.root.make(own)
        let folder = Folder(people.root.path + "/own")
        try bob.cairn("share", "create", folder.path)
        let link = try bob.cairn(
          "share", "invite", folder.path, "ana", "--permission", "read-write"
        ).lastLine
        try ana.cairn("share", "accept", link, "--at", people.root.path + "/gift", "--wait")
        let seen = Folder(people.root.path + "/gift")
        for number in 0..<10 {
          let name: Name = "f\(number)"
          try folder.write("text \(number)", to: name)
          try people.settle()
          try people.root.move(own / name, to: "B" / name)
          try people.settle()
          #expect(try folder.text(name) == "text \(number)")
          #expect(try seen.text(name) == "text \(number)")
        }
        let log = try bob.answer(Control.LogReply.self, "log", folder.path, "--limit", "1000")
        let deleted = log.entries.flatMap(\.changes).count { $0.what == "deleted" }
        #expect(deleted == 0)
      }
    }

    @Test func `two forced edits of one file are both kept`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.write("shared", to: "plan")
        try people.share("read-only")
        for text in ["first", "second"] {
          try bob.folder.write(text, to: "plan")
          try bob.wait()
          #expect(try bob.folder.text("plan") == "shared")
        }
        let kept = try bob.folder.files(below: ".cairn/rescue").map { try bob.folder.text($0) }
        #expect(kept.sorted() == ["first", "second"])
        #expect(try bob.mount().rescued.count == 2)
        #expect(try ana.folder.text("plan") == "shared")
      }
    }

    /// The change needs no new acceptance, and no restart.
    @Test func `files show their person's permission to write, from the change on`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.make("d")
        try ana.folder.write("text", to: "d/plain")
        try ana.folder.write("program", to: "run")
        try ana.folder.change(mode: 0o755, of: "run")
        try people.share("read-only")
        #expect(try bob.folder.node("d/plain").mode == 0o444)
        #expect(try bob.folder.node("run").mode == 0o555)
        #expect(try bob.folder.node("d").mode & 0o200 != 0)
        try ana.folder.write("later", to: "later")
        try ana.folder.write("text two", to: "d/plain")
        try people.settle()
        try people.expectSame(count: 4, writable: false)
        // A forced mode is restored, and is no edit.
        try bob.folder.change(mode: 0o644, of: "later")
        try bob.wait()
        #expect(try bob.folder.node("later").mode == 0o444)
        #expect(try bob.mount().rescued.isEmpty)

        try ana.cairn("share", "invite", ana.folder.path, "bob", "--permission", "read-write")
        try people.settle()
        try people.expectSame(count: 4)
        let before = try bob.mount().sequence
        try bob.folder.write("by bob", to: "later")
        try people.settle()
        #expect(try ana.folder.text("later") == "by bob")
        #expect(try bob.mount().sequence == before + 1)

        try bob.stopDaemon()
        try ana.cairn("share", "invite", ana.folder.path, "bob", "--permission", "read-only")
        try bob.startDaemon()
        try people.settle()
        try people.expectSame(count: 4, writable: false)
        try bob.folder.write("by force", to: "later")
        try people.settle()
        #expect(try bob.folder.text("later") == "by bob")
        #expect(try bob.mount().rescued.count == 1)
        try people.expectSame(count: 4, writable: false)
      }
    }
  }
}
