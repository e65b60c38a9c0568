import ArgumentParser
import CairnControl

/// `cairn share invite`.
struct ShareInviteCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite",
    abstract: "Invite people to a share.",
    discussion: """
      Several people are invited at once, or none of them if one can't be. The last line of \
      standard output is the link, alone: send it to them. Whoever is in this container also finds \
      the invitation by `cairn share invitations`. For those who are in the share already, this \
      changes the permission.

      Each is shown with the beginning of the id, which nobody else can have, and whether you have \
      verified them. Nothing is sent to who has changed, whose handle others claim, or, once you \
      have verified anybody, to who isn't verified, unless you say --unverified.

      Whoever is invited can also read what is kept of the folder's past; you are told how much \
      that is. With --from-now they see what is in it now, and what comes: the folder gets a new \
      key, and they none of before. Only the owner can do that, and who was invited before has the \
      past already.

      With --link it makes a link for one person who needn't be in the container yet: whoever uses \
      it first is in, and then it lets in nobody else. `cairn share uninvite` takes it back.
      """)

  @Argument(help: ArgumentHelp("The shared folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument

  @Argument(
    help: ArgumentHelp(
      "The people's handles or ids; `cairn user list` shows them.", valueName: "handle"),
    completion: Suggestions.people.completion)
  var people: [String] = []

  @Option(help: "read-write or read-only.")
  var permission: GrantedPermission = .readWrite

  @Flag(help: "Make a link for one person, whoever it is.")
  var link = false

  @Option(
    help: ArgumentHelp(
      "When the link for one person ends: a day, a day and time as in 2026-12-24T18:00, or a span "
        + "as in 7d, 12h, 30m.", valueName: "when"))
  var expires: WhenArgument?

  @Flag(
    help: ArgumentHelp(
      "Invite them though they have changed, others claim their handle, or they aren't verified "
        + "and others are."))
  var unverified = false

  @Flag(help: "Show them what is in the folder from now on, and nothing of its past.")
  var fromNow = false

  @Flag(help: "Print nothing but the link.")
  var printLink = false

  @OptionGroup var delivery: LinkDelivery
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard link == people.isEmpty else {
      throw ValidationError(
        link
          ? "A link for one person is for nobody by name: leave out the handles, or --link."
          : "Name somebody, or make a link for one person with --link.")
    }
    guard link || expires == nil else {
      throw ValidationError("Only links end by themselves: use --expires with --link.")
    }
  }

  func run() throws {
    try link ? inviteSomebody() : invitePeople()
  }

  private func invitePeople() throws {
    let request = Control.ShareInvite(
      share: try share.reference(), people: people, permission: permission.permission,
      unverified: unverified, fromNow: fromNow ? true : nil)
    let session = try Session(output)
    guard let reply = try session.ask(request, handing: delivery, \.link) else { return }
    if let warning = reply.warning { Output.error("cairn: " + Output.sentence(warning)) }
    if !printLink {
      for person in reply.invited {
        let who = Wording.identified(
          person.user, person.handle, person.name, person.verification, goesOn: true)
        Output.line(
          "\(who) is invited to \"\(Output.printable(reply.share.title))\": "
            + Wording.permission(person.permission) + ".")
      }
      Wording.hidden(reply.hidden, "They")
      Wording.past(reply.past, "They")
      if reply.delivered {
        let them = reply.invited.count == 1 ? "them" : "each of them"
        Output.line("The invitation also lies in the container for \(them).")
      }
    }
    try delivery.show(reply.link)
  }

  private func inviteSomebody() throws {
    let request = Control.ShareInviteLink(
      share: try share.reference(), permission: permission.permission, expires: expires?.time,
      fromNow: fromNow ? true : nil)
    let session = try Session(output)
    guard let reply = try session.ask(request, handing: delivery, \.link) else { return }
    if !printLink {
      let end = reply.expires.map { ", until " + Wording.time($0) } ?? ""
      Output.line(
        "Whoever uses this link first is in \"\(Output.printable(reply.share.title))\": "
          + Wording.permission(permission.permission) + end + ".")
      Wording.hidden(reply.hidden, "They")
      Wording.past(reply.past, "They")
      let (share, link) = (Wording.id(reply.share.id), Wording.id(reply.id))
      Output.line("To take it back: cairn share uninvite \(share) \(link)")
    }
    try delivery.show(reply.link)
  }
}

/// The permissions that an invitation can give.
enum GrantedPermission: String, CaseIterable, ExpressibleByArgument {
  case readWrite = "read-write"
  case readOnly = "read-only"

  /// The permission in the model.
  var permission: Control.Permission { self == .readWrite ? .readWrite : .readOnly }
}
