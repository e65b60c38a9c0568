import CairnControl
import Testing

extension EndToEnd {
  /// The daemon's requirements on the machine.
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

    @Test func `a new container that nobody else can use is reported, by doctor, too`()
      throws
    {
      try TwoPeople.play { people in
        let ana = try Person("alone", in: people.root, folder: "A")
        let place = people.root.path + "/mine"
        let command = "umask 077 && \"$0\" init --container \"$1\" --name Ana --handle ana"
        let outcome = try ana.run(program: "/bin/sh", "-c", command, ana.program, place)
        defer { _ = try? ana.run("stop") }
        try #require(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("warning: ") && outcome.errors.contains("mode 0700"))
        #expect(outcome.errors.contains("chgrp -R GROUP \(place)"))
        func access() throws -> Control.Check {
          let checks = try ana.answer(Control.DoctorReply.self, "doctor").checks
          return try #require(checks.first { $0.name == "access" })
        }
        let check = try access()
        #expect(check.code == nil && check.remedy.contains("chgrp -R GROUP \(place)"))
        #expect(try ana.cairn("doctor").text.contains("chgrp -R GROUP"))
        // The suggested command helps.
        let parts = check.remedy.split(separator: "`")
        let typed = try #require(parts.dropFirst().first).replacing("GROUP", with: "$(id -g)")
        #expect(try ana.run(program: "/bin/sh", "-c", String(typed)).status == 0)
        #expect(try access().remedy.isEmpty)
      }
    }
  }
}
