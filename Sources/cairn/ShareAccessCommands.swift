import ArgumentParser
import CairnControl

/// `cairn share set-permission`.
struct ShareSetPermissionCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-permission",
    abstract: "Change a participant's permission.",
    discussion: """
      The change takes effect at once, for all later changes; no one has to accept again. The \
      owner and administrators can do it.
      """)

  @Argument(help: ArgumentHelp("The shared folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument

  @Argument(
    help: "The person's handle, or the beginning of their id.",
    completion: Suggestions.participants.completion)
  var person: String

  @Argument(help: "read-write or read-only.")
  var permission: GrantedPermission

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.ShareSetPermission(
      share: try share.reference(), person: person, permission: permission.permission)
    guard let reply = try Session(output).ask(request) else { return }
    Output.line(
      "\(Output.printable(person)): \(permission.rawValue) in "
        + "\"\(Output.printable(reply.share.title))\" from now on.")
  }
}

/// `cairn share set-role`.
struct ShareSetRoleCommand: AskingCommand {
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

  @Argument(help: ArgumentHelp("The shared folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument

  @Argument(
    help: "The person's handle, or the beginning of their id.",
    completion: Suggestions.participants.completion)
  var person: String

  @Argument(help: "administrator or participant.")
  var role: GrantedRole

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.ShareSetRole(
      share: try share.reference(), person: person,
      role: role == .administrator ? .administrator : .privateUser)
    guard let reply = try Session(output).ask(request) else { return }
    Output.line(
      "\(Output.printable(person)) is \(role.rawValue) in "
        + "\"\(Output.printable(reply.share.title))\" now.")
  }
}

/// `cairn share set-public`.
struct ShareSetPublicCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-public",
    abstract: "Turn link sharing on or off.",
    discussion: """
      A share has either named participants or link sharing. With read-only or read-write, anyone \
      with the link can join: participants who accepted stay as people with the link, and pending \
      invitations become void. With none, link sharing is off, and all people except the owner \
      lose access. The losses are printed, and the change needs --yes.
      """)

  /// The permissions for anyone with the link.
  enum PublicPermission: String, CaseIterable, ExpressibleByArgument {
    case none
    case readOnly = "read-only"
    case readWrite = "read-write"

    /// The permission in the model.
    var permission: Control.Permission {
      switch self {
      case .none: .none
      case .readOnly: .readOnly
      case .readWrite: .readWrite
      }
    }
  }

  @Argument(help: ArgumentHelp("The shared folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument

  @Argument(help: "none, read-only or read-write.")
  var permission: PublicPermission

  @Flag(help: "Change it although people lose access.")
  var yes = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.ShareSetPublic(
      share: try share.reference(), permission: permission.permission, confirmed: yes)
    guard let reply = try Session(output).ask(request) else { return }
    for loss in reply.losses { Output.line(Output.printable(loss)) }
    Output.line(
      "Link sharing of \"\(Output.printable(reply.share.title))\": "
        + Wording.link(reply.share.publicPermission) + ".")
  }
}

/// `cairn share remove`.
struct ShareRemoveCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a person from a share.",
    discussion: """
      The folder is removed from their machines in seconds; edits that they hadn't sent are kept \
      there. They can't read later changes, even if they kept the keys. Links for anyone stop \
      working; create a new one with `cairn share link`.
      """)

  @Argument(help: ArgumentHelp("The shared folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument

  @Argument(
    help: "The person's handle, or the beginning of their id.",
    completion: Suggestions.participants.completion)
  var person: String

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.ShareRemove(share: try share.reference(), person: person)
    guard let reply = try Session(output).ask(request) else { return }
    Output.line(
      "\(Output.printable(person)) was removed from \"\(Output.printable(reply.share.title))\".")
  }
}

/// `cairn share transfer`.
struct ShareTransferCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfer",
    abstract: "Make a participant the owner.",
    discussion: """
      The person must have accepted. They then own the folder, its limit and its participants; you \
      stay as a participant who can edit. Only they can give it back.
      """)

  @Argument(help: ArgumentHelp("The shared folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument

  @Argument(
    help: "The new owner's handle, or the beginning of their id.",
    completion: Suggestions.participants.completion)
  var person: String

  @OptionGroup var question: QuestionOptions

  @OptionGroup var output: OutputOptions

  func run() throws {
    try question.ask(
      "\(Output.printable(person)) owns the folder from then on, and only they can give it back.",
      output)
    let request = Control.ShareTransfer(share: try share.reference(), person: person)
    guard let reply = try Session(output).ask(request) else { return }
    Output.line(
      "\(Output.printable(person)) owns \"\(Output.printable(reply.share.title))\" now.")
  }
}
