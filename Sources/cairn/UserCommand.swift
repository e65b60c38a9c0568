import ArgumentParser
import CairnControl

/// `cairn user`: the people of the container.
struct UserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Show the people of the container.",
    discussion: """
      People who ran `cairn init` with this container can be invited by their handle. A handle \
      proves nothing: `user verify` checks a person's identity. See cairn-user(1).
      """,
    subcommands: [
      UserListCommand.self, UserShowCommand.self, UserRemoveCommand.self, UserVerifyCommand.self,
    ])
}

/// `cairn user list`: the people that can be invited.
struct UserListCommand: AskingCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List all people who can be invited.",
    discussion: """
      Also lists people whom you know and who are no longer in the container. Shows handle, name, \
      number of devices, id, and whether you have verified them, whether they changed since you \
      saw them last, and whether others claim their handle.
      """)

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let reply = try Session(output).ask(Control.UserList()) else { return }
    if reply.isRecalled ?? false {
      Output.line("The container can't be reached: these are the people that this device knows.")
    }
    Output.table(
      reply.users.map { user in
        [
          Output.printable(user.handle), Output.printable(user.name) + (user.isMe ? " (you)" : ""),
          Wording.count(user.devices, "device", "devices"), Wording.id(user.user), Self.state(user),
        ]
      }, heading: ["HANDLE", "NAME", "DEVICES", "ID", "IDENTITY"])
  }

  /// The certainty of a person's identity, in words.
  static func state(_ user: Control.User) -> String {
    Wording.sureness(
      user.verification, claimedBy: user.claimedBy, isHidden: user.isHidden ?? false)
  }
}

/// `cairn user verify`: the verification of a person's identity.
struct UserVerifyCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify a person's identity.",
    discussion: """
      Prints a number. The other person runs the same command with your handle. Compare the \
      numbers on the phone, not through the container: if they are equal, no one impersonates \
      either of you. Then give the other person's digits with --match. The number changes when one \
      of you adds or revokes a device.
      """)

  @Argument(
    help: "Who: a handle, an id, or the beginning of an id.",
    completion: Suggestions.people.completion)
  var user: String

  @Option(
    help: ArgumentHelp(
      "The digits that the other person sees; if they are equal, the person is verified.",
      valueName: "digits"))
  var match: String?

  @Flag(
    help: ArgumentHelp(
      "Forget the verification; a person who is no longer in the container is forgotten."))
  var forget = false

  @Flag(help: "Accept a change of the person without comparing numbers.")
  var acknowledge = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    let acts = [match != nil, forget, acknowledge].count { $0 }
    if acts > 1 { throw ValidationError("Give one of --match, --forget and --acknowledge.") }
  }

  func run() throws {
    var act = Control.VerificationAct.show
    if match != nil { act = .match }
    if forget { act = .forget }
    if acknowledge { act = .acknowledge }
    let request = Control.UserVerify(user: user, act: act, number: match)
    guard let reply = try Session(output).ask(request) else { return }
    let who = Wording.person(reply.user.user, reply.user.handle, reply.user.name)
    Output.line("\(who): \(UserListCommand.state(reply.user)), \(reply.user.user)")
    let groups = reply.number.split(separator: " ")
    for row in stride(from: 0, to: groups.count, by: 4) {
      Output.line("  " + groups[row..<min(row + 4, groups.count)].joined(separator: " "))
    }
    guard act == .show, !groups.isEmpty else { return }
    let handle = Output.printable(reply.user.handle)
    Output.line(
      "\(handle) runs `cairn user verify` with your handle. Compare the digits on the phone; if "
        + "they are equal, run `cairn user verify \(handle) --match DIGITS`.")
  }
}
