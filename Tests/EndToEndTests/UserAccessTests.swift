import CairnControl
import Testing

extension EndToEnd {
  /// `cairn user show`, `cairn user remove` and `--until`, with built programs.
  @Suite struct UserAccessTests {
    @Test func `all that a person can see is shown, and one command ends it`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let path = ana.folder.path
        let shown = try ana.answer(Control.UserShowReply.self, "user", "show", "bob")
        #expect(shown.shares.map(\.role) == [.privateUser] && shown.anyone.isEmpty)
        let access = try #require(shown.shares.first)
        #expect(access.path == Control.Path(path) && access.since != nil && access.isCurrent)
        #expect(access.by?.handle == "ana" && access.until == nil)
        try ana.cairn("share", "set-permission", path, "bob", "read-only", "--until", "7d")
        #expect(try ana.cairn("user", "show", "bob").text.contains(", until 2"))
        #expect(try ana.cairn("share", "participants", path).text.contains("until 2"))
        try ana.cairn("share", "set-permission", path, "bob", "read-only", "--until", "never")
        #expect(try !ana.cairn("user", "show", "bob").text.contains("until"))
        try ana.fails(.invalidArguments, "user", "show", "ana")

        let ended = try ana.answer(Control.UserRemoveReply.self, "user", "remove", "bob")
        #expect(ended.shares.map(\.share) == [access.share] && ended.missed.isEmpty)
        try bob.awaitEvent(.shareRevoked)
        #expect(try ana.cairn("user", "remove", "bob").text.contains("is in none of your shares"))
        #expect(try ana.cairn("user", "show", "bob").text.contains("in none of your shares"))
      }
    }

    @Test func `a group gets shares, and a person who leaves it loses them`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let path = ana.folder.path
        try ana.folder.make("")
        try ana.folder.write("text", to: "a")
        try ana.cairn("share", "create", path)
        try ana.cairn("group", "create", "team")
        try ana.fails(.invalidArguments, "group", "add", "team", "ana")
        try ana.fails(.unknownItem, "share", "invite", path, "@nobody")
        let link = try ana.cairn("share", "invite", path, "@team").lastLine
        let added = try ana.answer(Control.GroupReply.self, "group", "add", "team", "bob")
        #expect(added.changed.map(\.user.handle) == ["bob"] && added.missed.isEmpty)
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        #expect(try ana.cairn("group", "list").text.contains("bob"))
        #expect(try ana.cairn("user", "show", "bob").text.contains("In groups: team"))
        try ana.cairn("group", "remove", "team", "bob")
        try bob.awaitEvent(.shareRevoked)
        #expect(!bob.folder.exists("a"))
        try ana.cairn("group", "delete", "team")
        #expect(try ana.answer(Control.GroupReply.self, "group", "list").groups.isEmpty)
      }
    }

    @Test func `access with an end ends by itself`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.write("text", to: "a")
        try ana.cairn("share", "create", ana.folder.path)
        let link = try ana.cairn(
          "share", "invite", ana.folder.path, "bob", "--until", "1d"
        ).lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        let end = Control.Time(nanoseconds: Control.Time.now().nanoseconds + 1_000_000_000)
        let client = ControlClient(home: try Home(environment: ["CAIRN_HOME": ana.home.path]))
        let reply = try client.call(
          Control.ShareSetPermission(
            share: .path(Control.Path(ana.folder.path)), person: "bob", permission: .readOnly,
            until: end)
        ).reply
        #expect(reply.share.participants.last?.until == end)
        try bob.awaitEvent(.shareRevoked)
        #expect(!bob.folder.exists("a"))
        try ana.awaitEvent(.shareSaved, "has ended")
      }
    }
  }
}
