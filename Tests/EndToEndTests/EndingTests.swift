import CairnControl
import Testing

extension EndToEnd {
  @Suite struct EndingTests {
    @Test func `a person who leaves loses the folder, and nothing changes for the owner`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("shared", to: "plan")
        try people.settle()
        try bob.cairn("share", "leave", bob.folder.path)
        #expect(!bob.folder.exists(""))
        #expect(try bob.answer(Control.ShareListReply.self, "share", "list").shares.isEmpty)
        try ana.wait()
        #expect(try ana.folder.text("plan") == "shared")
        let share = try ana.answer(Control.ShareReply.self, "share", "show", ana.folder.path).share
        #expect(share.participants.map(\.handle) == ["ana"])
        try ana.fails(.permissionFailure, "share", "leave", ana.folder.path)
        // A person who is invited again gets everything.
        try people.share("read-write")
        try people.expectSame()
      }
    }

    @Test func `leaving, stopping or ending a second time reports that it is done`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("d")
        try people.settle()
        let zone = try bob.mount().zone
        func refusals() throws -> [String] {
          try [bob.folder.path, bob.folder.path + "/d", zone, String(zone.prefix(12))].map {
            try bob.fails(.zoneNotFound, "share", "leave", $0).errors
          }
        }
        try bob.cairn("share", "leave", bob.folder.path)
        for told in try refusals() { #expect(told.contains("ou left “A”"), "\(told)") }
        // The same is true later, after a restart of the daemon.
        try bob.stopDaemon()
        for told in try refusals() { #expect(told.contains("ou left “A”"), "\(told)") }
        for command in [["remove"], ["purge", "--yes"], ["share", "show"], ["ls"]] {
          try bob.fails(.zoneNotFound, command + [bob.folder.path])
        }
        // A person who left isn't told of it again.
        #expect(try bob.answer(Control.StatusReply.self, "status").ended.isEmpty)

        // A person who returns is a participant, and is told about the next end.
        try people.share("read-write")
        #expect(try bob.answer(Control.StatusReply.self, "status").ended.isEmpty)
        try ana.cairn("share", "stop", ana.folder.path)
        try bob.awaits("share.stopped")
        for told in try refusals() { #expect(told.contains("Ana Äpfel"), "\(told)") }
        try bob.stopDaemon()
        let ended = try bob.answer(Control.StatusReply.self, "status").ended
        #expect(ended.map(\.kind) == ["share.stopped"] && ended.map(\.number) == [0])
        #expect(ended.map(\.path?.text) == [bob.folder.path])
        try ana.fails(.unknownItem, "share", "stop", ana.folder.path)
        try ana.cairn("purge", ana.folder.path, "--yes")
        try ana.fails(.zoneNotFound, "purge", ana.folder.path, "--yes")
        try ana.fails(.zoneNotFound, "purge", zone, "--yes")
      }
    }

    @Test func `a person who leaves with a copy has a folder of their own`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("shared", to: "plan")
        try people.settle()
        try bob.cairn("share", "leave", bob.folder.path, "--keep-copy")
        try bob.wait()
        #expect(try bob.mount().scope == .private)
        #expect(try bob.folder.text("plan") == "shared")
        try ana.folder.write("later", to: "plan")
        try bob.folder.write("mine", to: "own")
        for person in [ana, bob] { try person.wait() }
        #expect(try bob.folder.text("plan") == "shared")
        #expect(try ana.folder.tree()["own"] == nil)
      }
    }

    @Test func `a copy has everything that was in the share when its person left`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("early", to: "early")
        try people.settle()
        try bob.stopDaemon()
        try ana.folder.write("late", to: "late")
        try ana.folder.write(Samples.noise(300_000), to: "large")
        try ana.wait()
        try bob.cairn("share", "leave", bob.folder.path, "--keep-copy")
        try bob.wait()
        #expect(try bob.folder.text("late") == "late")
        #expect(try bob.folder.read("large") == Samples.noise(300_000))
      }
    }

    @Test func `a stopped share is gone for others, and can be shared again`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write(String(repeating: "some text ", count: 20_000), to: "plan")
        try people.settle()
        let packs = try packs(of: people)
        let first = try ana.answer(Control.ShareReply.self, "share", "show", ana.folder.path).share
        let refused = try bob.fails(.permissionFailure, "share", "stop", bob.folder.path)
        #expect(refused.errors.contains(bob.folder.path + ": "))
        try ana.cairn("share", "stop", ana.folder.path)
        try bob.awaits("share.stopped")
        #expect(!bob.folder.exists(""))
        #expect(try ana.answer(Control.ShareListReply.self, "share", "list").shares.isEmpty)
        try ana.fails(.unknownItem, "share", "stop", ana.folder.path)
        #expect(try ana.folder.text("plan").utf8.count == 200_000)
        try people.share("read-only")
        let again = try ana.answer(Control.ShareReply.self, "share", "show", ana.folder.path).share
        #expect(again.link == first.link)
        #expect(try bob.folder.text("plan").utf8.count == 200_000)
        #expect(try self.packs(of: people) == packs)
      }
    }

    @Test func `deleting the empty folder of a share leaves the share`() throws {
      try TwoPeople.playSharing { people in
        try people.settle()
        try people.root.remove("B")
        try people.bob.awaits("share.left")
        #expect(try people.bob.answer(Control.ShareListReply.self, "share", "list").shares.isEmpty)
      }
    }

    @Test func `a purged share is gone for all, folder and content`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("shared", to: "plan")
        try people.settle()
        let asked = try ana.fails(.invalidArguments, "purge", ana.folder.path)
        for words in ["1 file, 0 folders, 6 bytes", ana.folder.path, "bob", "--yes"] {
          #expect(asked.errors.contains(words), "\(asked.errors)")
        }
        #expect(try ana.folder.text("plan") == "shared")
        try ana.folder.write("not sent yet", to: "note~")
        let reply = try ana.answer(Control.PurgeReply.self, "purge", ana.folder.path, "--yes")
        try bob.awaits("share.stopped")
        #expect(!ana.folder.exists("") && !bob.folder.exists(""))
        let rescued = Folder(try #require(reply.rescued?.text))
        #expect(try rescued.text("plan") == "shared")
        #expect(try rescued.text("note~") == "not sent yet")
        #expect(reply.people.map(\.handle) == ["bob"] && reply.amount.files == 1)
        #expect(reply.paths == [Control.Path(ana.folder.path)])
        for person in [ana, bob] {
          #expect(try person.answer(Control.StatusReply.self, "status").mounts.isEmpty)
        }
      }
    }

    @Test func `an old ended share can be left on each device, and nothing is lost`()
      throws
    {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.make("sub")
        try ana.folder.write("shared", to: "sub/plan")
        try ana.folder.write("shared, too", to: "sub/other")
        try ana.cairn("add", ana.folder.path)
        try ana.wait()
        let nested = ana.folder.path + "/sub"
        let zone = try ana.answer(Control.ShareReply.self, "share", "create", nested).share.id
        let link = try ana.cairn("share", "invite", nested, "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        try people.withDevice(of: bob) { laptop in
          try laptop.awaitEvent(.mountAdded)
          try laptop.wait()
          let mirror = Folder(try #require(laptop.mount().path.text))
          try laptop.stopDaemon()
          try bob.stopDaemon()
          try bob.folder.write("not sent", to: "plan")
          try ana.cairn("share", "stop", nested)
          // Thirty days later its owner's device removes the objects.
          let anas = try ana.answer(Control.StatusReply.self, "status").account.user
          try people.root.remove("c/users/\(anas)/zones/\(zone)")

          try bob.startDaemon()
          try bob.fails(.timedOut, "wait", "--timeout", "1")
          let mount = try bob.mount()
          #expect(mount.phase == .damaged && mount.problems.map(\.code) == [.zoneNotFound])
          #expect(mount.problems.allSatisfy { $0.remedy.contains("cairn share leave") })
          #expect(try bob.run("verify").text.contains("or stopped sharing it"))
          try bob.cairn("share", "leave", bob.folder.path)
          #expect(!bob.folder.exists(""))
          let status = try bob.answer(Control.StatusReply.self, "status")
          let saved = try #require(status.rescued.first?.path.text)
          #expect(try Folder("/").text("\(saved.dropFirst())") == "not sent")
          #expect(status.mounts.isEmpty && status.container.state == nil)
          #expect(try bob.cairn("verify").text.contains("all in order"))

          try laptop.startDaemon()
          try laptop.awaitEvent(.shareLeft)
          #expect(!mirror.exists(""))
        }
      }
    }

    private func packs(of people: TwoPeople) throws -> [Name] {
      try people.container.files(below: "users").filter {
        String(decoding: $0.bytes, as: UTF8.self).contains("/packs/")
      }
    }
  }
}
