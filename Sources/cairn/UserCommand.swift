import ArgumentParser
import CairnControl

/// `cairn user`: the people of the container.
struct UserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Show the people of the container.",
    discussion: """
      Whoever did `cairn init` with this container can be invited by their handle. Nobody guards \
      handles: `user verify` makes sure that somebody is who you think. See cairn-user(1).
      """,
    subcommands: [UserListCommand.self, UserVerifyCommand.self])
}

/// `cairn user list`: the people that can be invited.
struct UserListCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List everybody who can be invited.",
    discussion: """
      Also those whom you know, and whom the container doesn't show any more. \
      Shows handle, name, the number of devices, the person's id, and whether you have verified \
      them, whether they changed since you saw them last, and whether others claim their handle.
      """)

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let reply = try Session(output).ask(Control.UserList()) else { return }
    if reply.isRecalled ?? false {
      Output.line("The container can't be reached: this is who this device has read before.")
    }
    Output.table(
      reply.users.map { user in
        [
          Output.printable(user.handle), Output.printable(user.name) + (user.isMe ? " (you)" : ""),
          Wording.count(user.devices, "device", "devices"), Wording.id(user.user), Self.state(user),
        ]
      })
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
    abstract: "Make sure that somebody is who you think.",
    discussion: """
      Prints a number. The other one runs the same command with your handle: if both see the same \
      number, nobody stands between you. Compare it on the phone, not through the container; then \
      tell with --match what the other one sees. The number changes when either of you gets \
      another device, or revokes one.
      """)

  @Argument(
    help: "Who: a handle, an id, or the beginning of an id.",
    completion: Suggestions.people.completion)
  var user: String

  @Option(
    help: ArgumentHelp(
      "The digits that the other one sees; if they are the same, the person is verified.",
      valueName: "digits"))
  var match: String?

  @Flag(
    help: ArgumentHelp(
      "Count the person as not verified any more; who isn't in the container any more is "
        + "forgotten."))
  var forget = false

  @Flag(help: "Take a change of the person's as seen, without comparing numbers.")
  var acknowledge = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    let acts = [match != nil, forget, acknowledge].count { $0 }
    if acts > 1 { throw ValidationError("Give one of --match, --forget and --acknowledge.") }
  }

  func run() throws {
    var act = Control.UserVerify.Act.show
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
  }
}
