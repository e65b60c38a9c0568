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
