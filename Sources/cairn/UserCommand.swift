import ArgumentParser
import CairnControl

/// `cairn user`: the people of the container.
struct UserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Show the people of the container.",
    discussion: "Whoever did `cairn init` with this container can be invited by their handle.",
    subcommands: [UserListCommand.self])
}

/// `cairn user list`: everybody who can be invited.
struct UserListCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List everybody who can be invited.",
    discussion: "Shows handle, name, the number of devices, and the person's id.")

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let reply = try Session(output).ask(Control.UserList()) else { return }
    Output.table(
      reply.users.map { user in
        [
          Output.printable(user.handle), Output.printable(user.name) + (user.isMe ? " (you)" : ""),
          Wording.count(user.devices, "device", "devices"), user.user,
        ]
      })
  }
}
