import ArgumentParser
import CairnControl

/// `cairn share take-out`.
struct ShareTakeOutCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "take-out",
    abstract: "Take one folder or file out of a share of several.",
    discussion: """
      All other participants lose it, and keep the rest of the share. Here it stays in place: what \
      was inside a mirrored folder belongs to that folder again, and another folder is mirrored \
      for you alone. Only the owner of the share may do it. `cairn share stop` ends the whole \
      share.
      """)

  @Argument(help: ArgumentHelp("The folder or file.", valueName: "path"))
  var path: PathArgument

  @OptionGroup var question: QuestionOptions

  @OptionGroup var output: OutputOptions

  func confirm() throws {
    let part = try path.absolute()
    try question.ask("All other participants lose \(part.printable).", output)
  }

  func request() throws -> Control.ShareTakeOut { Control.ShareTakeOut(path: try path.absolute()) }

  func write(_ reply: Control.ShareTakeOut.Reply) {
    Output.line(
      "\(reply.path.printable) isn't in \"\(Output.printable(reply.share.title))\" any more.")
    guard !reply.mirrored else { return }
    Output.line("It isn't mirrored any more; the file stays.")
  }
}
