import CairnControl
import Testing

extension EndToEnd {
  /// The commands that help to find out what the daemon does.
  @Suite struct DiagnosisTests {
    @Test func `log levels change at run time, and file names appear at debug level`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        try ana.folder.write("one", to: "first-secret-name")
        try ana.wait()
        #expect(try ana.cairn("log-level").text == "info\n")
        #expect(try !log(of: ana).contains(" scan: "))
        #expect(
          try ana.cairn("log-level", "scan=debug,plan=trace").text
            == "info,scan=debug,plan=trace\n")
        try ana.folder.write("two", to: "second")
        try ana.wait()
        let lines = try log(of: ana)
        #expect(lines.contains(" scan: debug: scanned path=\(ana.folder.path) "))
        #expect(lines.contains(" plan: debug: planned "))
        let failure = try ana.fails(.invalidArguments, "log-level", "loud")
        #expect(failure.errors.contains("no log level “loud”"))
        #expect(try ana.cairn("log-level").text == "info,scan=debug,plan=trace\n")
      }
    }

    @Test func `CAIRN_LOG sets the levels of a starting daemon, or ends it with a reason`()
      throws
    {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        try ana.stopDaemon()
        let start = "CAIRN_LOG=\"$1\" \"$0\" start"
        let bad = try ana.run(program: "/bin/sh", "-c", start, ana.program, "scan=loud")
        #expect(bad.status == Control.ErrorCode.invalidArguments.exitStatus)
        #expect(bad.errors.contains("CAIRN_LOG is “scan=loud”"), "\(bad.errors)")
        let good = try ana.run(program: "/bin/sh", "-c", start, ana.program, "store=debug")
        try #require(good.status == 0, "\(good.errors)")
        #expect(try ana.cairn("log-level").text == "info,store=debug\n")
      }
    }

    @Test func `a report has states and log lines, but no name, path or key`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.cairn("log-level", "trace")
        try ana.folder.write("words of a letter", to: "love-letter.txt")
        try ana.wait()
        try bob.wait()
        let file = people.root.path + "/report.txt"
        let said = try ana.cairn("doctor", "--report", file)
        #expect(said.text.contains("versions, configuration, container, mounts"))
        let report = try people.root.text("report.txt")
        #expect(report.contains("cairn \(Control.version)\n"))
        #expect(report.contains("phase=idle"))
        #expect(report.contains(" log debug entry stored "))
        #expect(report.contains("container ok"))
        for secret in [
          "love-letter", "letter", people.root.path, "Ana", "ana", "bob", "Bob",
          people.container.path,
        ] {
          #expect(!report.contains(secret), "the report contains \(secret)")
        }
        // An existing file stays as it is.
        try ana.fails(.invalidArguments, "doctor", "--report", file)
        #expect(try people.root.text("report.txt") == report)
      }
    }

    private func log(of person: Person) throws -> String {
      let home = try Home(environment: ["CAIRN_HOME": person.home.path])
      return try Folder(home.logs).text("cairnd.log")
    }
  }
}
