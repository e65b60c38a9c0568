import ArgumentParser
import CairnControl

/// `cairn events`: what has happened, and what happens.
struct EventsCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Show what the daemon did.",
    discussion: """
      One line for each event, the oldest first. With --json, one JSON object a line. With \
      --follow it goes on until it is interrupted, which stops nothing else.
      """)

  @Argument(help: "A mirrored folder, or anything in it; all of them if left out.")
  var path: PathArgument?

  @Flag(name: .shortAndLong, help: "Go on with what happens from here on.")
  var follow = false

  @Option(help: "Only events after this number.")
  var since: UInt64?

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.Events(follow: follow, since: since, path: try path?.absolute())
    var isEmpty = true
    _ = try Session(output).answer(request) { event, json in
      isEmpty = false
      if output.json { Output.line(json) } else { Output.line(Self.text(event)) }
    }
    if isEmpty, !output.json { Output.line("Nothing happened.") }
  }

  private static func text(_ event: Control.Event) -> String {
    let place = event.path.map { "  " + $0.printable } ?? ""
    return "\(event.number)  \(Wording.time(event.time))  \(Output.printable(event.kind))\(place)  "
      + Output.sentence(event.text)
  }
}
