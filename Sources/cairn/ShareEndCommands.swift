import ArgumentParser
import CairnControl

/// `cairn share leave`.
struct ShareLeaveCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave",
    abstract: "Leave a share of another person.",
    discussion: """
      Nothing changes for the others. The folder is removed here; edits that were not sent yet are \
      kept, and `cairn status` shows where. With --keep-copy the files stay as a folder of your \
      own, and are stored again as yours.
      """)

  @OptionGroup var share: ShareArguments

  @Flag(help: "Keep the files as a folder of your own.")
  var keepCopy = false

  @OptionGroup var question: QuestionOptions

  @OptionGroup var output: OutputOptions

  func confirm() throws {
    try question.ask(
      "You leave the share on all your devices, and its folder "
        + (keepCopy ? "becomes one of your own." : "is removed.")
        + " To come back, you need a new invitation.", output)
  }

  func request() throws -> Control.ShareLeave {
    Control.ShareLeave(share: try share.reference(), keepCopy: keepCopy)
  }

  func write(_ reply: Control.ShareLeave.Reply) {
    let rest =
      reply.kept
      ? " Its files stay at \(reply.path?.printable ?? ""). They are yours now, and are stored "
        + "again in the container as yours." : ""
    Output.line("You left \"\(Output.printable(reply.title))\".\(rest)")
  }
}

/// `cairn share stop`.
struct ShareStopCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "End a share of yours.",
    discussion: """
      All other participants lose the folder. You keep everything in place, nothing is stored \
      again, and you can share it again at once.
      """)

  @OptionGroup var share: ShareArguments

  @OptionGroup var question: QuestionOptions

  @OptionGroup var output: OutputOptions

  func confirm() throws {
    try question.ask(
      "All other participants lose the folder, and need a new invitation if you share it again.",
      output)
  }

  func request() throws -> Control.ShareStop {
    Control.ShareStop(share: try share.reference())
  }

  func write(_ reply: Control.ShareStop.Reply) {
    Output.line("\"\(Output.printable(reply.title))\" isn't shared any more.")
  }
}
