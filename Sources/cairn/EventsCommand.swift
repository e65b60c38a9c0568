import ArgumentParser
import CairnControl

/// `cairn events`: past and new events.
struct EventsCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Show what the daemon did.",
    discussion: """
      Prints one line for each event, the oldest first. With --json, prints one JSON object for \
      each. With --follow, continues until you interrupt it. --notify follows, and shows only what \
      a desktop would show as notifications: a few each hour with the command to type, and a sum \
      of the rest.
      """)

  @Argument(help: "A mirrored folder, or anything in it; all of them if left out.")
  var path: PathArgument?

  @Flag(name: .shortAndLong, help: "Continue with new events.")
  var follow = false

  @Flag(help: "Follow, and show only urgent events, a few each hour.")
  var notify = false

  @Option(help: "Only events after this number.")
  var since: UInt64?

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.Events(
      follow: follow || notify, since: since, path: try path?.absolute())
    guard !notify else { return try showNotices(of: request) }
    var isEmpty = true
    _ = try Session(output).answer(request) { line in
      guard case .event(let event) = line.update else { return }
      isEmpty = false
      if output.json { Output.line(line.json) } else { Output.line(Self.text(event)) }
    }
    if isEmpty, !output.json { Output.line("Nothing happened.") }
  }

  /// Shows notifications when they are due, also while nothing happens.
  private func showNotices(of request: Control.Events) throws {
    let (feed, isJSON) = (NoticeFeed(), output.json)
    let showing = feed.start { Self.show($0, isJSON: isJSON) }
    defer {
      feed.end()
      showing()
    }
    _ = try Session(output).answer(request) { line in
      if case .event(let event) = line.update { feed.take(event) }
    }
  }

  private static func show(_ notice: Control.Notice, isJSON: Bool) {
    guard !isJSON else {
      do { return Output.line(try ControlJSON.encode(notice)) } catch {
        preconditionFailure("a notice has no form in JSON: \(error)")
      }
    }
    let text = Output.sentence(notice.text.split(separator: "\n").joined(separator: " "))
    Output.line("\(notice.title): \(text)  (`\(notice.command)`)")
  }

  private static func text(_ event: Control.Event) -> String {
    let container = event.containerName.map { Output.printable($0) + "  " } ?? ""
    let place = event.path.map { "  " + $0.printable } ?? ""
    return "\(event.number)  \(Wording.time(event.time))  \(container)"
      + "\(Output.printable(event.kind))\(place)  " + Output.sentence(event.text)
  }
}
