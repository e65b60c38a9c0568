import CairnControl
import CairnDiagnostics
import Logging
import Testing

@testable import CairnDaemon

/// Log levels by scope, and the rule for lines with names.
@Suite struct LogLevelTests {
  @Test func `levels are set by scope and shown in the form that sets them`() throws {
    let levels = LogLevels()
    #expect(levels.description == "info" && levels["scan"] == .info)
    try levels.set("warning,scan=debug, store = trace")
    #expect(levels["cairnd"] == .warning && levels["plan"] == .warning)
    #expect(levels["scan"] == .debug && levels["store"] == .trace)
    #expect(levels.description == "warning,scan=debug,store=trace")
    // A level for one scope leaves the others as they are.
    try levels.set("scan=warning")
    #expect(levels.description == "warning,store=trace")
    try levels.set("info")
    #expect(levels.description == "info")
  }

  @Test func `an unknown level or scope changes nothing and is named`() throws {
    let levels = LogLevels()
    for (text, name) in [("debug,loud", "level “loud”"), ("debug,disk=info", "scope “disk”")] {
      let error = #expect(throws: InvalidLevels.self) { try levels.set(text) }
      #expect(error?.message.contains(name) == true)
      #expect(error?.remedy.contains("trace") == true)
    }
    #expect(levels.description == "info")
  }

  @Test func `names are printed from debug level on only`() throws {
    let levels = LogLevels()
    let log = StandardErrorLog(label: "scan", isJournal: false, levels: levels)
    let metadata: Logger.Metadata = [
      "zone": "ab12", "path": .stringConvertible(Diagnostics.Name("/home/a b\n")),
    ]
    #expect(log.text(metadata) == " zone=ab12")
    try levels.set("scan=debug")
    #expect(log.text(metadata) == " path=\"/home/a b\\n\" zone=ab12")
    try levels.set("scan=info,store=debug")
    #expect(log.text(metadata) == " zone=ab12")
  }

  @Test func `the lines for a report have no names, and the oldest are dropped`() {
    let recent = RecentLog()
    func event(_ message: Logger.Message, _ metadata: Logger.Metadata = [:]) -> LogEvent {
      LogEvent(
        level: .warning, message: message, metadata: metadata, source: "CairnDaemon",
        file: "CairnDaemon/Core/Daemon.swift", function: "f", line: 7)
    }
    recent.add("12:00", "cairnd", event("/home/ana can't be read"))
    let name = Logger.MetadataValue.stringConvertible(Diagnostics.Name("secret"))
    recent.add("12:01", "store", event("put", ["bytes": "7", "object": name]))
    #expect(
      recent.lines == [
        "12:00 cairnd warning Daemon.swift:7", "12:01 store warning put bytes=7",
      ])
    for number in 0..<RecentLog.limit {
      recent.add("\(number)", "scan", event("scanned"))
    }
    #expect(recent.lines.count == RecentLog.limit)
    #expect(recent.lines.first == "0 scan warning scanned")
    #expect(recent.lines.last?.hasPrefix("\(RecentLog.limit - 1) ") == true)
  }
}
