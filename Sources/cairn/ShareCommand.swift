import ArgumentParser
import CairnControl

/// `cairn share`: sharing a folder with people.
struct ShareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "share", abstract: "Share folders with people.",
    discussion: """
      The owner runs `share create` and `share invite`, the other person `share accept`. A share \
      is named by its folder or by its id, which `share list` shows. See cairn-share(1).
      """,
    subcommands: [
      ShareCreateCommand.self, ShareAddCommand.self, ShareTakeOutCommand.self,
      ShareInviteCommand.self,
      ShareLinkCommand.self, ShareUninviteCommand.self, ShareSetRequestsCommand.self,
      ShareRequestCommand.self, ShareRequestsCommand.self, ShareApproveCommand.self,
      ShareDenyCommand.self, ShareBlockCommand.self, ShareUnblockCommand.self,
      ShareInvitationsCommand.self,
      ShareAcceptCommand.self, ShareDeclineCommand.self, ShareListCommand.self,
      ShareShowCommand.self,
      ShareParticipantsCommand.self, ShareOfCommand.self,
      ShareSetPermissionCommand.self, ShareSetRoleCommand.self,
      ShareSetPublicCommand.self, ShareRemoveCommand.self, ShareTransferCommand.self,
      ShareSuccessorCommand.self,
      SharePolicyCommand.self, ShareLeaveCommand.self, ShareStopCommand.self,
    ])
}

/// `cairn share create`.
struct ShareCreateCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Share a folder of yours, a file, or several.",
    discussion: """
      Mirrors the folder if necessary. A folder inside a mirrored folder can be shared by itself; \
      an item inside a share can't. Several folders become one share, which is accepted once. \
      Invite people with --invite, or later. A second call prints the same share and link; --title \
      then changes the title. The last line of the output is a link to the share, which gives \
      nobody access.
      """)

  @Argument(help: ArgumentHelp("The folder or the file; or several.", valueName: "path"))
  var paths: [PathArgument]

  @Option(help: "The title in invitations; the name of the folder if left out.")
  var title: String?

  @Option(
    name: .customLong("invite"),
    help: ArgumentHelp(
      "Invite this person at once; may be given several times.", valueName: "handle"),
    completion: Suggestions.people.completion)
  var invited: [String] = []

  @Option(
    help: "With --invite: read-write, the default, or read-only.",
    completion: Control.Permission.grantedWords, transform: Control.Permission.granted)
  var permission: Control.Permission?

  @Flag(help: "Have the share carry the modes and user.* attributes of files.")
  var fullMetadata = false

  @Flag(help: "Print only the link.")
  var printLink = false

  @OptionGroup var sensitive: SensitiveOptions

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard permission == nil || !invited.isEmpty else {
      throw ValidationError("--permission goes with --invite.")
    }
  }

  func run() throws {
    guard invited.isEmpty else { return try createAndInvite() }
    if let reply = try create() { tell(reply) }
  }

  private func create() throws -> Control.ShareReply? {
    let given = try paths.map { try $0.absolute() }
    return try QuestionOptions.confirmed(sensitive.given, output) { confirmed in
      Control.ShareCreate(
        paths: given, title: self.title,
        sensitive: confirmed.contains(.sensitive) ? true : nil,
        fullMetadata: self.fullMetadata ? true : nil)
    }
  }

  /// Writes the first warnings; the rest is counted.
  private func warn(_ reply: Control.ShareReply) {
    let lines = Repetition.lines(reply.warnings, all: output.verbose) { warning in
      let place = warning.path.map { $0.printable + ": " } ?? ""
      return ["\(place)\(Output.sentence(warning.message))"]
    }
    for line in lines { Output.error("warning: " + line) }
  }

  private func tell(_ reply: Control.ShareReply) {
    warn(reply)
    guard !printLink else { return Output.line(reply.share.link) }
    let verb = reply.created ? "is shared now" : "was shared already"
    let title = Output.printable(reply.share.title)
    Output.line("\"\(title)\" \(verb), as \(Wording.id(reply.share.id)).")
    offerRecovery(reply)
    Output.line(reply.share.link)
  }

  /// Offers a recovery sheet after the first share.
  private func offerRecovery(_ reply: Control.ShareReply) {
    guard reply.suggestsRecovery else { return }
    Output.line(
      "If you lose all your devices, only a recovery sheet brings this back. Make one with `cairn "
        + "device recovery`.")
  }

  /// Shares the folder and invites people, in this order. If an invitation fails, the folder is
  /// shared with nobody new, and the message says so.
  private func createAndInvite() throws {
    var quiet = output
    quiet.json = false
    let session = try Session(quiet)
    let given = try paths.map { try $0.absolute() }
    let created = try QuestionOptions.confirmed(sensitive.given, quiet) { confirmed in
      Control.ShareCreate(
        paths: given, title: self.title,
        sensitive: confirmed.contains(.sensitive) ? true : nil,
        fullMetadata: self.fullMetadata ? true : nil)
    }
    guard let created else { return }
    warn(created)
    let request = Control.ShareInvite(
      share: .id(created.share.id), people: invited, permission: permission)
    do throws(ControlError) {
      let answer = try session.answer(request)
      guard !output.json else { return Output.line(answer.json) }
      guard !printLink else { return Output.line(answer.reply.link) }
      Output.line("\"\(Output.printable(created.share.title))\" is shared.")
      for person in answer.reply.invited {
        Output.line(Wording.invited(person, to: created.share.title))
      }
      if answer.reply.invited.contains(where: { $0.acceptance == .pending }) {
        Output.line(
          "They accept it with `cairn share accept`, or with the link. It gives nobody else access:"
        )
      }
      if let warning = answer.reply.warning { Output.error("cairn: " + Output.sentence(warning)) }
      offerRecovery(created)
      Output.line(answer.reply.link)
    } catch {
      let done = created.created ? "The folder is shared, but no one" : "No one"
      throw ControlError(
        error.code, "\(done) was invited: " + error.message,
        remedy: error.remedy
          + " Then run `cairn share invite \(Wording.id(created.share.id)) HANDLE`.",
        path: error.path)
    }
  }
}

/// `cairn share invitations`.
struct ShareInvitationsCommand: AskingCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "invitations",
    abstract: "List the invitations that wait for you.",
    discussion: """
      Give the id in the first column to `cairn share accept`. The inviter is shown with the \
      beginning of their id, and whether you have verified them.
      """)

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let reply = try Session(output).ask(Control.ShareInvitations()) else { return }
    guard !reply.invitations.isEmpty else { return Output.line("No invitation waits for you.") }
    Self.write(reply)
  }

  static func write(_ reply: Control.InvitationsReply) {
    Output.table(
      reply.invitations.map { invitation in
        [
          Wording.id(invitation.id), Output.printable(invitation.title),
          Wording.identified(invitation.from),
          Wording.permission(invitation.permission), Wording.time(invitation.time),
        ]
      })
  }
}
