import CairnControl
import Testing

extension EndToEnd {
  /// A git checkout that two people work in, and that one of them removes.
  @Suite struct CheckoutTests {
    private func git(_ person: Person, _ arguments: String...) throws {
      let settings = ["user.name=n", "user.email=e@x", "init.defaultBranch=main", "gc.auto=0"]
      let words =
        ["-C", person.folder.path + "/repo"] + settings.flatMap { ["-c", $0] } + arguments
      let outcome = try Program.run(
        "/usr/bin/git", words, environment: person.environment, scratch: person.scratch)
      #expect(outcome.status == 0, "git \(arguments): \(outcome.errors)")
    }

    @Test func `a checkout that one person removes is restored, and git finds no fault`()
      throws
    {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("repo")
        try git(ana, "init", "-q")
        for round in 1...3 {
          for person in [ana, bob] {
            try git(person, "checkout", "-q", "-b", "\(person.handle)-\(round)")
            for number in 0..<20 {
              try person.folder.write("\(person.handle) \(round)", to: "repo/note \(number)")
            }
            try git(person, "add", "-A")
            try git(person, "commit", "-q", "-m", "round \(round)")
            try people.settle()
          }
        }
        try git(bob, "gc", "-q")
        try people.settle()
        let (before, place) = (try bob.folder.tree(), "@\(try ana.zone().sequence)")

        try bob.folder.remove("repo")
        try people.settle()
        #expect(try ana.folder.tree().isEmpty)
        let gone = try ana.answer(
          Control.HistoryReply.self, "history", "--deleted", ana.folder.path, "--limit", "10000")
        #expect(gone.entries.count >= before.count)

        try ana.cairn("rewind", ana.folder.path, "--to", place, "--by", "bob")
        try people.settle()
        // This is before git looks, because git records that in each of them.
        try people.expectSame(count: before.count)
        #expect(try Set(ana.folder.tree().keys) == Set(before.keys))
        for person in [ana, bob] {
          try git(person, "fsck", "--strict")
          try git(person, "diff", "--quiet", "HEAD")
        }
      }
    }
  }
}
