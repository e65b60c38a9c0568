import CairnControl
import Testing

extension EndToEnd {
  /// What is kept of the past of a folder.
  @Suite struct KeepingTests {
    @Test func `the owner says what is kept, everybody may look, and all are told`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let path = ana.folder.path
        #expect(try ana.cairn("history", "policy", path).lastLine.contains("for ever"))
        try bob.fails(.permissionFailure, "history", "policy", bob.folder.path, "--versions", "1")
        let said = try ana.cairn(
          "history", "policy", path, "--all", "30d", "--daily", "1y", "--versions", "10")
        #expect(said.text.contains("30 days") && said.text.contains("1 year"))
        #expect(said.text.contains("10 past versions of each file are kept."))
        #expect(said.lastLine.contains("what was kept before is kept as well"))
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
  }
}
