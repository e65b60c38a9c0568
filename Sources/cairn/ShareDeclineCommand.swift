import ArgumentParser
import CairnControl

/// `cairn share decline`.
struct ShareDeclineCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "decline",
    abstract: "Delete an invitation from your inbox.",
    discussion: """
      The inviter is not told. To join later, ask for a new invitation.
      """)

  @Argument(help: "The invitation's id, from `cairn share invitations`, or the link.")
  var invitation: InvitationArgument

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.ShareDecline {
    Control.ShareDecline(invitation: try invitation.text())
  }

  func write(_ reply: Control.ShareDecline.Reply) {
    let from = Wording.person(reply.from.user, reply.from.handle, reply.from.name)
    Output.line("The invitation to \"\(Output.printable(reply.title))\" from \(from) is deleted.")
  }
}
