import CairnControl
import Testing

extension EndToEnd {
  /// What the daemon needs of the machine.
  @Suite struct DoctorTests {
    @Test func `the daemon may open as many files as its person may`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        try ana.stopDaemon()
        let start = "ulimit -Sn 64 && ulimit -Hn 512 && \"$0\" start"
        let outcome = try ana.run(program: "/bin/sh", "-c", start, ana.program)
        try #require(outcome.status == 0, "\(outcome.errors)")
        let checks = try ana.answer(Control.DoctorReply.self, "doctor").checks
        let check = try #require(checks.first { $0.name == "descriptors" })
        #expect(check.code == nil && check.message.contains("of 512 "))
      }
    }
  }
}
