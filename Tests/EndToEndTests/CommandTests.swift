import CairnControl
import Testing

extension EndToEnd {
  @Suite struct CommandTests {
    @Test func `a home is created once, and a dry run creates nothing`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        try ana.fails(
          .alreadyExists, "init", "--container", people.container.path, "--name", "Eve",
          "--handle", "eve")
        let carol = try Person("carol", in: people.root, folder: "C")
        let objects = try people.container.tree()
        let arguments = ["--name", "Carol", "--handle", "carol"]
        let reply = try carol.answer(
          Control.SetupReply.self, "init", "--container", people.container.path, arguments[0],
          arguments[1], arguments[2], arguments[3], "--dry-run")
        #expect(reply.dryRun && !reply.steps.isEmpty && !reply.containerCreated)
        try carol.cairn(
          "init", "--container", people.root.path + "/fresh", "--name", "Carol", "--handle",
          "carol", "--dry-run")
        #expect(!people.root.exists("carol") && !people.root.exists("fresh"))
        #expect(try people.container.tree() == objects)
        try carol.fails(
          .constraintViolation, "init", "--container", people.container.path, "--name", "Eve",
          "--handle", "ana")
        try carol.fails(
          .invalidArguments, "init", "--container", people.container.path, "--name", "Eve",
          "--handle", "No Handle")
        let users = try ana.answer(Control.UserListReply.self, "user", "list").users
        #expect(users.map(\.handle) == ["ana", "bob"])
      }
    }

    @Test func `one home has one daemon`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        try ana.startDaemon()
        let first = try ana.answer(Control.PingReply.self, "start").pid
        let second = try ana.run(program: try Program.built("cairnd"))
        #expect(second.status == Control.ErrorCode.alreadyRunning.exitStatus)
        #expect(second.errors.contains("\(first)"))
        #expect(try ana.answer(Control.PingReply.self, "start").pid == first)
        try ana.stopDaemon()
        try ana.stopDaemon()
        let carol = try Person("carol", in: people.root, folder: "C")
        #expect(try carol.run("status").status != 0)
      }
    }

    @Test func `adding is idempotent, and removing keeps the files`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        let path = ana.folder.path
        try ana.folder.make("")
        try ana.folder.make("inner")
        try ana.folder.write("mine", to: "inner/file")
        let dry = try ana.answer(Control.AddReply.self, "add", path, "--dry-run")
        #expect(dry.dryRun && dry.files == 1 && dry.directories == 1 && dry.bytes == 4)
        #expect(!ana.folder.exists(".cairn"))
        #expect(try ana.answer(Control.AddReply.self, "add", path).created)
        #expect(try !ana.answer(Control.AddReply.self, "add", path).created)
        try ana.wait()
        #expect(try ana.answer(Control.StatusReply.self, "status").mounts.count == 1)
        try ana.fails(.alreadyMirrored, "add", path + "/inner")
        try ana.fails(.alreadyMirrored, "add", people.root.path)
        try ana.fails(.invalidArguments, "add", people.container.path)
        try ana.fails(.invalidArguments, "add", path + "/absent")

        let objects = try people.container.files().count
        try ana.cairn("remove", path)
        #expect(try ana.folder.text("inner/file") == "mine")
        #expect(!ana.folder.exists(".cairn"))
        #expect(try ana.answer(Control.StatusReply.self, "status").mounts.isEmpty)
        try ana.folder.write("unseen", to: "later")
        try ana.wait()
        try ana.stopDaemon()
        try ana.wait()
        #expect(try ana.answer(Control.StatusReply.self, "status").mounts.isEmpty)
        #expect(try people.container.files().count >= objects)
        try ana.fails(.unknownItem, "remove", path)
      }
    }

    @Test func `a mirror that is removed on one side goes on on the other`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("x", to: "file")
        try people.settle()
        try bob.cairn("remove", bob.folder.path)
        try bob.folder.remove("file")
        try ana.folder.write("more", to: "more")
        try ana.wait()
        try bob.wait()
        #expect(Set(try ana.folder.tree().keys) == ["file", "more"])
        #expect(try bob.folder.tree().isEmpty)
      }
    }

    @Test func `failures give the reason, and the status of their code`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let path = ana.folder.path
        try ana.folder.make("inner")
        try ana.wait()
        try ana.fails(.unknownItem, "share", "invite", path, "nobody")
        try ana.fails(.alreadyShared, "share", "create", path + "/inner")
        try ana.fails(.unknownItem, "share", "invite", "0123456789", "bob")
        let longest = String(repeating: "x", count: 1_024)
        try ana.cairn("share", "create", path, "--title", longest)
        try ana.fails(.invalidArguments, "share", "create", path, "--title", longest + "x")
        try bob.fails(.permissionFailure, "share", "invite", bob.folder.path, "ana")
        let link = try ana.answer(Control.ShareReply.self, "share", "show", path).share.link
        for wrong in [String(link.dropLast()), Self.mistyped(link), "cairn:share/", "0123"] {
          let outcome = try bob.fails(.invalidArguments, "share", "accept", wrong)
          #expect(!outcome.errors.isEmpty)
        }
        let json = try bob.fails(
          .invalidArguments, "share", "accept", Self.mistyped(link), "--json")
        #expect(json.text.contains("\"error\"") && json.errors.isEmpty)
        try ana.fails(.unknownItem, "ls", people.root.path)
        try ana.fails(.unknownItem, "ls", path + "/absent")
        #expect(try ana.run("share", "invite", path).status == 64)
        #expect(try ana.run("wait", "--timeout", "soon").status == 64)
      }
    }

    @Test func `only an invited person accepts a share, into an empty folder`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.write("x", to: "file")
        let reply = try ana.answer(
          Control.ShareReply.self, "share", "create", ana.folder.path)
        let refused = try bob.run("share", "accept", reply.share.link, "--at", bob.folder.path)
        #expect(
          [Control.ErrorCode.permissionFailure, .participantMayNeedVerification]
            .map(\.exitStatus).contains(refused.status), "\(refused.status) \(refused.errors)")
        #expect(!bob.folder.exists(""))
        try ana.cairn("share", "invite", ana.folder.path, "bob")
        try bob.folder.make("")
        try bob.folder.write("here already", to: "other")
        try bob.fails(
          .invalidArguments, "share", "accept", reply.share.link, "--at", bob.folder.path)
        #expect(try bob.folder.tree().count == 1)
        try bob.folder.remove("other")
        try bob.cairn("share", "accept", reply.share.link, "--at", bob.folder.path, "--wait")
        try people.expectSame()
      }
    }

    /// Returns the link with one character changed.
    private static func mistyped(_ link: String) -> String {
      var characters = Array(link)
      let place = characters.count - 20
      characters[place] = characters[place] == "a" ? "b" : "a"
      return String(characters)
    }
  }
}
