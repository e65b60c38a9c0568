import CairnControl
import Testing

extension EndToEnd {
  /// The permission for an act is checked before its arguments, and before a check for no change.
  @Suite struct RightsFirstTests {
    @Test func `a participant is told that they may not, whatever they would do`() throws {
      try TwoPeople.playSharing { people in
        let bob = people.bob
        let path = bob.folder.path
        for command in [
          // These would change nothing.
          ["share", "set-public", path, "none", "--yes"], ["share", "set-requests", path, "off"],
          ["share", "policy", path, "--access", "any"], ["quota", path, "--limit", "none"],
          ["history", "policy", path, "--forever"], ["share", "invite", path, "bob"],
          ["share", "set-permission", path, "bob", "read-write"],
          // These name the owner, a person who has accepted, or nobody.
          ["share", "invite", path, "ana"], ["share", "uninvite", path, "ana"],
          ["share", "uninvite", path, "bob"], ["share", "uninvite", path, "nobody"],
          ["share", "remove", path, "ana"], ["share", "remove", path, "bob"],
          ["share", "remove", path, "nobody"], ["share", "set-role", path, "ana", "participant"],
          ["share", "set-permission", path, "ana", "read-only"],
          ["share", "transfer", path, "nobody"], ["share", "block", path, "ana"],
          ["share", "successor", path, "nobody"], ["share", "successor", path, "--none"],
          ["share", "successor", path, "--refuse"], ["share", "successor", path, "--claim"],
          ["share", "unblock", path, "ana"], ["share", "deny", path, "nobody"],
          ["share", "approve", path, "nobody"], ["share", "link", path], ["share", "stop", path],
          ["share", "invite", "--link", path],
        ] { try bob.fails(.permissionFailure, command) }
        let share = try bob.answer(Control.ShareReply.self, "share", "show", path).share
        #expect(share.me.role == .privateUser)
      }
    }

    @Test func `a read-only administrator gives nobody the permission to write`() throws {
      try TwoPeople.playSharing("read-only") { people in
        let (ana, bob) = (people.ana, people.bob)
        let path = bob.folder.path
        try ana.cairn("share", "set-role", ana.folder.path, "bob", "administrator")
        try bob.wait()
        for command in [
          ["share", "set-permission", path, "bob", "read-write"],
          ["share", "invite", path, "bob", "--permission", "read-write"],
          ["share", "invite", "--link", path],
          ["share", "set-public", path, "read-write", "--yes"],
          ["share", "remove", path, "ana"], ["share", "block", path, "ana"],
          ["share", "set-permission", path, "ana", "read-only"],
          ["share", "set-role", path, "bob", "participant"],
        ] { try bob.fails(.permissionFailure, command) }
        let share = try bob.answer(Control.ShareReply.self, "share", "show", path).share
        #expect(share.me.permission == .readOnly && share.me.role == .administrator)
        try bob.cairn("share", "invite", "--link", path, "--permission", "read-only")
        // The owner is a participant whose part nobody changes.
        try ana.fails(
          .invalidArguments, "share", "set-role", ana.folder.path, "ana", "participant")
        try ana.cairn("share", "set-permission", ana.folder.path, "bob", "read-write")
        try bob.wait()
        try bob.cairn("share", "invite", "--link", path)
      }
    }

    @Test func `a link for one person is refused clearly for a person without an account`() throws {
      try TwoPeople.playSharing { people in
        let path = people.ana.folder.path
        let link = try people.ana.cairn("share", "invite", "--link", path).lastLine
        let reader = try Person("reader", in: people.root, folder: "R")
        defer {
          do { _ = try reader.run("stop") } catch { Issue.record("\(error)") }
        }
        try reader.cairn("init", "--container", people.container.path, "--anonymous")
        try reader.fails(.notAuthenticated, "share", "accept", link, "--at", reader.folder.path)
        #expect(!reader.folder.exists(""))
      }
    }
  }
}
