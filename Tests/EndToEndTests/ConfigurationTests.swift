import CairnControl
import Testing

extension EndToEnd {
  /// Mistyped words in cairn.conf are reported to the person.
  @Suite struct ConfigurationTests {
    @Test func `status reports a mistyped key`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        #expect(try ana.answer(Control.StatusReply.self, "status").problems.isEmpty)
        try ana.stopDaemon()
        let text = try ana.home.text("cairn.conf")
        try ana.home.write("flder = \"/x\"\n" + text, to: "cairn.conf")
        let problems = try ana.answer(Control.StatusReply.self, "status").problems
        #expect(problems.count == 1)
        #expect(problems.first?.message.contains("flder") == true)
        #expect(problems.first?.path == Control.Path(ana.home.path + "/cairn.conf"))
      }
    }
  }
}
