import CairnControl
import Testing

extension EndToEnd {
  /// The messages for mistakes that newcomers make: they name the thing and the next command.
  @Suite struct MessageTests {
    /// A mistake: the command, the error and parts of its message.
    private struct Mistake {
      var command: [String]
      var code: Control.ErrorCode
      var parts: [String]
    }

    @Test func `a mistake is named, with the next command`() throws {
      try TwoPeople.playSharing { people in
        let (ana, path) = (people.ana, people.ana.folder.path)
        let mistakes = [
          Mistake(
            command: ["container", "copy", "s3:http://127.0.0.1:1/bk/team"],
            code: .invalidArguments, parts: ["bk is not the name of a bucket"]),
          Mistake(
            command: ["container", "move", "s3:http://127.0.0.1:1/bucket/team", "--dry-run"],
            code: .permissionFailure, parts: ["There is no key for the bucket."]),
          Mistake(
            command: ["share", "invite", path, "ana"], code: .invalidArguments,
            parts: ["You own this share already", "Leave out yourself"]),
          Mistake(
            command: ["share", "invite", path, "bbo"], code: .unknownItem,
            parts: ["Did you mean bob?"]),
          Mistake(
            command: ["share", "remove", path, "dora"], code: .unknownItem,
            parts: ["`cairn user list` lists everyone.\n"]),
          Mistake(
            command: ["public", "remove", "nosuch"], code: .unknownItem,
            parts: ["There is no nosuch", "cairn public list -r"]),
          Mistake(
            command: ["user", "verify", "bob", "--match", "123"], code: .invalidArguments,
            parts: ["3 of 60 digits", "cairn user verify bob --match DIGITS"]),
          Mistake(
            command: ["log", path + "/nosuch"], code: .unknownItem,
            parts: [path + "/nosuch", "cairn history --deleted \(path)"]),
          Mistake(
            command: ["ls", path + "/nosuch"], code: .unknownItem,
            parts: ["There is no \(path)/nosuch in", "cairn ls -r \(path)"]),
        ]
        for mistake in mistakes {
          let outcome = try ana.run(mistake.command)
          #expect(
            outcome.status == mistake.code.exitStatus, "\(mistake.command): \(outcome.errors)")
          for part in mistake.parts { #expect(outcome.errors.contains(part), "\(outcome.errors)") }
        }
        try expectNames(of: people)
        let number = try ana.cairn("user", "verify", "bob").text
        #expect(number.contains("run `cairn user verify bob --match DIGITS`"))
      }
    }

    /// Plays mistakes with names of folders, files, people and groups.
    private func expectNames(of people: TwoPeople) throws {
      let (ana, path, root) = (people.ana, people.ana.folder.path, people.root.path)
      try ana.folder.write("1", to: "Notes")
      try people.root.write("1", to: "plain")
      try ana.folder.make("Pictures")
      try ana.wait()
      try ana.cairn("group", "create", "team", "bob")
      try ana.cairn("group", "create", "team", "bob")
      for mistake in Self.absent(path, root) + Self.mistyped(path, root) {
        let outcome = try ana.run(mistake.command)
        #expect(
          outcome.status == mistake.code.exitStatus, "\(mistake.command): \(outcome.errors)")
        for part in mistake.parts { #expect(outcome.errors.contains(part), "\(outcome.errors)") }
      }
    }

    /// Names of nothing, and people in the place of folders.
    private static func absent(_ path: String, _ root: String) -> [Mistake] {
      [
        Mistake(
          command: ["add", root + "/nosuch"], code: .invalidArguments,
          parts: ["\(root)/nosuch doesn't exist."]),
        Mistake(
          command: ["share", "create", root + "/nosuch"], code: .invalidArguments,
          parts: ["\(root)/nosuch doesn't exist."]),
        Mistake(
          command: ["add", root + "/plain"], code: .invalidArguments, parts: ["is not a folder"]),
        Mistake(
          command: ["share", "create", path, "bob"], code: .invalidArguments,
          parts: ["but a person with the handle bob", "--invite HANDLE"]),
        Mistake(
          command: ["share", "invite", "bob", path], code: .unknownItem,
          parts: ["but a person with the handle bob", "Name the folder first"]),
        Mistake(
          command: ["share", "invite", path, path], code: .unknownItem,
          parts: ["is a path, where a person belongs"]),
      ]
    }

