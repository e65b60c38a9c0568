import CairnControl
import Testing

extension EndToEnd {
  /// A person who has lost every device, and has a sheet of paper.
  struct RecoveryTests {
    @Test func `a sheet and the container bring a person back, until the sheet is revoked`() throws
    {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.write("mine", to: "a.txt")
        // The sheet is offered after the first share, and at no other time.
        let offer = "cairn device recovery"
        for isFirst in [true, false] {
          let said = try ana.cairn("share", "create", ana.folder.path)
          #expect(said.text.contains(offer) == isFirst && said.lastLine.hasPrefix("cairn:share/"))
        }
        try people.inviteAndAccept("read-write")
        let page = people.root.path + "/sheet.html"
        try ana.cairn("device", "recovery", "--name", "paper", "--to", page)
        #expect(try people.root.text("sheet.html").contains("<svg viewBox="))
        try ana.fails(.alreadyExists, "device", "recovery", "--to", page)
        try people.root.make("Second")
        let said = try ana.cairn("share", "create", people.root.path + "/Second")
        #expect(!said.text.contains(offer))
        let list = try ana.answer(Control.DeviceListReply.self, "device", "list").devices
        #expect(list.filter(\.isRecovery).map(\.name) == ["paper"])
        #expect(try ana.run(typing: page, ["device", "recovery", "--test"]).status == 0)

        try people.settle()
        try ana.stopDaemon()
        try people.root.remove("ana")
        try bob.folder.write("later", to: "b.txt")
        try bob.wait()
        let anew = try Person("ana", in: people.root, folder: "anew-folders", home: "anew")
        let words = [
          "init", "--recover", "--container", people.container.path, "--device-name", "anew",
          "--at", anew.folder.path,
        ]
        let back = try anew.run(typing: page, words)
        defer { _ = try? anew.run("stop") }
        try #require(back.status == 0, "\(back.text) \(back.errors)")
        #expect(back.text.contains("ana) again") && back.text.contains("cairn device revoke"))
        try anew.wait()
        let folder = Folder(anew.folder.path + "/A")
        #expect(try folder.text("a.txt") == "mine")
        #expect(try folder.text("b.txt") == "later")
        try folder.write("again", to: "c.txt")
        try anew.wait()
        try bob.wait()
        #expect(try bob.folder.text("c.txt") == "again")

        try anew.cairn("device", "revoke", "paper", "--yes")
        let third = try Person("ana", in: people.root, folder: "third-folders", home: "third")
        let refused = try third.run(typing: page, words)
        #expect(refused.status == Control.ErrorCode.permissionFailure.exitStatus)
        #expect(refused.errors.contains("was revoked"))
        #expect(!third.home.exists("cairn.conf"))
      }
    }
  }
}
