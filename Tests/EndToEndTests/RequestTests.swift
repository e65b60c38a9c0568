import CairnControl
import Testing

extension EndToEnd {
  /// Requests for access, and blocked people.
  @Suite struct RequestTests {
    @Test func `an asker is invited, denied or blocked, and learns nothing while it is off`()
      throws
    {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let path = ana.folder.path
        try ana.folder.make("")
        try ana.folder.write("x", to: "file")
        let link = try ana.cairn("share", "create", path, "--print-link").lastLine
        // A share that doesn't exist, asked for by a home of the same container.
        try bob.folder.make("")
        let gone = try bob.cairn("share", "create", bob.folder.path, "--print-link").lastLine
        try bob.cairn("remove", bob.folder.path)
        let before = try people.container.files()
        let closed = try bob.fails(.permissionFailure, "share", "request", link)
        #expect(try people.container.files() == before)

        try ana.cairn("share", "set-requests", path, "on")
        try bob.cairn("share", "request", "<\(link)>", "--message", "It's me,\nBob")
        let asked = try ana.answer(Control.RequestsReply.self, "share", "requests").requests
        #expect(asked.map(\.text) == ["It's me,\nBob"] && asked.first?.from.handle == "bob")
        try ana.cairn("share", "deny", path, "bob")
        #expect(try ana.answer(Control.RequestsReply.self, "share", "requests").requests.isEmpty)
        try ana.fails(.unknownItem, "share", "deny", path, "bob")
        try ana.fails(.unknownItem, "share", "approve", path, "bob")

        try bob.cairn("share", "request", link)
        let again = try ana.answer(Control.RequestsReply.self, "share", "requests", path).requests
        let id = try #require(again.first?.id.prefix(8))
        try ana.cairn("share", "approve", path, String(id), "--permission", "read-only")
        #expect(try ana.answer(Control.RequestsReply.self, "share", "requests").requests.isEmpty)
        try bob.fails(.participantAlreadyInvited, "share", "request", link)
        try bob.cairn("share", "accept", link, "--at", people.root.path + "/taken", "--wait")
        try bob.fails(.participantAlreadyInvited, "share", "request", link)
        let kept = try ana.answer(Control.InviteReply.self, "share", "invite", path, "bob")
        #expect(kept.invited.map(\.permission) == [.readOnly])
        let more = try ana.cairn("share", "invite", path, "bob", "--permission", "read-write")
        #expect(more.text.contains("changed from read-only to read-write"), "\(more.text)")

        let carol = try people.another("carol")
        defer { people.end(carol) }
        try carol.cairn("share", "request", link)
        try ana.cairn("share", "block", path, "carol")
        #expect(try ana.answer(Control.RequestsReply.self, "share", "requests").requests.isEmpty)
        try carol.cairn("share", "request", link)
        #expect(try ana.answer(Control.RequestsReply.self, "share", "requests").requests.isEmpty)
        let share = try ana.answer(Control.ShareReply.self, "share", "show", path).share
        #expect(share.blocked.map(\.handle) == ["carol"] && share.takesRequests)
        try ana.fails(.invalidArguments, "share", "invite", path, "carol")
        try ana.cairn("share", "unblock", path, "carol")
        try carol.cairn("share", "request", link)
        #expect(try ana.answer(Control.RequestsReply.self, "share", "requests").requests.count == 1)

        try ana.cairn("share", "set-requests", path, "off")
        let off = try carol.fails(.permissionFailure, "share", "request", link)
        let unknown = try carol.fails(.permissionFailure, "share", "request", gone)
        #expect(off.errors == unknown.errors && off.errors == closed.errors)
      }
    }
  }
}
