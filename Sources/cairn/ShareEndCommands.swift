import ArgumentParser
import CairnControl

/// `cairn share leave`.
struct ShareLeaveCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave",
    abstract: "End your part in somebody else's share.",
    discussion: """
      Nothing changes for the others. The folder goes; what was not sent yet is kept, and \
      `cairn status` says where. With --keep-copy the files stay, as a folder of your own.
      """)

  @Argument(help: ArgumentHelp("The shared folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument

  @Flag(help: "Keep the files as a folder of your own.")
  var keepCopy = false

  @OptionGroup var question: QuestionOptions

  @OptionGroup var output: OutputOptions

  func run() throws {
    try question.ask(
      "Your part in the share ends, on all devices of yours, and its folder "
        + (keepCopy ? "becomes one of your own." : "goes.")
        + " Only who may invite can let you in again.", output)
    let request = Control.ShareLeave(share: try share.reference(), keepCopy: keepCopy)
    guard let reply = try Session(output).ask(request) else { return }
    let rest = reply.kept ? "; its files stay at \(reply.path?.printable ?? "")" : ""
    Output.line("You left \"\(Output.printable(reply.title))\"\(rest).")
  }
}

/// `cairn share stop`.
struct ShareStopCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "End a share of yours.",
    discussion: """
      Everybody else loses the folder; you keep everything where it is, nothing is stored again, \
      and it can be shared anew at once.
      """)

  @Argument(help: ArgumentHelp("The shared folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument

  @OptionGroup var question: QuestionOptions

  @OptionGroup var output: OutputOptions

  func run() throws {
    try question.ask(
      "Everybody else loses the folder, and has to be invited anew if you share it again.", output)
    let request = Control.ShareStop(share: try share.reference())
    guard let reply = try Session(output).ask(request) else { return }
    Output.line("\"\(Output.printable(reply.title))\" isn't shared any more.")
  }
}
