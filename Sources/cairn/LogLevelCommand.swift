import ArgumentParser
import CairnControl

/// `cairn log-level`: shows or sets how much the daemon logs.
struct LogLevelCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "log-level",
    abstract: "Show or set how much the daemon logs.",
    discussion: """
      LEVELS is a level for everything, or SCOPE=LEVEL, or several of these with commas: \
      info,scan=debug. Levels are trace, debug, info, notice, warning, error and critical. Scopes \
      are daemon, scan, plan, log, store and transfer. The change lasts until the daemon ends; \
      CAIRN_LOG and cairn.conf(5) set the levels at its start. The log contains file names from \
      debug level on. See cairn-start(1).
      """)

  @Argument(
    help: "The new levels. Without it, show the current ones.",
    completion: .list(["trace", "debug", "info", "notice", "warning", "error", "critical"]))
  var levels: String?

  @OptionGroup var output: OutputOptions

  func request() -> Control.LogLevel { Control.LogLevel(levels: levels) }

  func write(_ reply: Control.LogLevel.Reply) { Output.line(Output.printable(reply.levels)) }
}
