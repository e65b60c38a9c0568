import CairnControl
import Testing

extension EndToEnd {
  @Suite struct AccessTests {
    @Test func `lists are short, report that they are empty, and show accepted words`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        for (command, told) in [
          ("list", "You are in no share."), ("invitations", "No invitation waits for you."),
          ("requests", "No request waits for you."),
        ] { #expect(try ana.cairn("share", command).lastLine == told) }
        #expect(try ana.cairn("zones").lastLine == "There are no zones.")
        try ana.folder.make("")
        try ana.cairn("share", "create", ana.folder.path)
        try ana.cairn("share", "invite", ana.folder.path, "bob")
        let made = try ana.cairn("share", "invite", ana.folder.path, "--link").text
        let words = try #require(made.split(separator: "\n").first { $0.contains("uninvite") })
          .split(separator: " ").suffix(4).map(String.init)
        #expect(words.prefix(2) == ["share", "uninvite"])
        try ana.cairn(words[0], words[1], words[2], words[3])
        let id = try #require(
          bob.cairn("share", "invitations").lastLine.split(separator: " ").first.map(String.init))
        #expect(id.utf8.count == 12)
        try bob.fails(.invalidArguments, "share", "accept", "123", "--at", bob.folder.path)
        try bob.cairn("share", "accept", id, "--at", bob.folder.path, "--wait")
        let share = try #require(
          bob.cairn("share", "list").lastLine.split(separator: " ").first.map(String.init))
        #expect(share.utf8.count == 12)
        try bob.cairn("share", "show", share)
        let longest = try bob.cairn("user", "list").text.split(separator: "\n").map(\.count).max()
        #expect(try #require(longest) < 80)
      }
    }

    @Test func `a changed permission is in force at once, in both directions`() throws {
      try TwoPeople.playSharing("read-only") { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("shared", to: "plan")
        try people.settle()
        try ana.cairn("share", "set-permission", ana.folder.path, "bob", "read-write")
        try bob.wait()
        #expect(try bob.mount().permission == .readWrite)
        try bob.folder.remove("plan")
        try bob.folder.write("edited by bob", to: "plan")
        try people.settle()
        #expect(try ana.folder.text("plan") == "edited by bob")

        try ana.cairn("share", "set-permission", ana.folder.path, "bob", "read-only")
        try bob.wait()
        try bob.folder.remove("plan")
        try bob.folder.write("forced", to: "plan")
        try people.settle()
        #expect(try ana.folder.text("plan") == "edited by bob")
        #expect(try bob.folder.text("plan") == "edited by bob")
        #expect(try bob.mount().rescued.count == 1)
        try ana.fails(
          .invalidArguments, "share", "set-permission", ana.folder.path, "ana", "read-only")
      }
    }

    @Test func `an administrator administers, and others are refused`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try bob.fails(
          .permissionFailure, "share", "set-public", bob.folder.path, "read-only", "--yes")
        try bob.fails(.permissionFailure, "share", "transfer", bob.folder.path, "ana")
        try bob.fails(.permissionFailure, "quota", bob.folder.path, "--limit", "1k")
        try ana.cairn("share", "set-role", ana.folder.path, "bob", "administrator")
        try bob.wait()
        let share = try bob.answer(Control.ShareReply.self, "share", "show", bob.folder.path).share
        #expect(share.me.role == .administrator)
        try bob.cairn("share", "set-public", bob.folder.path, "read-write", "--yes")
        let shown = try ana.answer(Control.ShareReply.self, "share", "show", ana.folder.path).share
        #expect(shown.publicPermission == .readWrite)
        #expect(shown.participants.last?.role == .publicUser)
      }
    }

    @Test func `going public names each loss, and needs a confirmation`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let path = ana.folder.path
        let refused = try ana.fails(.invalidArguments, "share", "set-public", path, "read-only")
        #expect(refused.errors.contains("bob") && refused.errors.contains("--yes"))
        #expect(
          try ana.answer(Control.ShareReply.self, "share", "show", path).share.publicPermission
            == .none)
        let reply = try ana.answer(
          Control.SetPublicReply.self, "share", "set-public", path, "read-only", "--yes")
        #expect(reply.losses.count == 1)
        #expect(reply.share.participants.map(\.role) == [.owner, .publicUser])
        try ana.folder.write("for all", to: "notice")
        try people.settle()
        #expect(try bob.folder.text("notice") == "for all")
        #expect(try bob.mount().permission == .readOnly)
        try ana.fails(.invalidArguments, "share", "invite", path, "bob")
      }
    }

    @Test func `the new owner owns, and the folder stays as it is on both sides`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("before", to: "plan")
        try people.settle()
        let inode = try bob.folder.tree()["plan"]
        try bob.fails(.permissionFailure, "share", "transfer", bob.folder.path, "--accept")
        try ana.cairn("share", "transfer", ana.folder.path, "bob")
        try people.settle()
        for person in [ana, bob] {
          #expect(try person.mount().offeredTo?.handle == "bob")
          #expect(try person.cairn("status").text.contains("ownership"))
        }
        try bob.cairn("share", "transfer", bob.folder.path, "--decline")
        try bob.fails(.permissionFailure, "share", "transfer", bob.folder.path, "--accept")
        try people.settle()
        #expect(try ana.mount().offeredTo == nil && ana.mount().role == .owner)
        try ana.cairn("share", "transfer", ana.folder.path, "bob")
        try people.settle()
        try bob.cairn("share", "transfer", bob.folder.path, "--accept")
        try people.settle()
        let mine = try bob.answer(Control.ShareReply.self, "share", "show", bob.folder.path).share
        #expect(mine.me.role == .owner && mine.owner.handle == "bob")
        #expect(mine.participants.map(\.handle) == ["bob", "ana"])
        #expect(try bob.folder.tree()["plan"] == inode)
        try ana.folder.write("after, by ana", to: "by-ana")
        try bob.folder.write("after, by bob", to: "by-bob")
        try people.settle()
        try people.expectSame(count: 3)
        try people.expectNoConflicts()
        try ana.fails(.permissionFailure, "share", "set-public", ana.folder.path, "read-only")
        try bob.cairn("share", "remove", bob.folder.path, "ana")
        for person in [ana, bob] {
          try person.stopDaemon()
          try person.startDaemon()
        }
        try bob.wait()
        #expect(try bob.mount().scope == .private)
        #expect(try bob.folder.text("by-ana") == "after, by ana")
      }
    }
  }
}