    /// Names with wrong letters, and the name of a group that exists.
    private static func mistyped(_ path: String, _ root: String) -> [Mistake] {
      [
        // The folder's name with a wrong letter, in the wrong case, and without its place.
        Mistake(
          command: ["status", path + "x"], code: .unknownItem, parts: ["Did you mean \(path)?"]),
        Mistake(
          command: ["share", "show", root + "/a"], code: .unknownItem,
          parts: ["Did you mean \(path)?"]),
        Mistake(
          command: ["share", "show", "a"], code: .unknownItem, parts: ["Did you mean \(path)?"]),
        Mistake(
          command: ["ls", path + "/pictrues"], code: .unknownItem,
          parts: ["Did you mean \(path)/Pictures?"]),
        Mistake(
          command: ["history", path + "/notes"], code: .unknownItem,
          parts: ["Did you mean \(path)/Notes?"]),
        Mistake(
          command: ["stat", path + "/Nots"], code: .unknownItem,
          parts: ["\(path)/Nots doesn't exist.", "Did you mean \(path)/Notes?"]),
        Mistake(
          command: ["stat", path + "/none/x"], code: .unknownItem,
          parts: ["\(path)/none doesn't exist, either."]),
        Mistake(
          command: ["group", "create", "team", "bob", "nosuch"], code: .unknownItem,
          parts: ["Nobody with the handle or id nosuch"]),
        Mistake(
          command: ["group", "show", "taem"], code: .unknownItem, parts: ["Did you mean team?"]),
        Mistake(
          command: ["group", "create", "team"], code: .alreadyExists,
          parts: ["You have a group team already, with Bob (bob).", "cairn group add"]),
      ]
    }

    @Test func `what would be taken from people has to be confirmed`() throws {
      try TwoPeople.playSharing { people in
        let (ana, path) = (people.ana, people.ana.folder.path)
        let refused = try ana.fails(
          .invalidArguments, "share", "set-public", path, "read-only")
        #expect(
          refused.errors.contains("This has to be confirmed: bob stays as a person with the link"),
          "\(refused.errors)")
        #expect(refused.errors.contains("Nothing was changed yet. To confirm it, repeat"))
      }
    }

    @Test func `without a command, the people who haven't accepted are named`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        let link = try ana.cairn("share", "create", ana.folder.path, "--invite", "bob").lastLine
        #expect(try ana.cairn([]).text.contains("not accepted yet: bob (\"A\")"))
        #expect(try !bob.cairn([]).text.contains("not accepted yet"))
        try bob.cairn("share", "accept", link, "--at", bob.folder.path)
        try ana.awaitEvent(.shareAccepted)
        #expect(try !ana.cairn([]).text.contains("not accepted yet"))
      }
    }

    @Test func `the end of a share is news for those who didn't end it`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.cairn("share", "stop", ana.folder.path)
        #expect(try !ana.cairn("status").text.contains("isn't shared any more"))
        try bob.awaitEvent(.shareStopped)
        #expect(try bob.cairn("status").text.contains("isn't shared any more"))
      }
    }

    @Test func `init prints one line about the storage, and names the handles that are taken`()
      throws
    {
      try TwoPeople.play { people in
        let carol = try Person("carol", in: people.root, folder: "C")
        defer { people.end(carol) }
        func begin(_ handle: String, _ more: String...) throws -> Program.Outcome {
          try carol.run(
            ["init", "--container", people.container.path, "--name", "Carol", "--handle", handle]
              + more)
        }
        let taken = try begin("ana")
        #expect(taken.status == Control.ErrorCode.constraintViolation.exitStatus)
        #expect(taken.errors.contains("--handle. Taken: ana, bob."), "\(taken.errors)")
        let made = try begin("carol")
        #expect(made.status == 0 && made.text.hasPrefix("storage: ok ("), "\(made.text)")
        #expect(made.text.split(separator: "\n").count == 2)
      }
    }

    @Test func `an incomplete link is reported before any name is asked for`() throws {
      try TwoPeople.play { people in
        let carol = try Person("carol", in: people.root, folder: "C")
        let refused = try carol.run(["share", "accept", "cairn:share/abc"])
        #expect(refused.status == Control.ErrorCode.invalidArguments.exitStatus)
        #expect(refused.errors.contains("Copy the whole link"), "\(refused.errors)")
        #expect(!refused.errors.contains("Usage:"))
      }
    }

    @Test func `doctor reports a mistyped key of cairn.conf`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        let text = try ana.home.text("cairn.conf")
        try ana.home.write("flder = \"/x\"\n" + text, to: "cairn.conf")
        let outcome = try ana.run(["doctor"])
        #expect(outcome.status == Control.ErrorCode.invalidArguments.exitStatus)
        #expect(outcome.text.contains("not ok  configuration"), "\(outcome.text)")
        #expect(outcome.text.contains("flder"))
        try ana.home.write(text, to: "cairn.conf")
      }
    }
  }
}
