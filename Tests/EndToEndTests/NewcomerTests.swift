import CairnControl
import Testing

extension EndToEnd {
  /// A person who has a link and nothing else.
  @Suite struct NewcomerTests {
    @Test func `a link is enough for somebody who has no account`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        try ana.folder.make("")
        try ana.folder.write("x", to: "file")
        try ana.cairn("share", "create", ana.folder.path)
        let link = try ana.cairn(
          "share", "invite", ana.folder.path, "--link", "--print-link"
        ).lastLine
        let carol = try Person("carol", in: people.root, folder: "C")
        defer { people.end(carol) }
        // In a pipe no question is asked.
        let bare = try carol.run("share", "accept", link, "--at", carol.folder.path)
        #expect(bare.status == 12 && bare.errors.contains("--name"))
        #expect(!people.root.exists("carol/cairn.conf"))
        let reply = try carol.answer(
          Control.AcceptReply.self, "share", "accept", link, "--name", "Carol", "--handle",
          "carol", "--at", carol.folder.path, "--wait")
        #expect(reply.complete && reply.share.me.acceptance == .accepted)
        #expect(try carol.folder.text("file") == "x")
        try ana.wait()
        let people = try ana.answer(
          Control.ParticipantsReply.self, "share", "participants", ana.folder.path
        ).participants
        #expect(people.map(\.handle) == ["ana", "carol"])
        // The repeated command does nothing.
        try carol.cairn(
          "share", "accept", link, "--name", "Carol", "--handle", "carol", "--at",
          carol.folder.path)
      }
    }

    @Test func `a container that is elsewhere, missing or another one is reported`() throws {
      try TwoPeople.play { people in
        let (ana, root) = (people.ana, people.root)
        try ana.folder.make("")
        try ana.cairn("share", "create", ana.folder.path)
        let reply = try ana.answer(
          Control.LinkReply.self, "share", "invite", ana.folder.path, "--link")
        let who = ["--name", "Carol", "--handle", "carol"]
        let carol = try Person("carol", in: root, folder: "C")
        defer { people.end(carol) }
        let other = try Person("dave", in: root, folder: "D")
        try other.cairn(
          "init", "--container", root.path + "/other", "--name", "Dave", "--handle", "dave")
        defer { people.end(other) }
        let foreign = try other.fails(.badContainer, "share", "accept", reply.link)
        let (place, own) = (root.path + "/c", root.path + "/other")
        #expect(foreign.errors.contains(place) && foreign.errors.contains(own))
        for wrong in ["/other", "/nothing"] {
          let outcome = try carol.fails(
            .badContainer, "share", "accept", reply.link, who[0], who[1], who[2], who[3],
            "--container", root.path + wrong)
          #expect(outcome.errors.contains(root.path + wrong))
        }
        #expect(!root.exists("carol/cairn.conf") && !root.exists("nothing"))
        try carol.fails(
          .invalidArguments, "share", "accept", "0011223344", who[0], who[1], who[2], who[3])
        let moved = root.path + "/mounted"
        #expect(try carol.run(program: "/bin/ln", "-s", place, moved).status == 0)
        try carol.cairn(
          "share", "accept", reply.link, who[0], who[1], who[2], who[3], "--container", moved,
          "--at", carol.folder.path, "--wait")
      }
    }
  }
}
