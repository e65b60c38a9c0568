import ArgumentParser
import CairnControl

/// `cairn share add`.
struct ShareAddCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a folder or a file to a share.",
    discussion: """
      All participants see it under its name, without accepting again. It stays in its place on \
      this machine. An item that is in a share already is refused.
      """)

  @OptionGroup var share: ShareArguments

  @Argument(help: ArgumentHelp("The folder or file to add.", valueName: "path"))
  var path: PathArgument

  @OptionGroup var sensitive: SensitiveOptions

  @OptionGroup var output: OutputOptions

  func run() throws {
    let (target, added) = (try share.reference(), try path.absolute())
    let reply = try QuestionOptions.confirmed(sensitive.given, output) { given in
      Control.ShareAdd(
        share: target, path: added, sensitive: given.contains(.sensitive) ? true : nil)
    }
    guard let reply else { return }
    Output.line(
      "\(added.printable) is in \"\(Output.printable(reply.share.title))\" now, as "
        + "\"\(reply.name.printable)\".")
  }
}
