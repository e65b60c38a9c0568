import CairnControl
import Glibc
import Testing

extension EndToEnd {
  /// Folders whose files moved to another zone keep their versions and deleted files.
  @Suite struct FormerZoneTests {
    private static func history(
      _ person: Person, _ arguments: String...
    ) throws -> [Control.HistoryEntry] {
      try person.answer(Control.HistoryReply.self, ["history"] + arguments).entries
    }

    /// Returns a folder beside Ana's, with a file of three versions, and a deleted one.
    private static func mirrored(_ name: String, _ people: TwoPeople) throws -> Folder {
      let (ana, folder) = (people.ana, Folder(people.root.path + "/" + name))
      try folder.make("")
      try folder.make("in")
      try ana.cairn("add", folder.path)
      for text in ["first of \(name)", "second of \(name)", "third of \(name)"] {
        // First, so that no version of the other file is without it.
        try folder.write("lost of \(name)", to: "in/gone")
        try folder.write(text, to: "in/file")
        try ana.wait()
      }
      try folder.remove("in/gone")
      try ana.wait()
      return folder
    }

    /// Expects that Ana can list, show and restore the folder's contents from before the share.
    private static func expectPast(
      of folder: Folder, _ name: String, _ people: TwoPeople, seenBy bobs: String
    ) throws {
      let (ana, bob) = (people.ana, people.bob)
      let path = folder.path + "/in/file"
      let versions = try history(ana, path)
      #expect(versions.map(\.what) == [["edited"], ["edited"], ["made"]])
      let first = try #require(versions.last)
      #expect(try ana.cairn("show", path, "--version", first.name).text == "first of \(name)")
      let gone = try history(ana, folder.path, "--deleted")
      #expect(gone.map { $0.path?.description } == [folder.path + "/in/gone"])
      // Bob got only the present.
      #expect(try history(bob, "\(bobs)/in/file").map(\.what) == [["made"]])
      #expect(try history(bob, bobs, "--deleted").isEmpty)
      try bob.fails(.unknownItem, "restore", "\(bobs)/in/gone")
      try bob.fails(.unknownItem, "show", "\(bobs)/in/file", "--version", first.name)

      try ana.cairn("restore", folder.path + "/in/gone")
      try ana.cairn("restore", path, "--version", first.name)
      try people.settle()
      #expect(try Folder(bobs).text("in/gone") == "lost of \(name)")
      #expect(try Folder(bobs).text("in/file") == "first of \(name)")
      #expect(try history(ana, path).map(\.what).first == ["restored"])
    }

    @Test func `folders that become one share, or part of one, keep their versions`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let one = try Self.mirrored("one", people)
        let two = try Self.mirrored("two", people)
        let three = try Self.mirrored("three", people)
        let packs = try people.packs()
        try ana.cairn("share", "create", one.path, two.path, "--title", "Both")
        let link = try ana.cairn("share", "invite", ana.share(at: one.path), "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        try ana.cairn("share", "add", one.path, three.path)
        try people.settle()
        #expect(try people.packs() == packs)
        #expect(try ana.answer(Control.ZonesReply.self, "zones").zones.count == 1)
        for (folder, name) in [(one, "one"), (two, "two"), (three, "three")] {
          try Self.expectPast(of: folder, name, people, seenBy: bob.folder.path + "/" + name)
        }
        // All of it is found again without the indexes, and after a garbage collection.
        try ana.cairn("gc")
        try ana.stopDaemon()
        try ana.home.remove("index")
        try ana.startDaemon()
        try people.settle()
        let versions = try Self.history(ana, three.path + "/in/file")
        #expect(versions.map(\.what) == [["restored"], ["edited"], ["edited"], ["made"]])
        let second = try #require(versions.dropFirst(2).first)
        let shown = try ana.cairn("show", three.path + "/in/file", "--version", second.name)
        #expect(shown.text == "second of three")
        try ana.cairn("verify")
      }
    }

