import CairnControl
import Testing

extension EndToEnd {
  /// `cairn drop`, with built programs.
  @Suite struct DropTests {
    @Test func `files from people with a link wait until their owner decides`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let path = ana.folder.path
        let made = try ana.answer(
          Control.DropsReply.self, "drop", "create", path, "--max-size", "1k", "--until", "7d")
        let box = try #require(made.boxes.first)
        #expect(box.path == Control.Path(path) && box.maxFiles == 20 && box.more == 0)
        try ana.fails(.unknownItem, "drop", "create", people.root.path)
        try people.root.write("a letter", to: "letter")
        try people.root.write(String(repeating: "x", count: 1_001), to: "large")
        let letter = people.root.path + "/letter"
        let sent = try bob.answer(Control.PutReply.self, "drop", "put", box.link, letter)
        #expect(sent.owner.handle == "ana" && sent.files.map(\.name) == ["letter"])
        try ana.awaitEvent(.dropReceived)
        #expect(try ana.cairn("status").text.contains("1 file waits in your drop boxes"))
        try bob.cairn("drop", "put", box.link, letter, "--anonymous")
        try bob.fails(.limitExceeded, "drop", "put", box.link, people.root.path + "/large")
        try bob.fails(.invalidArguments, "drop", "put", "cairn:share/abc", letter)
        try bob.fails(.invalidArguments, "share", "accept", box.link)
        #expect(try bob.answer(Control.DropsReply.self, "drop", "list").boxes.isEmpty)

        let listed = try ana.answer(Control.DropsReply.self, "drop", "list")
        #expect(listed.drops.count == 2 && listed.drops.allSatisfy { $0.state == .complete })
        #expect(Set(listed.drops.map(\.from?.handle)) == ["bob", nil])
        #expect(try ana.cairn("drop", "list", "--links").text.contains(box.link))
        // The folder has a file of that name, which isn't replaced.
        try ana.folder.write("another letter", to: "letter")
        let named = try #require(listed.drops.first { $0.from != nil })
        let accepted = try ana.answer(Control.DropsReply.self, "drop", "accept", named.id)
        #expect(accepted.accepted.map(\.path) == [Control.Path(path + "/letter 2")])
        try people.settle()
        #expect(try bob.folder.text("letter 2") == "a letter")
        #expect(try bob.folder.text("letter") == "another letter")
        try ana.fails(.unknownItem, "drop", "accept", named.id)
        // A name that is never mirrored would be on this device alone.
        try people.root.write("a part", to: "x.part")
        try bob.cairn("drop", "put", box.link, people.root.path + "/x.part")
        let outcome = try ana.run("drop", "accept", "--all", "--json")
        #expect(outcome.status == Control.ErrorCode.invalidArguments.exitStatus)
        let both = try ControlJSON.decode(Control.DropsReply.self, from: outcome.output)
        #expect(both.accepted.map(\.path) == [Control.Path(path + "/letter 3")])
        #expect(both.problems.map(\.code) == [.invalidArguments])
        #expect(both.drops.map(\.name) == ["x.part"])
        let rest = try ana.answer(Control.DropsReply.self, "drop", "discard", "--all")
        #expect(rest.drops.isEmpty)
        #expect(try ana.cairn("drop", "discard", "--all").text == "No file waits.\n")
        try ana.cairn("drop", "end", box.id, "--yes")
        try bob.fails(.permissionFailure, "drop", "put", box.link, letter)
        #expect(try ana.cairn("drop", "list").text.contains("You have no drop box"))
      }
    }
  }
}
