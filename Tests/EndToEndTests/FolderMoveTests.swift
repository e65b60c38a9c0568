import CairnControl
import Testing

extension EndToEnd {
  /// `cairn move`: a mirrored folder gets another place on its device.
  @Suite struct FolderMoveTests {
    @Test func `own and received folders move, also after the fact, and go on`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob, root) = (people.ana, people.bob, people.root)
        try ana.folder.write("1", to: "one")
        try people.settle()
        // A received folder, into another one, as mv(1) does.
        try root.make("Shared")
        try bob.cairn("move", bob.folder.path, root.path + "/Shared")
        let moved = Folder(root.path + "/Shared/B")
        #expect(!bob.folder.exists("") && moved.exists("one"))
        // An own one, by hand first.
        try root.move("A", to: "A2")
        try ana.cairn("move", ana.folder.path, root.path + "/A2")
        let own = Folder(root.path + "/A2")
        try own.write("2", to: "two")
        try moved.write("3", to: "three")
        try people.settle()
        #expect(try own.text("three") == "3" && moved.text("two") == "2")
        // The same after a restart.
        try bob.stopDaemon()
        #expect(try bob.mount().path == Control.Path(moved.path))

        // A place that can't be one changes nothing.
        for place in [moved.path + "/in", root.path + "/none/x"] {
          let outcome = try bob.run("move", moved.path, place)
          #expect(outcome.status != 0 && moved.exists("one"), "\(place)")
        }
        try own.write("4", to: "four")
        try people.settle()
        #expect(try moved.text("four") == "4")
      }
    }

    @Test func `folders move into mirrored folders and out, and stay mirrors of their own`()
      throws
    {
      try TwoPeople.playSharing { people in
        let (ana, bob, root) = (people.ana, people.bob, people.root)
        try ana.folder.make("sub")
        try ana.folder.write("1", to: "sub/one")
        for name in ["P", "Q"] {
          try root.make("\(name)")
          try bob.cairn("add", root.path + "/" + name)
        }
        try root.write("mine", to: "P/private")
        try people.settle()
        let history = try bob.cairn("history", root.path + "/P/private").text
        let packs = try Set(people.container.files(below: "users").filter(\.isPack))

        // An own folder into a received one, and that one into another own folder.
        try bob.cairn("move", root.path + "/P", bob.folder.path + "/sub")
        try bob.cairn("move", bob.folder.path, root.path + "/Q")
        let (received, own) = (Folder(root.path + "/Q/B"), Folder(root.path + "/Q/B/sub/P"))
        try people.settle()
        #expect(try Set(people.container.files(below: "users").filter(\.isPack)) == packs)
        try own.write("2", to: "more")
        try received.write("3", to: "sub/three")
        try root.write("4", to: "Q/four")
        try people.settle()
        try bob.stopDaemon()
        try ana.folder.write("5", to: "sub/five")
        try people.settle()
        let shared: Set<Name> = ["sub", "sub/one", "sub/three", "sub/five"]
        #expect(Set(try ana.folder.tree().keys.filter { !$0.starts(with: ".cairn") }) == shared)
        #expect(try received.text("sub/five") == "5")
        #expect(try Self.names(bob, own) == ["private", "more"])
        #expect(try Self.names(bob, Folder(root.path + "/Q")) == ["four"])
        let refused = try bob.run("move", own.path, root.path + "/Q/.cairn/P")
        #expect(refused.status != 0 && own.exists("more"))

        // Out again: nobody sees a deletion.
        try bob.cairn("move", own.path, root.path + "/P")
        try bob.cairn("move", received.path, bob.folder.path)
        try root.write("6", to: "P/six")
        try bob.folder.write("7", to: "sub/seven")
        try people.settle()
        #expect(
          Set(try ana.folder.tree().keys.filter { !$0.starts(with: ".cairn") })
            == shared.union(["sub/seven"]))
        #expect(try Self.names(bob, Folder(root.path + "/P")) == ["private", "more", "six"])
        #expect(try Self.names(bob, Folder(root.path + "/Q")) == ["four"])
        #expect(try bob.cairn("history", root.path + "/P/private").text == history)
      }
    }

    @Test func `a share is accepted into a mirrored folder, and a zone gets its folder there`()
      throws
    {
      try TwoPeople.play { people in
        let (ana, bob, root) = (people.ana, people.bob, people.root)
        try ana.folder.make("")
        try ana.folder.write("1", to: "one")
        let link = try ana.cairn("share", "create", ana.folder.path, "--invite", "bob").lastLine
        try root.make("P")
        try root.make("P/sub")
        try root.make("Z")
        try root.write("z", to: "Z/zed")
        try bob.cairn("add", root.path + "/P")
        let added = try bob.answer(Control.AddReply.self, "add", root.path + "/Z")
        let zone = try #require(added.mount?.zone)
        try people.settle()
        try bob.cairn("remove", root.path + "/Z")
        let refused = try bob.fails(.alreadyMirrored, "add", root.path + "/P/sub")
        #expect(refused.errors.contains("cairn share create"))

        let (team, own) = (Folder(root.path + "/P/sub/team"), Folder(root.path + "/P/own"))
        try bob.cairn("share", "accept", link, "--at", team.path, "--wait")
        try bob.cairn("add", own.path, "--zone", zone)
        try root.write("mine", to: "P/private")
        try team.write("2", to: "two")
        try people.settle()
        try bob.stopDaemon()
        try own.write("more", to: "more")
        try people.settle()
        #expect(try ana.folder.text("two") == "2" && team.text("one") == "1")
        #expect(try Self.names(bob, own) == ["zed", "more"])
        #expect(try Self.names(bob, Folder(root.path + "/P")) == ["sub", "private"])
        #expect(try Self.names(bob, Folder(root.path + "/P/sub")).isEmpty)
        #expect(try Self.names(bob, team) == ["one", "two"])
      }
    }

    /// Returns the names in the root of the zone that a folder mirrors.
    private static func names(_ person: Person, _ folder: Folder) throws -> Set<String> {
      let reply = try person.answer(Control.ListReply.self, "ls", folder.path)
      return Set(reply.entries.map { String(decoding: $0.path.lastName, as: UTF8.self) })
    }

    @Test func `people share, list, decline and accept in one command each`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.write("1", to: "one")
        let shared = try ana.cairn("share", "create", ana.folder.path, "--invite", "bob")
        #expect(shared.text.contains("Bob (bob)"))
        let mistyped = try ana.run("share", "invite", ana.folder.path, "bop")
        #expect(mistyped.errors.contains("Did you mean bob?"))
        let oneself = try ana.fails(.invalidArguments, "share", "invite", ana.folder.path, "ana")
        #expect(oneself.errors.contains("You own this share already."))
        let stranger = try ana.fails(
          .invalidArguments, "share", "transfer", ana.folder.path, "bob")
        #expect(stranger.errors.contains("hasn't accepted the share yet"))

        let waiting = try bob.answer(Control.InvitationsReply.self, "share", "accept").invitations
        let id = try #require(waiting.first?.id)
        #expect(try bob.cairn("share", "accept").text.contains("To accept one"))
        try bob.cairn("share", "decline", String(id.prefix(12)))
        #expect(try bob.cairn("share", "accept").text.contains("No invitation waits"))
        try bob.fails(.unknownItem, "share", "decline", String(id.prefix(12)))

        // A new invitation works, with its link in the pieces that a chat made of it.
        let link = try ana.cairn("share", "invite", ana.folder.path, "bob").lastLine
        #expect(link == shared.lastLine)
        let half = link.count / 2
        try bob.cairn(
          "share", "accept", String(link.prefix(half)), String(link.dropFirst(half)), "--at",
          bob.folder.path, "--wait")
        #expect(try bob.folder.text("one") == "1")
        let elsewhere = try bob.fails(
          .invalidArguments, "share", "accept", link, "--at", bob.folder.path + "2")
        #expect(elsewhere.errors.contains("cairn move"))
        let own = try ana.fails(.invalidArguments, "share", "accept", link)
        #expect(own.errors.contains("You own"))

        // Rights that others change are told, in the state and as an event.
        try ana.cairn("share", "set-permission", ana.folder.path, "bob", "read-only")
        let event = try bob.awaitEvent(.shareRights)
        #expect(event.text.contains("you can only view it now") && event.by?.handle == "ana")
        let status = try bob.answer(Control.StatusReply.self, "status")
        #expect(status.changed.map(\.text) == [event.text] && status.invitations.isEmpty)
        let overview = try bob.cairn().text
        #expect(overview.contains("storage") && overview.contains("next"))
        #expect(overview.split(separator: "\n").count == 5)
      }
    }
  }
}
