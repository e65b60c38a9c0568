import CairnControl
import Testing

extension EndToEnd {
  @Suite struct QuestionTests {
    @Test func `on a terminal a person is asked before a final act`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let folder = ana.folder.path
        let commands = [
          ["share", "stop", folder], ["share", "transfer", folder, "bob"],
          ["share", "successor", folder, "bob"],
          ["device", "revoke", "nobody"], ["history", "forget", "\(folder)/nothing"],
        ]
        for command in commands {
          let refused = try ana.onTerminal(command, answer: "n")
          #expect(refused.text.contains("Do it? [y/N]"), "\(command): \(refused.text)")
          #expect(refused.text.contains("Nothing was changed."))
          #expect(refused.status == Control.ErrorCode.operationCancelled.exitStatus)
        }
        let share = try ana.answer(Control.ShareReply.self, "share", "show", folder).share
        #expect(share.owner.handle == "ana" && share.participants.count == 2)
        let leaving = try bob.onTerminal(["share", "leave", bob.folder.path], answer: "")
        #expect(leaving.text.contains("Do it?") && bob.folder.exists(""))
        // A person who says yes, or gives the option, isn't asked again. A script is never asked.
        let left = try bob.onTerminal(["share", "leave", bob.folder.path, "--yes"], answer: "n")
        #expect(left.status == 0 && !left.text.contains("Do it?") && !bob.folder.exists(""))
        #expect(try ana.onTerminal(["share", "stop", folder], answer: "y").status == 0)
        try ana.cairn("share", "create", folder)
        try ana.cairn("share", "stop", folder)
      }
    }

    @Test func `files in drop boxes are counted before they are discarded`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.cairn("add", ana.folder.path)
        let link = try ana.cairn("drop", "create", ana.folder.path).lastLine
        for name in ["one", "two"] {
          try people.root.write("x", to: "\(name)")
          try bob.cairn("drop", "put", link, "\(people.root.path)/\(name)")
        }
        let command = ["drop", "discard", "--all"]
        let refused = try ana.onTerminal(command, answer: "n")
        #expect(refused.text.contains("2 waiting files are deleted."), "\(refused.text)")
        #expect(refused.text.contains("Do it? [y/N]") && refused.text.contains("Nothing was"))
        #expect(refused.status == Control.ErrorCode.operationCancelled.exitStatus)
        #expect(try ana.answer(Control.DropsReply.self, "drop", "list").drops.count == 2)
        let done = try ana.onTerminal(command, answer: "y")
        #expect(done.status == 0 && done.text.contains("Discarded. No file waits."), "\(done.text)")
        // Without a file there is no question.
        let nothing = try ana.onTerminal(command, answer: "n")
        #expect(nothing.status == 0 && !nothing.text.contains("Do it?"), "\(nothing.text)")
      }
    }
  }
}

extension Person {
  /// Runs `cairn` on a terminal, with a typed answer.
  fileprivate func onTerminal(
    _ arguments: [String], answer: String
  ) throws -> Program.Outcome {
    let words = ([program] + arguments).map { "'\($0)'" }.joined(separator: " ")
    return try run(
      program: "/bin/sh", "-c", "printf '%s\\n' '\(answer)' | script -qec \"$0\" /dev/null", words)
  }
}
