import CairnControl
import Testing

extension EndToEnd {
  /// The kept history of a folder.
  @Suite struct KeepingTests {
    @Test func `the owner sets the kept history, everybody may read it, and all are told`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let path = ana.folder.path
        #expect(try ana.cairn("history", "policy", path).lastLine.contains("All versions are kept"))
        try bob.fails(.permissionFailure, "history", "policy", bob.folder.path, "--versions", "1")
        let trial = try ana.cairn("history", "policy", path, "--versions", "0", "--dry-run").text
        #expect(trial.contains("Nothing was changed."))
        let counted = try ana.answer(
          Control.HistoryPolicyReply.self, "history", "policy", path, "--versions", "0",
          "--dry-run")
        #expect(counted.frees == 0 && counted.policy == Control.KeptHistory(versions: 0))
        #expect(try ana.cairn("history", "policy", path).lastLine.contains("All versions are kept"))
        let said = try ana.cairn(
          "history", "policy", path, "--all", "30d", "--daily", "1y", "--versions", "10")
        #expect(said.text.contains("30 days") && said.text.contains("1 year"))
        #expect(said.text.contains("or it is one of the file's last 10."))
        #expect(said.text.contains("Nothing is deleted before 20"))
        try people.settle()
        let told = try bob.answer(
          Control.HistoryPolicyReply.self, "history", "policy", bob.folder.path)
        #expect(
          told.policy
            == Control.KeptHistory(all: 30 * 86_400, daily: 365 * 86_400, versions: 10))
        #expect(told.formerUntil == nil, "only the owner's devices know how old anything is")
        let events = try bob.cairn("events").text
        #expect(events.contains("history.changed"))
        try ana.cairn("history", "policy", path, "--forever")
        #expect(
          try ana.answer(Control.HistoryPolicyReply.self, "history", "policy", path).policy.forever)
      }
    }

    @Test func `a password in a file is removed from everybody's history`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        for text in ["password=hunter2", "password=hunter3", "password in the vault"] {
          try bob.folder.write(Array(text.utf8), to: "config.ini")
          try people.settle()
        }
        let (anas, bobs) = ("\(ana.folder.path)/config.ini", "\(bob.folder.path)/config.ini")
        try bob.fails(.permissionFailure, "history", "forget", bobs, "--yes")
        try ana.fails(.invalidArguments, "history", "forget", ana.folder.path, "--yes")
        let dry = try ana.answer(
          Control.HistoryForgetReply.self, "history", "forget", anas, "--dry-run")
        #expect(dry.versions.count == 2 && dry.bytes == 32 && dry.until == nil)
        #expect(dry.elsewhere.isEmpty && dry.versions[0].path?.printable == anas)
        #expect(
          try ana.cairn("show", anas, "--version", "\(dry.versions[1].version ?? 0)").text
            .contains("hunter2"))
        let said = try ana.cairn("history", "forget", anas, "--yes").text
        #expect(said.contains("Forgotten: 2 versions"))
        #expect(said.contains("change the password"))
        try people.settle()
        for (person, path) in [(ana, anas), (bob, bobs)] {
          let left = try person.answer(Control.HistoryReply.self, "history", path).entries
          #expect(left.count == 1, "\(left)")
          try person.fails(
            .unknownItem, "show", path, "--version", "\(dry.versions[1].version ?? 0)")
          #expect(try person.cairn("show", path).text.contains("vault"))
        }
        try ana.fails(.unknownItem, "history", "forget", anas)
        #expect(try bob.cairn("log", bob.folder.path).text.contains("deleted 2 earlier versions"))
        try people.expectSame(count: 1)
        try bob.cairn("verify", bob.folder.path)
      }
    }
  }
}
