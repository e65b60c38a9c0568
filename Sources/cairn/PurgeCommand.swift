import ArgumentParser
import CairnControl

/// The flag that confirms a folder with a home or secrets in it, or a place of the system.
struct SensitiveOptions: ParsableArguments {
  @Flag(help: "Do it although it holds a home or secrets, or belongs to the system.")
  var sensitive = false

  /// The confirmations that the command line gives.
  var given: Set<Control.Confirmation> { sensitive ? [.sensitive] : [] }
}

/// `cairn purge`.
struct PurgeCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "purge",
    abstract: "Delete a folder everywhere.",
    discussion: """
      Deletes a folder of yours from the container, for all participants and with all earlier \
      versions. For a share of another person, only your participation ends. The files on your own \
      devices move to the rescue folder, which the answer names; `cairn rescue clear` deletes \
      them there. On a terminal, the command shows the folder, its size and its people, and \
      asks. Elsewhere it needs --yes.
      """)

  @Argument(help: ArgumentHelp("The folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument

  @Flag(help: "Delete it without asking.")
  var yes = false

  @OptionGroup var sensitive: SensitiveOptions

  @OptionGroup var output: OutputOptions

  func run() throws {
    let reference = try share.reference()
    let given = sensitive.given.union(yes ? [.confirmed] : [])
    let reply = try QuestionOptions.confirmed(given, output) { confirmed in
      Control.Purge(
        share: reference, confirmed: confirmed.contains(.confirmed) ? true : nil,
        sensitive: confirmed.contains(.sensitive) ? true : nil)
    }
    guard let reply else { return }
    Output.line("\"\(Output.printable(reply.title))\" is gone.")
    if let folder = reply.rescued {
      Output.line("Its files are in \(folder.printable).")
    }
  }
}
