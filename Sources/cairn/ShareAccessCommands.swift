import ArgumentParser
import CairnControl

/// `cairn share set-permission`.
struct ShareSetPermissionCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-permission",
    abstract: "Change what a participant may do.",
    discussion: """
      In force at once, for what is written from now on; nobody has to accept again. The owner and \
      administrators may do it.
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
    abstract: "Make a participant an administrator, or take that back.",
    discussion: """
      Administrators invite and remove people and change permissions, as the owner does. Only the \
      owner makes them.
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
    abstract: "Say what anybody with the link may do.",
    discussion: """
      Named people and anybody with the link exclude each other. Going from none to read-only or \
      read-write, every named entry goes: who had accepted stays as one of those who have the \
      link, and invitations that wait become void. Going back to none, everybody but the owner \
      loses access. Who would lose what is printed, and done only with --yes.
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

  @Flag(help: "Do it although people lose something.")
  var yes = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.ShareSetPublic(
      share: try share.reference(), permission: permission.permission, confirmed: yes)
    guard let reply = try Session(output).ask(request) else { return }
    for loss in reply.losses { Output.line(Output.printable(loss)) }
    Output.line(
      "Anybody with the link to \"\(Output.printable(reply.share.title))\": "
        + Wording.permission(reply.share.publicPermission) + ".")
  }
}

/// `cairn share remove`.
struct ShareRemoveCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Take a person out of a share.",
    discussion: """
      Their folder goes within a moment, and edits of theirs that were not sent yet are kept for \
      them. What is written from now on they can't read, whatever they kept. Links for anyone \
      stop working; make a new one with `cairn share link`.
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
      "\(Output.printable(person)) isn't in \"\(Output.printable(reply.share.title))\" any more.")
  }
}

/// `cairn share transfer`.
struct ShareTransferCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfer",
    abstract: "Make a participant the owner.",
    discussion: """
      The person must have accepted. They own the folder from then on, its limit and its people \
      included; you stay as a participant who may write. Only they can give it back.
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
