import CairnControl
import Testing

/// A guest who is invited with the present only, with the built programs.
extension EndToEnd {
  @Suite struct PresentOnlyTests {
    @Test func `a guest with the present only is told where the history begins`()
      throws
    {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.write("the first plans", to: "plans")
        try ana.folder.write("a secret", to: "secret")
        try ana.cairn("share", "create", ana.folder.path)
        try ana.wait()
        try ana.folder.write("plans of today", to: "plans")
        try ana.folder.remove("secret")
        try ana.wait()

        let told = try ana.cairn("share", "invite", ana.folder.path, "bob", "--from-now")
        #expect(
          told.text.contains("no history: 2 versions, 1 deleted file are hidden from them"),
          "\(told.text)")
        #expect(!told.text.contains("They can also read"))
        try bob.cairn("share", "accept", told.lastLine, "--at", bob.folder.path, "--wait")
        #expect(try bob.folder.text("plans") == "plans of today")
        #expect(!bob.folder.exists("secret"))

        let history = Control.HistoryReply.self
        let his = try bob.answer(history, "history", bob.folder.path + "/plans")
        let begins = try #require(his.begins)
        #expect(his.entries.count == 1 && begins.place > 0)
        #expect(try bob.answer(history, "history", bob.folder.path, "--deleted").entries.isEmpty)
        let listed = try bob.cairn("history", bob.folder.path).text
        #expect(listed.contains("Your history begins after version \(begins.place)"))
        #expect(!listed.contains("secret"))
        let before = "@\(begins.place - 1)"
        try bob.fails(
          .permissionFailure, "show", bob.folder.path + "/plans", "--at", before)
        try bob.fails(.permissionFailure, "ls", bob.folder.path, "--at", before)
        let participants = try ana.cairn("share", "participants", ana.folder.path).text
        #expect(participants.contains("sees nothing up to entry \(begins.place)"))

        // She has the whole history, restores some of it, and they go on together.
        #expect(try ana.answer(history, "history", ana.folder.path + "/plans").begins == nil)
        try ana.cairn("restore", ana.folder.path + "/secret")
        try people.settle()
        #expect(try bob.folder.text("secret") == "a secret")
        try bob.folder.write("plans of tomorrow", to: "plans")
        try people.settle()
        #expect(try ana.folder.text("plans") == "plans of tomorrow")
        #expect(
          try bob.answer(history, "history", bob.folder.path + "/plans").entries.count == 2)
        try people.expectSame()
        for person in [ana, bob] { try person.cairn("verify", person.folder.path) }
      }
    }

    @Test func `a link for the present names what it doesn't show`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.write("the first plans", to: "plans")
        try ana.cairn("share", "create", ana.folder.path)
        try ana.wait()
        try ana.folder.write("plans of today", to: "plans")
        try ana.wait()
        let made = try ana.answer(
          Control.LinkReply.self, "share", "invite", ana.folder.path, "--link", "--from-now")
        #expect(made.past?.versions == 0 && made.hidden?.versions == 1)
        try bob.cairn("share", "accept", made.link, "--at", bob.folder.path, "--wait")
        #expect(try bob.folder.text("plans") == "plans of today")
        #expect(
          try bob.answer(Control.HistoryReply.self, "history", bob.folder.path).begins != nil)
        try bob.fails(.permissionFailure, "share", "link", bob.folder.path, "--from-now")
      }
    }
  }
}
