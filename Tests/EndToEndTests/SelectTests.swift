import CairnControl
import Testing

extension EndToEnd {
  /// `cairn select` and `cairn get`, with built programs.
  @Suite struct SelectTests {
    private static func names(_ folder: Folder) throws -> [String] {
      try folder.tree().keys.map { String(decoding: $0.bytes, as: UTF8.self) }.sorted()
    }

    @Test func `a device has what it selects, and everybody else has everything`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("docs")
        try ana.folder.make("film")
        try ana.folder.write("text", to: "docs/a")
        try ana.folder.write("a long film", to: "film/x")
        try people.settle()
        let all = try Self.names(ana.folder)

        #expect(
          try bob.cairn("select", bob.folder.path).text
            == "Everything in \(bob.folder.path) is selected.\n")
        let only = try bob.answer(
          Control.SelectReply.self, "select", bob.folder.path, "--only", "docs")
        #expect(only.selection.map(\.mark) == [.none, .all])
        #expect(only.leftOut?.files == 1 && only.leftOut?.bytes == 11)
        try bob.wait()
        #expect(try Self.names(bob.folder) == ["docs", "docs/a"])
        #expect(try Self.names(ana.folder) == all)
        #expect(try bob.mount().ignored.leftOut?.bytes == 11)
        #expect(try bob.cairn("status").text.contains("not on this device: 1 file, 11 B"))

        // It is listed, shown and explained although it isn't here.
        let film = bob.folder.path + "/film"
        let list = try bob.answer(Control.ListReply.self, "ls", bob.folder.path)
        #expect(
          list.entries.first { $0.path.description.hasSuffix("/film") }?.state == .notSelected)
        #expect(try bob.cairn("show", film + "/x").text == "a long film")
        let why = try bob.answer(Control.WhyReply.self, "why", film + "/x")
        #expect(why.now.map(\.rule) == [.notSelected])
        #expect(try bob.cairn("history", film + "/x").text.contains("ana"))

        // The selection is in the folder.
        try bob.killDaemon()
        try bob.startDaemon()
        try bob.wait()
        #expect(try Self.names(bob.folder) == ["docs", "docs/a"])

        #expect(try bob.cairn("get", film + "/x").text == "\(film)/x is here.\n")
        #expect(try bob.folder.text("film/x") == "a long film")
        try bob.cairn("select", bob.folder.path, "--all")
        try people.settle()
        try people.expectSame(count: all.count)
        try people.expectInStep()
      }
    }

    @Test func `a share is accepted, and a device joins, with a part of it`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        for name in ["docs", "film", "film/raw"] as [Name] { try ana.folder.make(name) }
        try ana.folder.write("text", to: "docs/a")
        try ana.folder.write("a long film", to: "film/raw/x")
        try ana.cairn("share", "create", ana.folder.path)
        try ana.wait()
        let link = try ana.cairn("share", "invite", ana.folder.path, "bob").lastLine
        let at = ["--at", bob.folder.path]
        let missing = try bob.fails(
          .unknownItem, ["share", "accept", link, "--only", "docs", "nosuch"] + at)
        #expect(missing.errors.contains("nosuch isn't in the share"))
        try bob.fails(.invalidArguments, ["share", "accept", link, "--only", "../x"] + at)
        #expect(!people.root.exists("B"))
        try bob.cairn(["share", "accept", link, "--only", "docs", "--wait"] + at)
        #expect(try Self.names(bob.folder) == ["docs", "docs/a"])
        // Accepting it again changes the selection.
        try bob.cairn(
          ["share", "accept", link, "--without", "film/raw", "--new-entries", "no", "--wait"] + at)
        #expect(try Self.names(bob.folder) == ["docs", "docs/a", "film"])

        try people.root.make("own")
        try bob.cairn("add", people.root.path + "/own")
        try bob.wait()
        // Only a part of one folder, and nothing of the other.
        try people.withDevice(of: bob, ["--only", "A/film"]) { laptop in
          try laptop.cairn("wait", "--timeout", "60")
          #expect(try laptop.folder.names("") == ["A"])
          let folder = Folder(laptop.folder.path + "/A")
          #expect(try Self.names(folder) == ["film", "film/raw", "film/raw/x"])
        }
      }
    }

    @Test func `rules of one device hide files there, and delete nothing`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("film")
        try ana.folder.write("a long film", to: "film/x")
        try people.settle()
        try bob.folder.write("film/\n", to: ".cairnignore.local")
        try people.settle()
        try bob.folder.remove("film")
        try people.settle()
        #expect(try ana.folder.text("film/x") == "a long film")
        #expect(try Self.names(ana.folder) == ["film", "film/x"])
        let why = try bob.answer(
          Control.WhyReply.self, "why", bob.folder.path + "/.cairnignore.local")
        #expect(why.now.map(\.rule) == [.ignored])
        try bob.folder.remove(".cairnignore.local")
        try people.settle()
        try people.expectSame(count: 2)
      }
    }

    @Test func `a selection of what isn't there is refused, and changes nothing`() throws {
      try TwoPeople.playSharing { people in
        let bob = people.bob
        try people.ana.folder.write("text", to: "a")
        try people.settle()
        let missing = try bob.fails(
          .unknownItem, "select", bob.folder.path, "--without", "nosuch")
        #expect(missing.errors.contains("\(bob.folder.path)/nosuch isn't in the share"))
        try bob.fails(.invalidArguments, "select", bob.folder.path, "--only", "/tmp")
        try bob.fails(.invalidArguments, "select", bob.folder.path + "/a", "--all")
        try bob.fails(.unknownItem, "get", bob.folder.path + "/nosuch")
        #expect(try Self.names(bob.folder) == ["a"])
      }
    }
  }
}
