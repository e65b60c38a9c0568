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
    abstract: "Make a participant the owner.",
    discussion: """
      The person must have accepted. They then own the folder, its limit and its participants; you \
      stay as a participant who can edit. Only they can give it back.
      """)

  @OptionGroup var participant: ParticipantArguments

  @OptionGroup var question: QuestionOptions

  @OptionGroup var output: OutputOptions

  func confirm() throws {
    try question.ask(
      "\(participant.name) owns the folder from then on, and only they can give it back.",
      output)
  }

  func request() throws -> Control.ShareTransfer {
    Control.ShareTransfer(share: try participant.reference(), person: participant.person)
  }

  func write(_ reply: Control.ShareTransfer.Reply) {
    Output.line(
      "\(participant.name) owns \"\(Output.printable(reply.share.title))\" now.")
  }
}
