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

    @Test func `people share, list, decline and accept in one command each`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.write("1", to: "one")
        let shared = try ana.cairn("share", "create", ana.folder.path, "--invite", "bob")
        #expect(shared.text.contains("is shared with Bob (bob)"))
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
