import ArgumentParser
import CairnControl

/// `cairn user show`: one person's access to everything of yours.
struct UserShowCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show all that a person can see of yours.",
    discussion: """
      Lists the shares that you own and the person is in, or invited to: title, role, permission, \
      since when, and the link that they used. Also lists your shares with a link for anyone, \
      because nobody knows who has such a link.
      """)

  @Argument(
    help: "The person: a handle, an id, or the beginning of an id.",
    completion: Suggestions.people.completion)
  var user: String

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let reply = try Session(output).ask(Control.UserShow(user: user)) else { return }
    let who = Wording.identified(reply.user)
    if !reply.groups.isEmpty {
      Output.line("In groups: " + reply.groups.map { Output.printable($0) }.joined(separator: ", "))
    }
    guard !reply.shares.isEmpty else {
      Output.line("\(who): in none of your shares.")
      return Self.writeLinks(reply)
    }
    Output.line("\(who):")
    Output.table(reply.shares.map { UserAccessText.row($0) })
    for access in reply.shares where !access.isCurrent {
      Output.line(
        "\"\(Output.printable(access.title))\" can't be read now: this is what this device knows.")
    }
    Self.writeLinks(reply)
    let handle = reply.user.handle ?? reply.user.user
    Output.line("To end all of it, run `cairn user remove \(Output.printable(handle))`.")
  }

  private static func writeLinks(_ reply: Control.UserShowReply) {
    for access in reply.anyone {
      Output.line(
        "Anyone with its link has \(Wording.permission(access.permission)) access to "
          + "\"\(Output.printable(access.title))\" (\(Wording.id(access.share))).")
    }
  }
}

/// `cairn user remove`: the end of one person's access.
struct UserRemoveCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "End a person's access to everything of yours.",
    discussion: """
      Removes the person from every share that you own, withdraws their pending invitations, and \
      revokes the links for anyone of these shares. Each of them gets a new key. What the person \
      has read, they keep. If a share can't be written now, the command names it and fails: run it \
      again.
      """)

  @Argument(
    help: "The person: a handle, an id, or the beginning of an id.",
    completion: Suggestions.people.completion)
  var user: String

  @OptionGroup var question: QuestionOptions

  @OptionGroup var output: OutputOptions

  func run() throws {
    try question.ask(
      "\(Output.printable(user)) loses access to everything that you share with them.", output)
    let answer = try Session(output).answer(Control.UserRemove(user: user))
    if output.json { Output.line(answer.json) } else { Self.write(answer.reply) }
    guard answer.reply.missed.isEmpty else {
      throw ExitCode(Control.ErrorCode.partialFailure.exitStatus)
    }
  }

  private static func write(_ reply: Control.UserRemoveReply) {
    let who = Wording.identified(reply.user, goesOn: true)
    for group in reply.groups { Output.line("\(who) left the group \(Output.printable(group)).") }
    if reply.shares.isEmpty {
      Output.line("\(who) is in none of your shares.")
    } else {
      let count = Wording.count(reply.shares.count, "share", "shares")
      Output.line("\(who) was removed from \(count):")
      Output.table(reply.shares.map { UserAccessText.row($0) })
    }
    for zone in reply.missed {
      let title = zone.title.isEmpty ? "" : " \"\(Output.printable(zone.title))\""
      Output.line(
        "Not from \(Wording.id(zone.zone))\(title): " + Output.printable(zone.reason))
    }
    if !reply.missed.isEmpty {
      Output.line("Run the same command again when the container can be written.")
    }
  }
}

/// A person's access to a share, in words.
enum UserAccessText {
  static func row(_ access: Control.UserAccess) -> [String] {
    [
      Output.printable(access.title), Wording.id(access.share), Wording.role(access.role),
      Wording.permission(access.permission),
      access.acceptance == .pending ? "invited" : "accepted", since(access),
    ]
  }

  private static func since(_ access: Control.UserAccess) -> String {
    guard let since = access.since else {
      return access.until.map { "until \(Wording.time($0))" } ?? ""
    }
    let by = access.by.map { " by " + Wording.person($0.user, $0.handle, $0.name) } ?? ""
    let way = access.link.map { "link \($0.prefix(12)) used" } ?? "invited\(by)"
    let part = access.begins == nil ? "" : ", without the history before"
    let end = access.until.map { ", until \(Wording.time($0))" } ?? ""
    return "\(way) \(Wording.time(since))\(part)\(end)"
  }
}
