import CairnControl
import Testing

extension EndToEnd {
  /// After the path was refused, nothing is accepted, joined, founded or created.
  @Suite struct AcceptPlaceTests {
    private func accepted(_ people: TwoPeople) throws -> [String?] {
      let reply = try people.ana.answer(
        Control.ParticipantsReply.self, "share", "participants", people.ana.folder.path)
      return reply.participants.filter { $0.acceptance == .accepted }.map(\.handle)
    }

    @Test func `a refused place leaves the link and the invitation as they were`() throws {
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
        try root.make("mirrored/there")
        try bob.cairn("add", root.path + "/mirrored")
        let places: [(String, Control.ErrorCode)] = [
          ("B", .invalidArguments), ("plain", .invalidArguments), ("plain/x", .invalidArguments),
          ("missing/x", .invalidArguments), ("c/x", .invalidArguments),
          ("bob/keys/x", .invalidArguments), ("mirrored", .alreadyMirrored),
          ("mirrored/there", .alreadyMirrored), ("mirrored/.cairn/x", .alreadyMirrored),
        ]
        for (place, code) in places {
          for invitation in [once, invited.id] {
            try bob.fails(code, "share", "accept", invitation, "--at", "\(root.path)/\(place)")
          }
        }
        #expect(try accepted(people) == ["ana"])
        #expect(!root.exists("mirrored/x") && !root.exists("c/x"))
        // The link is still valid for the first person who uses it.
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

    @Test func `a person who isn't let in finds their folder unchanged`() throws {
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
        try root.make("bob.out/Cairn")
        try root.make("bob.out/Cairn/A")
        try root.write("mine", to: "bob.out/Cairn/A/own")
        let reply = try bob.answer(Control.AcceptReply.self, "share", "accept", link, "--wait")
        #expect(reply.mount.path == Control.Path(root.path + "/bob.out/Cairn/A 2"))
        #expect(try root.text("bob.out/Cairn/A 2/file") == "x")
        #expect(try root.text("bob.out/Cairn/A/own") == "mine")
      }
    }

    @Test func `without --at it goes to one folder, whatever the title is`() throws {
      try TwoPeople.play { people in
        let (ana, bob, root) = (people.ana, people.bob, people.root)
        let titles: [(String, String)] = [
          ("bin", "bin"), ("../.config/autostart", "config-autostart"), ("bin", "bin 2"),
          (".ssh", "ssh"),
        ]
        for (number, (title, name)) in titles.enumerated() {
          let folder: Name = "share \(number)"
          try root.make(folder)
          try root.write("x", to: folder / "file")
          let path = "\(root.path)/share \(number)"
          try ana.cairn("share", "create", path, "--title", title)
          let link = try ana.cairn("share", "invite", path, "bob").lastLine
          let plan = try bob.answer(
            Control.OfferReply.self, "share", "accept", link, "--dry-run")
          let place = root.path + "/bob.out/Cairn/" + name
          #expect(plan.at.text == place && plan.title == title && !plan.isAccepted)
          #expect(plan.amount == Control.Amount(files: 1, directories: 0, bytes: 1))
          #expect(!root.exists(Name("bob.out/Cairn/\(name)")))
          let reply = try bob.answer(Control.AcceptReply.self, "share", "accept", link, "--wait")
          #expect(reply.mount.path.text == place)
          let after = try bob.answer(
            Control.OfferReply.self, "share", "accept", link, "--dry-run")
          #expect(after.isAccepted && after.at.text == place)
        }
        #expect(Set(try root.names("bob.out")) == ["out", "err", "Cairn"])
      }
    }

    @Test func `a place that can't hold shares is refused before anything is accepted`() throws {
      try TwoPeople.play { people in
        let (ana, bob, root) = (people.ana, people.bob, people.root)
        try ana.folder.make("")
        try ana.cairn("share", "create", ana.folder.path)
        let once = try ana.cairn(
          "share", "invite", ana.folder.path, "--link", "--print-link"
        ).lastLine
        func refused(_ code: Control.ErrorCode, _ words: String) throws {
          for dry in [[], ["--dry-run"]] {
            let outcome = try bob.run(["share", "accept", once] + dry)
            #expect(outcome.status == code.exitStatus, "\(outcome.errors)")
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
            #expect(outcome.errors.contains("--at DIR"), "\(outcome.errors)")
          }
        }
        try root.make("elsewhere")
        try root.link("bob.out/Cairn", to: "../elsewhere")
        try refused(.invalidArguments, "is a symbolic link to \(root.path)/elsewhere")
        try root.remove("bob.out/Cairn")
        try root.write("a file", to: "bob.out/Cairn")
        try refused(.invalidArguments, "is no folder")
        try root.remove("bob.out/Cairn")
        try root.make("bob.out/Cairn")
        try bob.cairn("add", root.path + "/bob.out/Cairn")
        try refused(.alreadyMirrored, "mirrored already")
        #expect(try accepted(people) == ["ana"])
        #expect(try root.names("elsewhere").isEmpty)
        try bob.cairn("share", "accept", once, "--at", bob.folder.path)
        #expect(try accepted(people) == ["ana", "bob"])
      }
    }

    @Test func `a click shows the owner and the share, and asks`() throws {
      try TwoPeople.play { people in
        let (ana, bob, root) = (people.ana, people.bob, people.root)
        try ana.folder.make("")
        try ana.folder.write("12345", to: "file")
        try ana.cairn("share", "create", ana.folder.path)
        let link = try ana.cairn(
          "share", "invite", ana.folder.path, "--link", "--print-link"
        ).lastLine
        // Without a terminal nobody can be asked.
        try bob.fails(.invalidArguments, "share", "accept", "--ask", link)
        func click(_ answer: String) throws -> String {
          let command =
            "printf '\(answer)\\n\\n' | script -qec \"'$0' share accept --ask '$1'\" "
            + "/dev/null"
          return try bob.run(program: "/bin/sh", "-c", command, bob.program, link).text
        }
        let declined = try click("n")
        for words in ["Ana Äpfel (ana), ", "not verified", "1 file", "5 B", "bob.out/Cairn/A"] {
          #expect(declined.contains(words), "\(declined)")
        }
        #expect(declined.contains("Nothing was accepted."), "\(declined)")
        #expect(try accepted(people) == ["ana"])
        #expect(!root.exists("bob.out/Cairn"))
        let agreed = try click("y")
        #expect(agreed.contains("is at \(root.path)/bob.out/Cairn/A"), "\(agreed)")
        #expect(try accepted(people) == ["ana", "bob"])
      }
    }

    @Test func `a refused mirror leaves no zone, and founds no public database`() throws {
      try TwoPeople.play { people in
        let (ana, root) = (people.ana, people.root)
        let refused = try ana.fails(.unknownItem, "add", "/proc", "--sensitive")
        #expect(refused.errors.contains("Can't mirror /proc: "), "\(refused.errors)")
        #expect(try ana.answer(Control.ZonesReply.self, "zones").zones.isEmpty)
        try root.make("full")
        try root.write("x", to: "full/file")
        try ana.fails(.invalidArguments, "public", "mount", root.path + "/full")
        #expect(try ana.answer(Control.ZonesReply.self, "zones").zones.isEmpty)
        try ana.cairn("public", "mount", root.path + "/public")
        #expect(try ana.answer(Control.ZonesReply.self, "zones").zones.count == 1)
      }
    }

    @Test func `a device without a place for its folders doesn't join`() throws {
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
