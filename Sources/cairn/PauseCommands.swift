import ArgumentParser
import CairnControl

/// `cairn pause`: stops all traffic for a while.
struct PauseCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Stop all traffic with the container, or one folder's.",
    discussion: """
      Nothing is sent or fetched until `cairn resume`, also after a restart of the daemon. Your \
      changes are noted, and are sent then. Commands that need the container say so. See cairn- \
      pause(1).
      """)

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("End the pause after this time: 30m, 2h or 7d.", valueName: "span"))
  var span: SpanArgument?

  @Argument(
    help: ArgumentHelp(
      "A mirrored folder, or a share's id; everything if left out.", valueName: "dir-or-share"))
  var share: ShareArgument?

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.Pause {
    Control.Pause(
      share: try share?.reference(), seconds: span.map { $0.nanoseconds / 1_000_000_000 })
  }

  func write(_ reply: Control.Pause.Reply) {
    let what =
      share == nil
      ? "All traffic" : "The traffic of " + PauseCommand.list(reply.paths)
    Output.line("\(what) is paused \(Wording.pause(reply.paused)).")
    Output.line("Run `cairn resume` to continue.")
  }

  static func list(_ paths: [Control.Path]) -> String {
    paths.map(\.printable).joined(separator: ", ")
  }
}

/// `cairn resume`: ends a pause.
struct ResumeCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "End a pause.",
    discussion: """
      With a folder, ends only the pause of this folder. Otherwise ends all pauses. See cairn- \
      pause(1).
      """)

  @Argument(
    help: ArgumentHelp(
      "A mirrored folder, or a share's id; everything if left out.", valueName: "dir-or-share"))
  var share: ShareArgument?

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.Resume { Control.Resume(share: try share?.reference()) }

  func write(_ reply: Control.Resume.Reply) {
    guard reply.resumed else { return Output.line("Nothing was paused.") }
    let what =
      share == nil
      ? "All traffic" : "The traffic of " + PauseCommand.list(reply.paths)
    Output.line("\(what) continues.")
  }
}
