import CairnControl
import Testing

extension EndToEnd {
  @Suite struct ArrivalTests {
    @Test func `a shared tree arrives completely, with modes and times`() throws {
      try TwoPeople.play { people in
        try fill(people.ana.folder)
        try people.share("read-write")
        try people.expectSame(count: 12)
        try people.expectNoConflicts()
        let mount = try people.bob.mount()
        #expect(mount.files == 8, "files and symlinks")
        #expect(mount.directories == 4)
        #expect(mount.work.pendingLocal == 0 && mount.work.pendingRemote == 0)
        // The only problem is that the links lead out of the folder.
        #expect(mount.problems.allSatisfy { $0.code == .invalidArguments })
      }
    }

    private func fill(_ folder: Folder) throws {
      for name: Name in ["", "a", "a/b", "a/b/c", "empty"] { try folder.make(name) }
      try folder.write("top", to: "top.txt")
      try folder.write("", to: "a/nothing")
      try folder.write("deep", to: "a/b/c/deep")
      try folder.write([UInt8](repeating: 7, count: 3_000_000), to: "a/big")
      try folder.write("#!/bin/sh\n", to: "a/b/run")
      try folder.change(mode: 0o755, of: "a/b/run")
      try folder.write("old", to: "a/old")
      try folder.link("a/link", to: "b/c/deep")
      try folder.link("dangling", to: "/nowhere/at all")
      try folder.touch("a/old", seconds: 86_400, nanoseconds: 1)
      try folder.touch("a/link", seconds: 1_000_000_000, nanoseconds: 123_456_789)
      try folder.touch("dangling", seconds: 1_000_000_001, nanoseconds: 999_999_999)
      for name: Name in ["a/b/c", "a/b", "a", "empty"] {
        try folder.touch(name, seconds: 1_234_567_890, nanoseconds: 987_654_321)
      }
    }

    @Test func `creating a share again answers the same link`() throws {
      try TwoPeople.play { people in
        let folder = people.ana.folder
        try folder.make("")
        let reply = Control.ShareReply.self
        let first = try people.ana.answer(reply, "share", "create", folder.path)
        let second = try people.ana.answer(reply, "share", "create", folder.path)
        #expect(first.created && !second.created)
        #expect(first.share.link == second.share.link && first.share.id == second.share.id)
        let shares = try people.ana.answer(Control.ShareListReply.self, "share", "list").shares
        #expect(shares.count == 1)
      }
    }

    @Test func `an invitation is accepted by its id while the owner's daemon is stopped`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.write("hello", to: "note")
        try ana.cairn("share", "create", ana.folder.path, "--title", "Trip to Ålesund")
        try ana.cairn("share", "invite", ana.folder.path, "bob", "--permission", "read-write")
        try ana.wait()
        try ana.stopDaemon()

        let invitations = Control.InvitationsReply.self
        let waiting = try bob.answer(invitations, "share", "invitations").invitations
        let invitation = try #require(waiting.first)
        #expect(waiting.count == 1 && invitation.title == "Trip to Ålesund")
        #expect(invitation.from.handle == "ana" && invitation.permission == .readWrite)
        try bob.cairn("share", "accept", invitation.id, "--at", bob.folder.path, "--wait")
        #expect(try bob.folder.text("note") == "hello")
        #expect(try bob.answer(invitations, "share", "invitations").invitations.isEmpty)
        // A repeated command has the same effect as one, because an interrupted command is
        // repeated.
        let link = try bob.answer(Control.ShareReply.self, "share", "show", bob.folder.path).share
          .link
        for again in [link, invitation.id] {
          try bob.cairn("share", "accept", again, "--at", bob.folder.path, "--wait")
        }

        try ana.wait()
        let reply = try ana.answer(
          Control.ParticipantsReply.self, "share", "participants", ana.folder.path)
        let participant = try #require(reply.participants.first { $0.handle == "bob" })
        #expect(participant.acceptance == .accepted && participant.permission == .readWrite)
        #expect(reply.participants.first { $0.role == .owner }?.handle == "ana")
        try people.expectSame()
      }
    }
  }
}
