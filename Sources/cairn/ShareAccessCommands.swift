import ArgumentParser
import CairnControl

/// `cairn share set-permission`.
struct ShareSetPermissionCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-permission",
    abstract: "Change a participant's permission.",
    discussion: """
      The change takes effect at once, for all later changes; no one has to accept again. The \
      owner and administrators can do it.
      """)

  @OptionGroup var participant: ParticipantArguments

  @Argument(
    help: "read-write or read-only.", completion: Control.Permission.grantedWords,
    transform: Control.Permission.granted)
  var permission: Control.Permission

  @Option(
    help: ArgumentHelp(
      "The end of their access, when a device of yours removes them: a day, a day and time, a span "
        + "as in 7d, or never.", valueName: "when"))
  var until: EndArgument?

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.ShareSetPermission {
    Control.ShareSetPermission(
      share: try participant.reference(), person: participant.person, permission: permission,
      until: until?.time, endless: until.map { $0.time == nil })
  }

  func write(_ reply: Control.ShareSetPermission.Reply) {
    let end = until?.time.map { ", until " + Wording.time($0) } ?? ""
    Output.line(
      "\(participant.name): \(permission.rawValue) in "
        + "\"\(Output.printable(reply.share.title))\" from now on\(end).")
  }
}

/// `cairn share set-role`.
struct ShareSetRoleCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-role",
    abstract: "Make a participant an administrator, or an administrator a participant.",
    discussion: """
      Administrators invite and remove people and change permissions, as the owner does. Only the \
      owner can appoint them.
      """)

  /// The roles that can be assigned.
  enum GrantedRole: String, CaseIterable, ExpressibleByArgument {
    case administrator
    case participant
  }

  @OptionGroup var participant: ParticipantArguments

  @Argument(help: "administrator or participant.")
  var role: GrantedRole

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.ShareSetRole {
    Control.ShareSetRole(
      share: try participant.reference(), person: participant.person,
      role: role == .administrator ? .administrator : .privateUser)
  }

  func write(_ reply: Control.ShareSetRole.Reply) {
    Output.line(
      "\(participant.name) is \(role.rawValue) in "
        + "\"\(Output.printable(reply.share.title))\" now.")
  }
}

/// `cairn share set-public`.
struct ShareSetPublicCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-public",
    abstract: "Turn link sharing on or off.",
    discussion: """
      A share has either named participants or link sharing. With read-only or read-write, anyone \
      with the link can join: participants who accepted stay as people with the link, and pending \
      invitations become void. With none, link sharing is off, and all people except the owner \
      lose access. The losses are printed, and the change needs --yes.
      """)

  @OptionGroup var share: ShareArguments

  @Argument(
    help: "none, read-only or read-write.",
    completion: .list(Control.Permission.allCases.map(\.rawValue)),
    transform: Control.Permission.ofLink)
  var permission: Control.Permission

  @Flag(help: "Change it although people lose access.")
  var yes = false

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.ShareSetPublic {
    Control.ShareSetPublic(
      share: try share.reference(), permission: permission, confirmed: yes)
  }

  func write(_ reply: Control.ShareSetPublic.Reply) {
    for loss in reply.losses { Output.line(Output.printable(loss)) }
    Output.line(
      "Link sharing of \"\(Output.printable(reply.share.title))\": "
        + Wording.link(reply.share.publicPermission) + ".")
  }
}

/// `cairn share remove`.
struct ShareRemoveCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a person from a share.",
    discussion: """
      The folder is removed from their machines in seconds; edits that they hadn't sent are kept \
      there. They can't read later changes, even if they kept the keys. Links for anyone stop \
      working; create a new one with `cairn share link`.
      """)

  @OptionGroup var participant: ParticipantArguments

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.ShareRemove {
    Control.ShareRemove(share: try participant.reference(), person: participant.person)
  }

  func write(_ reply: Control.ShareRemove.Reply) {
    Output.line(
      "\(participant.name) was removed from \"\(Output.printable(reply.share.title))\".")
  }
}

/// `cairn share transfer`.
struct ShareTransferCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfer",
    abstract: "Offer a participant the ownership, or answer an offer.",
    discussion: """
      The person must have accepted the share. Nothing changes until they run this command with \
      --accept. They then own the folder, its limit and its participants; you stay as a \
      participant who can edit. Only they can give it back.
      """)

  @OptionGroup var share: ShareArguments

  @Argument(
    help: "The person's handle, or the beginning of their id.",
    completion: Suggestions.participants.completion)
  var person: String?

  @Flag(help: "Accept the ownership that the owner offers you.")
  var accept = false

  @Flag(help: "Decline the offered ownership; as the owner, withdraw the offer.")
  var decline = false

  @OptionGroup var question: QuestionOptions

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (person == nil ? 0 : 1) + (accept ? 1 : 0) + (decline ? 1 : 0) == 1 else {
      throw ValidationError("Give a person, --accept or --decline.")
    }
  }

  func confirm() throws {
    guard let person else { return }
    try question.ask(
      "\(Output.printable(person)) owns the folder once they accept, and only they can give it "
        + "back.", output)
  }

  func request() throws -> Control.ShareTransfer {
    Control.ShareTransfer(
      share: try share.reference(), person: person,
      answer: accept ? .accept : decline ? .decline : nil)
  }

  func write(_ reply: Control.ShareTransfer.Reply) {
    let title = "\"\(Output.printable(reply.share.title))\""
    guard let person else {
      Output.line(accept ? "You own \(title) now." : "The offer of \(title) ended.")
      return
    }
    Output.line("\(Output.printable(person)) owns \(title) once they accept.")
  }
}
