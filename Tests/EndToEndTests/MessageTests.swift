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
            command: ["share", "invite", path, "bbo"], code: .participantMayNeedVerification,
            parts: ["Did you mean bob?"]),
          Mistake(
            command: ["share", "remove", path, "dora"], code: .participantMayNeedVerification,
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
        let number = try ana.cairn("user", "verify", "bob").text
        #expect(number.contains("run `cairn user verify bob --match DIGITS`"))
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
