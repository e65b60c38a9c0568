import CairnControl
import Testing

extension EndToEnd {
  /// Whoever is refused a place has accepted, joined, founded and made nothing.
  @Suite struct AcceptPlaceTests {
    private func accepted(_ people: TwoPeople) throws -> [String?] {
      let reply = try people.ana.answer(
        Control.ParticipantsReply.self, "share", "participants", people.ana.folder.path)
      return reply.participants.filter { $0.acceptance == .accepted }.map(\.handle)
    }

    @Test func `a place that is refused leaves the link and the invitation as they were`() throws {
      try TwoPeople.play { people in
        let (ana, bob, root) = (people.ana, people.bob, people.root)
        try ana.folder.make("")
        try ana.folder.write("x", to: "file")
        try ana.cairn("share", "create", ana.folder.path)
        try ana.cairn("share", "invite", ana.folder.path, "bob")
        let once = try ana.cairn(
          "share", "invite", ana.folder.path, "--link", "--print-link"
        ).lastLine
        let invited = try #require(
          bob.answer(Control.InvitationsReply.self, "share", "invitations").invitations.first)
        try bob.folder.make("")
        try bob.folder.write("here already", to: "other")
        try root.write("a file", to: "plain")
        try root.make("mirrored")
        try bob.cairn("add", root.path + "/mirrored")
        let places: [(String, Control.ErrorCode)] = [
          ("B", .invalidArguments), ("plain", .invalidArguments), ("plain/x", .invalidArguments),
          ("missing/x", .invalidArguments), ("c/x", .invalidArguments),
          ("bob/keys/x", .invalidArguments), ("mirrored", .alreadyMirrored),
          ("mirrored/x", .alreadyMirrored),
        ]
        for (place, code) in places {
          for invitation in [once, invited.id] {
            try bob.fails(code, "share", "accept", invitation, "--at", "\(root.path)/\(place)")
          }
        }
        #expect(try accepted(people) == ["ana"])
        #expect(!root.exists("mirrored/x") && !root.exists("c/x"))
        // The link is still good for the one who uses it first.
        let carol = try Person("carol", in: root, folder: "C")
        defer { people.end(carol) }
        try carol.fails(
          .invalidArguments, "share", "accept", once, "--name", "Carol", "--handle", "carol",
          "--at", bob.folder.path)
        #expect(!root.exists("carol/cairn.conf"))
        try carol.cairn(
          "share", "accept", once, "--name", "Carol", "--handle", "carol", "--at",
          carol.folder.path, "--wait")
        #expect(try carol.folder.text("file") == "x")
        try ana.wait()
        #expect(try accepted(people) == ["ana", "carol"])
      }
    }

    @Test func `who isn't let in finds their folder as it was`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        let link = try ana.answer(
          Control.ShareReply.self, "share", "create", ana.folder.path
        ).share.link
        try bob.folder.make("")
        let outcome = try bob.run("share", "accept", link, "--at", bob.folder.path)
        #expect(outcome.status != 0)
        #expect(try bob.folder.names("").isEmpty)
      }
    }

    @Test func `without --at a name that is taken gets a number`() throws {
      try TwoPeople.play { people in
        let (ana, bob, root) = (people.ana, people.bob, people.root)
        try ana.folder.make("")
        try ana.folder.write("x", to: "file")
        try ana.cairn("share", "create", ana.folder.path)
        let link = try ana.cairn("share", "invite", ana.folder.path, "bob").lastLine
        try root.make("bob.out/A")
        try root.write("mine", to: "bob.out/A/own")
        let reply = try bob.answer(Control.AcceptReply.self, "share", "accept", link, "--wait")
        #expect(reply.mount.path == Control.Path(root.path + "/bob.out/A 2"))
        #expect(try root.text("bob.out/A 2/file") == "x")
        #expect(try root.text("bob.out/A/own") == "mine")
      }
    }

    @Test func `a refused mirror leaves no zone, and founds no public database`() throws {
      try TwoPeople.play { people in
        let (ana, root) = (people.ana, people.root)
        #expect(try ana.run("add", "/proc").status != 0)
        #expect(try ana.answer(Control.ZonesReply.self, "zones").zones.isEmpty)
        try root.make("full")
        try root.write("x", to: "full/file")
        try ana.fails(.invalidArguments, "public", "mount", root.path + "/full")
        #expect(try ana.answer(Control.ZonesReply.self, "zones").zones.isEmpty)
        try ana.cairn("public", "mount", root.path + "/public")
        #expect(try ana.answer(Control.ZonesReply.self, "zones").zones.count == 1)
      }
    }

    @Test func `a device whose folders would have no place doesn't join`() throws {
      try TwoPeople.play { people in
        let (ana, root) = (people.ana, people.root)
        let code = try ana.cairn("device", "link").lastLine
        try root.write("a file", to: "plain")
        let second = try Person("ana", in: root, folder: "A2", home: "ana2")
        defer { people.end(second) }
        try second.fails(
          .invalidArguments, "device", "join", code, "--at", root.path + "/plain")
        let devices = try ana.answer(Control.DeviceListReply.self, "device", "list").devices
        #expect(devices.count == 1)
        #expect(!root.exists("ana2/cairn.conf"))
      }
    }
  }
}
