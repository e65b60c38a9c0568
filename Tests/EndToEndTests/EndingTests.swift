import CairnControl
import Testing

extension EndToEnd {
  @Suite struct EndingTests {
    @Test func `who leaves loses the folder, and nothing changes for the owner`() throws {
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
        // Whoever is invited again gets everything.
        try people.share("read-write")
        try people.expectSame()
      }
    }

    @Test func `who leaves with a copy has a folder of their own`() throws {
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

    @Test func `a share that was stopped is gone for others, and can be shared again`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write(String(repeating: "some text ", count: 20_000), to: "plan")
        try people.settle()
        let packs = try packs(of: people)
        let first = try ana.answer(Control.ShareReply.self, "share", "show", ana.folder.path).share
        try bob.fails(.permissionFailure, "share", "stop", bob.folder.path)
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

    @Test func `deleting the folder of a share with nothing in it is leaving it`() throws {
      try TwoPeople.playSharing { people in
        try people.settle()
        try people.root.remove("B")
        try people.bob.awaits("share.left")
        #expect(try people.bob.answer(Control.ShareListReply.self, "share", "list").shares.isEmpty)
      }
    }

    @Test func `what the owner purges is gone for all, folder and content`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("shared", to: "plan")
        try people.settle()
        #expect(try ana.run("purge", ana.folder.path).status == 64)
        try ana.cairn("purge", ana.folder.path, "--yes")
        try bob.awaits("share.stopped")
        #expect(!ana.folder.exists("") && !bob.folder.exists(""))
        for person in [ana, bob] {
          #expect(try person.answer(Control.StatusReply.self, "status").mounts.isEmpty)
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
