import Logging
import Testing

@testable import CairnDaemon

/// The text for Prometheus, and the lines for the journal.
@Suite struct MetricsTests {
  @Test func `families have a help, a kind and samples with labels`() {
    var metrics = Metrics()
    metrics.add("a_total", .counter, "How many.", 3)
    metrics.add("nothing", .gauge, "None.", [])
    metrics.add(
      "b", .gauge, "Of two\nlines \\.",
      [.init(0.5, [("folder", "/a \"b\"\n\\"), ("zone", "z")]), .init(UInt64(1) << 40)])
    #expect(
      metrics.text == """
        # HELP a_total How many.
        # TYPE a_total counter
        a_total 3
        # HELP b Of two\\nlines \\\\.
        # TYPE b gauge
        b{folder="/a \\"b\\"\\n\\\\",zone="z"} 0.5
        b 1099511627776

        """)
  }

  @Test func `each line for the journal begins with its level, and has no time`() {
    let log = StandardErrorLog(label: "cairnd", isJournal: true)
    #expect(log.line(.info, "ready") == "<6>ready\n")
    #expect(log.line(.warning, "one\ntwo") == "<4>one\n<4>two\n")
    #expect(log.line(.error, "bad") == "<3>bad\n")
    #expect(log.line(.debug, "small") == "<7>small\n")
    let plain = StandardErrorLog(label: "cairnd", isJournal: false)
    #expect(plain.line(.warning, "bad").hasSuffix(" cairnd: warning: bad\n"))
    #expect(plain.line(.info, "ready").hasSuffix(" cairnd: ready\n"))
    #expect(!StandardErrorLog.leadsToJournal)
  }
}
