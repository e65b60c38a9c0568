import ArgumentParser
import CairnControl

/// `cairn share add`.
struct ShareAddCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a folder or a file to a share.",
    discussion: """
      Everybody in the share sees it under its name, without accepting again. It stays where it is \
      on this machine. What is in a share already is refused.
      """)

  @Argument(help: ArgumentHelp("The shared folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument

  @Argument(help: ArgumentHelp("The folder or file to add.", valueName: "path"))
  var path: PathArgument

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.ShareAdd(share: try share.reference(), path: try path.absolute())
    guard let reply = try Session(output).ask(request) else { return }
    Output.line(
      "\(request.path.printable) is in \"\(Output.printable(reply.share.title))\" now, as "
        + "\"\(reply.name.printable)\".")
  }
}