    @Test func `a directory goes back to before its folder came into a share`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        let one = try Self.mirrored("one", people)
        let two = try Self.mirrored("two", people)
        let first = try #require(Self.history(ana, one.path + "/in/file").last)
        try ana.cairn("share", "create", one.path, two.path, "--title", "Both")
        try one.write("fourth", to: "in/file")
        try one.write("new", to: "in/new")
        try ana.wait()
        let version = try #require(Self.history(ana, one.path + "/in/file").last)
        #expect(version.version == first.version && version.zone != nil)
        let moment = "@" + version.name
        let listed = try ana.cairn("ls", one.path, "-0", "--recursive", "--at", moment).text
        #expect(
          Set(listed.split(separator: "\0").map(String.init))
            == Set(["/in", "/in/file", "/in/gone"].map { one.path + $0 }))
        try ana.cairn("rewind", one.path, "--to", moment)
        try ana.wait()
        #expect(try one.text("in/file") == "first of one" && !one.exists("in/new"))
        #expect(try one.text("in/gone") == "lost of one")
        #expect(try two.text("in/file") == "third of two")
        try ana.cairn("rewind", one.path, "--to", "@\(version.name)", "--dry-run")
      }
    }

    @Test func `changes in a shared folder are kept when the share stops`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        for name: Name in ["", "a", "a/trip"] { try ana.folder.make(name) }
        try ana.cairn("add", ana.folder.path)
        try ana.folder.write("private", to: "a/trip/file")
        try ana.folder.write("before", to: "a/trip/early")
        try ana.wait()
        try ana.folder.remove("a/trip/early")
        try ana.wait()
        let path = ana.folder.path + "/a/trip"
        try ana.cairn("share", "create", path)
        let link = try ana.cairn("share", "invite", path, "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        // While it is shared, her own history belongs to her.
        #expect(try Self.history(ana, path + "/file").map(\.what) == [["made"]])
        let gone = try Self.history(ana, path, "--deleted").map { $0.path?.description }
        #expect(gone == [path + "/early"])
        #expect(try Self.history(bob, bob.folder.path, "--deleted").isEmpty)
        try bob.folder.write("of bob", to: "file")
        try people.settle()
        try bob.folder.write("lost of bob", to: "gone")
        try people.settle()
        try bob.folder.remove("gone")
        try people.settle()
        try ana.cairn("share", "stop", path)
        try ana.wait()
        try ana.folder.write("afterwards", to: "a/trip/file")
        try ana.wait()

        let versions = try Self.history(ana, path + "/file")
        #expect(versions.map(\.what) == [["edited"], ["edited"], ["made"]])
        #expect(versions.map(\.author.handle) == ["ana", "bob", "ana"])
        let shown = try ana.cairn("show", path + "/file", "--version", versions[1].name)
        #expect(shown.text == "of bob")
        let lost = try Self.history(ana, path, "--deleted").map { $0.path?.description }
        #expect(lost == ["/gone", "/early"].map { path + $0 })
        try ana.cairn("restore", path + "/gone")
        try ana.cairn("restore", path + "/early")
        try ana.wait()
        #expect(try ana.folder.text("a/trip/gone") == "lost of bob")
        #expect(try ana.folder.text("a/trip/early") == "before")
        #expect(try ana.answer(Control.ZonesReply.self, "zones").zones.count == 1)
      }
    }

    @Test func `entries that move between folders keep their versions and bytes`()
      throws
    {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let one = try Self.mirrored("one", people)
        try one.write(Samples.noise(300_000), to: "in/large")
        try ana.wait()
        let packs = try people.packs()
        try one.move("in", to: "../A/in")
        try people.settle()
        #expect(try bob.folder.text("in/file") == "third of one")
        #expect(try bob.folder.read("in/large") == Samples.noise(300_000))
        #expect(try people.packs() == packs)
        let path = ana.folder.path + "/in/file"
        let versions = try Self.history(ana, path)
        #expect(versions.map(\.what) == [["edited"], ["edited"], ["made"]])
        let first = try #require(versions.last)
        #expect(try ana.cairn("show", path, "--version", first.name).text == "first of one")
        #expect(try Self.history(bob, bob.folder.path + "/in/file").map(\.what) == [["made"]])
        try bob.fails(.unknownItem, "restore", bob.folder.path + "/in/gone")
        try ana.cairn("restore", ana.folder.path + "/in/gone")
        try people.settle()
        #expect(try bob.folder.text("in/gone") == "lost of one")

        // Back again, with Bob's changes from meanwhile.
        try bob.folder.write("of bob", to: "in/file")
        try people.settle()
        try ana.folder.move("in", to: "../one/in")
        try people.settle()
        #expect(!bob.folder.exists("in"))
        let all = try Self.history(ana, one.path + "/in/file")
        #expect(all.map(\.author.handle) == ["bob", "ana", "ana", "ana"])
        // Two names of one file are two files.
        try one.write("linked", to: "linked")
        try ana.wait()
        try one.hardLink("linked", to: "../A/linked")
        try people.settle()
        #expect(try bob.folder.text("linked") == "linked" && one.exists("linked"))
        #expect(try Self.history(ana, ana.folder.path + "/linked").map(\.what) == [["made"]])
      }
    }

    @Test func `a file that moved away is restored as another file`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob, own) = (people.ana, people.bob, Folder(people.root.path + "/own"))
        try own.make("")
        try own.make("in")
        try ana.cairn("add", own.path)
        for name: Name in ["file", "in/deep"] { try own.write("first", to: name) }
        try ana.wait()
        try #require(rename(own.path + "/in", ana.folder.path + "/moved") == 0)
        try #require(rename(own.path + "/file", ana.folder.path + "/file") == 0)
        try people.settle()
        try ana.cairn("restore", own.path + "/file")
        try ana.cairn("restore", own.path + "/in")
        try ana.wait()
        #expect(try own.text("file") == "first" && own.text("in/deep") == "first")
        let versions = try Self.history(ana, own.path + "/file").map(\.what)
        #expect(versions == [["made"], ["deleted"], ["made"]])
        // Both are in one zone later.
        try ana.cairn("share", "add", ana.folder.path, own.path)
        try people.settle()
        try own.write("second", to: "file")
        try own.write("second", to: "in/deep")
        try people.settle()
        for (name, text) in [
          ("own/file", "second"), ("own/in/deep", "second"), ("file", "first"),
          ("moved/deep", "first"),
        ] as [(Name, String)] { #expect(try bob.folder.text(name) == text) }
        try ana.cairn("verify")
      }
    }
  }
}
