import ArgumentParser
import CairnControl

/// `cairn why`: the reason for the state of a path.
struct WhyCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Say why a file or folder is as it is.",
    discussion: """
      What waits at the path and for which reason, which rule keeps it out, and which entries of \
      the log made it what it is: whose, from which device, when by their clock. The path may be \
      that of something deleted.
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
