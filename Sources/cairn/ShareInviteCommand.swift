import ArgumentParser
import CairnControl

/// `cairn share invite`.
struct ShareInviteCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite",
    abstract: "Invite people to a share.",
    discussion: """
      Invites all of the people, or none if one of them can't be invited. The last line of \
      standard output is only the link: send it to them. People of this container also find the \
      invitation with `cairn share invitations`. People in the share keep their permission, \
      unless you give --permission.

      Each person is shown with the beginning of their id, which is unique, and whether you have \
      verified them. Without --unverified, no invitation is sent to a person who has changed, or \
      whose handle others claim. Once you have verified a person, the others need it, too.

      The people can also read the kept history of the folder; its size is printed. With \
      --from-now they see the current contents and later changes, but no history: the folder gets \
      a new key, and they do not get the old ones. Only the owner can do that, and it doesn't help \
      for people who were invited before.

      With --link, creates a one-time link. The first person who opens it joins the share, also \
      without an account yet; then it stops working. `cairn share uninvite` revokes it.
      """)

  @OptionGroup var share: ShareArguments

  @Argument(
    help: ArgumentHelp(
      "The people's handles or ids; `cairn user list` shows them.", valueName: "handle"),
    completion: Suggestions.people.completion)
  var people: [String] = []

  @Option(
    help: "read-write, the default for new people, or read-only.",
    completion: Control.Permission.grantedWords, transform: Control.Permission.granted)
  var permission: Control.Permission?

  @Flag(help: "Create a one-time link.")
  var link = false

  @Option(
    help: ArgumentHelp(
      "The end of the one-time link: a day, a day and time as in 2026-12-24T18:00, or a span "
        + "as in 7d, 12h, 30m.", valueName: "when"))
  var expires: WhenArgument?

  @Option(
    help: ArgumentHelp(
      "The end of their access, as --expires; a device of yours removes them then.",
      valueName: "when"))
  var until: WhenArgument?

  @Flag(
    help: ArgumentHelp(
      "Invite them although they have changed, others claim their handle, or they aren't verified "
        + "and others are."))
  var unverified = false

  @Flag(help: "Show them the current contents and later changes, but no history.")
  var fromNow = false

  @Flag(help: "Print only the link.")
  var printLink = false

  @OptionGroup var delivery: LinkDelivery
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard link == people.isEmpty else {
      throw ValidationError(
        link
          ? "A one-time link has no handle: leave out the handles, or --link."
          : "Name a person, or create a one-time link with --link.")
    }
    guard link || expires == nil else {
      throw ValidationError("Only links expire: use --expires with --link.")
    }
    guard !link || until == nil else {
      throw ValidationError("--until is for people by name, and --link for nobody in particular.")
    }
  }

  func run() throws {
    try link ? inviteSomebody() : invitePeople()
  }

  private func invitePeople() throws {
    let request = Control.ShareInvite(
      share: try share.reference(), people: people, permission: permission,
      unverified: unverified, fromNow: fromNow ? true : nil, until: until?.time)
    let session = try Session(output)
    guard let reply = try session.ask(request, handing: delivery, \.link) else { return }
    if let warning = reply.warning { Output.error("cairn: " + Output.sentence(warning)) }
    if !printLink {
      for person in reply.invited {
        Output.line(Wording.invited(person, to: reply.share.title))
      }
      Wording.hidden(reply.hidden, "They")
      Wording.past(reply.past, "They")
      if reply.delivered {
        Output.line("They can also find it with `cairn share invitations`.")
      }
    }
    try delivery.show(reply.link)
  }

  private func inviteSomebody() throws {
    let request = Control.ShareInviteLink(
      share: try share.reference(), permission: permission ?? .readWrite, expires: expires?.time,
      fromNow: fromNow ? true : nil)
    let session = try Session(output)
    guard let reply = try session.ask(request, handing: delivery, \.link) else { return }
    if !printLink {
      let end = reply.expires.map { ", until " + Wording.time($0) } ?? ""
      Output.line(
        "The first person to open this link joins \"\(Output.printable(reply.share.title))\": "
          + Wording.permission(permission ?? .readWrite) + end + ".")
      Wording.hidden(reply.hidden, "They")
      Wording.past(reply.past, "They")
      let (share, link) = (Wording.id(reply.share.id), Wording.id(reply.id))
      Output.line("To take it back: cairn share uninvite \(share) \(link)")
    }
    try delivery.show(reply.link)
  }
}
