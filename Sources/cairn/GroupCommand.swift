import ArgumentParser
import CairnControl

/// `cairn group`: people that are invited by one name.
struct GroupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group", abstract: "Invite several people by one name.",
    discussion: """
      `share invite F @team` invites a group. Who joins the group later gets its shares, and who \
      leaves it loses them. Groups are yours alone: nobody else knows them. See cairn-group(1).
      """,
    subcommands: [
      GroupListCommand.self, GroupShowCommand.self, GroupCreateCommand.self, GroupAddCommand.self,
      GroupRemoveCommand.self, GroupDeleteCommand.self,
    ])
}

/// `cairn group list`.
struct GroupListCommand: AskingCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List your groups.",
    discussion: "Shows the name, the members and the number of shares of each group.")

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let reply = try Session(output).ask(Control.Group(act: .show)) else { return }
    Output.table(
      reply.groups.map { group in
        [
          Output.printable(group.name), GroupText.people(group.members),
          Wording.count(group.shares.count, "share", "shares"),
        ]
      })
  }
}

/// `cairn group show`.
struct GroupShowCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the members and the shares of a group.")

  @Argument(help: "The name of the group.")
  var name: String

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.Group(act: .show, name: name)
    guard let reply = try Session(output).ask(request), let group = reply.groups.first else {
      return
    }
    for person in group.members { Output.line(Wording.identified(person)) }
    Output.table(
      group.shares.map { share in
        [
          Output.printable(share.title), Wording.id(share.share),
          Wording.permission(share.permission),
        ]
      })
  }
}

/// `cairn group create`.
struct GroupCreateCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a group.")

  @Argument(help: "The name of the group.")
  var name: String

  @Argument(
    help: ArgumentHelp("The first members.", valueName: "person"),
    completion: Suggestions.people.completion)
  var people: [String] = []

  @Flag(help: "Add people despite an identity warning.")
  var unverified = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    try GroupText.change(
      Control.Group(act: .create, name: name, people: people, unverified: unverified), output)
  }
}

/// `cairn group add`.
struct GroupAddCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add people to a group.",
    discussion: "They are invited to all shares of the group.")

  @Argument(help: "The name of the group.")
  var name: String

  @Argument(
    help: ArgumentHelp("The new members.", valueName: "person"),
    completion: Suggestions.people.completion)
  var people: [String]

  @Flag(help: "Add people despite an identity warning.")
  var unverified = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    try GroupText.change(
      Control.Group(act: .add, name: name, people: people, unverified: unverified), output)
  }
}

/// `cairn group remove`.
struct GroupRemoveCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove people from a group.",
    discussion: """
      They lose the shares of the group, unless they were in a share before, or were invited by \
      name or by another group.
      """)

  @Argument(help: "The name of the group.")
  var name: String

  @Argument(
    help: ArgumentHelp("The members.", valueName: "person"),
    completion: Suggestions.people.completion)
  var people: [String]

  @OptionGroup var output: OutputOptions

  func run() throws {
    try GroupText.change(Control.Group(act: .remove, name: name, people: people), output)
  }
}

/// `cairn group delete`.
struct GroupDeleteCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a group; its members lose its shares.")

  @Argument(help: "The name of the group.")
  var name: String

  @OptionGroup var question: QuestionOptions

  @OptionGroup var output: OutputOptions

  func run() throws {
    try question.ask(
      "The members of \(Output.printable(name)) lose the shares that they have by it.", output)
    try GroupText.change(Control.Group(act: .delete, name: name), output)
  }
}

/// Groups in words.
enum GroupText {
  static func people(_ people: [Control.Person]) -> String {
    people.isEmpty
      ? "nobody"
      : people.map { Output.printable($0.handle ?? Wording.id($0.user)) }.joined(separator: ", ")
  }

  /// Asks for a change, and writes its effects. A share that can't be written is a failure.
  static func change(_ request: Control.Group, _ output: OutputOptions) throws {
    let answer = try Session(output).answer(request)
    if output.json { Output.line(answer.json) } else { write(request, answer.reply) }
    guard answer.reply.missed.isEmpty else {
      throw ExitCode(Control.ErrorCode.partialFailure.exitStatus)
    }
  }

  private static func write(_ request: Control.Group, _ reply: Control.GroupReply) {
    let name = Output.printable(request.name ?? "")
    if let group = reply.groups.first {
      Output.line("\(name): \(people(group.members)).")
    } else {
      Output.line("The group \(name) is deleted.")
    }
    let isIn = request.act == .add || request.act == .create
    for change in reply.changed {
      Output.line(
        Wording.identified(change.user, goesOn: true)
          + (isIn ? " is invited to" : " was removed from")
          + " \"\(Output.printable(change.title))\".")
    }
    for zone in reply.missed {
      Output.line(
        "Not in \(Wording.id(zone.zone)) \"\(Output.printable(zone.title))\": "
          + Output.printable(zone.reason))
    }
    if !reply.missed.isEmpty {
      Output.line("Run the same command again when the container can be written.")
    }
  }
}
