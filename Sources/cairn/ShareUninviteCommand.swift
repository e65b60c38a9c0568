import ArgumentParser
import CairnControl

/// `cairn share uninvite`.
struct ShareUninviteCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "uninvite",
    abstract: "Revoke an invitation or a link.",
    discussion: """
      Revokes the invitation of a person who hasn't accepted yet, or a link, whose id `cairn share \
      show` lists. To remove a participant, use `cairn share remove`.
      """)

  @OptionGroup var share: ShareArguments

  @Argument(
    help: ArgumentHelp(
      "The person's handle or id, or the link's id; six digits of an id are enough.",
      valueName: "handle-or-link"), completion: Suggestions.invited.completion)
  var invited: String

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.ShareUninvite {
    Control.ShareUninvite(share: try share.reference(), invited: invited)
  }

  func write(_ reply: Control.ShareUninvite.Reply) {
    Output.line(
      "The invitation \(Output.printable(invited)) to \"\(Output.printable(reply.share.title))\" "
        + "was revoked.")
  }
}
