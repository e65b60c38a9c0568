import ArgumentParser
import CairnControl

/// `cairn share uninvite`.
struct ShareUninviteCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "uninvite",
    abstract: "Revoke an invitation or a link.",
    discussion: """
      Revokes the invitation of a person who hasn't accepted yet, or a link, whose id `cairn share \
      show` lists. To remove a participant, use `cairn share remove`.
      """)

  @Argument(help: ArgumentHelp("The shared folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument

  @Argument(
    help: ArgumentHelp(
      "The person's handle or id, or the link's id; six digits of an id are enough.",
      valueName: "handle-or-link"), completion: Suggestions.invited.completion)
  var invited: String

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.ShareUninvite(share: try share.reference(), invited: invited)
    guard let reply = try Session(output).ask(request) else { return }
    Output.line(
      "The invitation \(Output.printable(invited)) to \"\(Output.printable(reply.share.title))\" "
        + "was revoked.")
  }
}
