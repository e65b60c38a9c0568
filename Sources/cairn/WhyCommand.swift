import ArgumentParser
import CairnControl

/// `cairn why`: the reason for the state of a path.
struct WhyCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Explain the state of a file or folder.",
    discussion: """
      Shows the pending changes of the path with their reasons, the ignore rule that applies, and \
      the log entries that led to its state, with author, device and time. The path may be a \
      deleted one.
      """)

  @Argument(help: "A path in a mirrored folder.")
  var path: PathArgument

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.Why { Control.Why(path: try path.absolute()) }

  func write(_ reply: Control.Why.Reply) {
    for reason in reply.now + reply.history {
      let text = Output.sentence(reason.text)
      Output.line(reason.entry.map { "\(text)  (\(place($0)))" } ?? text)
      if let remedy = reason.remedy { Output.line("    " + Output.sentence(remedy)) }
    }
  }

  private func place(_ entry: Control.LogEntry) -> String {
    "entry \(entry.sequence), \(Wording.time(entry.time))"
  }
}
