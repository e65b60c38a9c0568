import ArgumentParser
import CairnControl

/// `cairn share list`.
struct ShareListCommand: AskingCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List your shares, and those that you have joined.",
    discussion: "Shows id, title, owner, your permission, the number of people, and the folder.")

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let reply = try Session(output).ask(Control.ShareList()) else { return }
    guard !reply.shares.isEmpty else { return Output.line("You are in no share.") }
    Output.table(
      reply.shares.map { share in
        [
          Wording.id(share.id), Output.printable(share.title),
          share.scope == .private
            ? "mine" : Wording.person(share.owner.user, share.owner.handle, share.owner.name),
          Wording.permission(share.me.permission),
          Wording.count(share.participants.count, "person", "people"),
          share.path?.printable ?? "-",
        ]
      }, heading: ["ID", "TITLE", "OWNER", "YOUR ACCESS", "PEOPLE", "FOLDER"])
  }
}

/// `cairn share show`.
struct ShareShowCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one share and its participants.")

  @OptionGroup var share: ShareArguments

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.ShareShow(share: try share.reference())
    guard let share = try Session(output).ask(request)?.share else { return }
    Output.table(
      [
        ["title", Output.printable(share.title)],
        ["id", share.id],
        ["owner", Wording.person(share.owner.user, share.owner.handle, share.owner.name)],
        ["me", Wording.role(share.me.role) + ", " + Wording.permission(share.me.permission)],
        ["link sharing", Wording.link(share.publicPermission)],
        ["folder", share.path?.printable ?? "-"],
        ["link", share.link],
      ] + Self.extras(share))
    Output.line()
    ShareParticipantsCommand.write(share.participants)
  }

  /// The properties that only some shares have.
  private static func extras(_ share: Control.Share) -> [[String]] {
    var rows: [[String]] = []
    for link in share.links where !link.oneTime || link.expires != nil {
      let end = link.expires.map { ", until " + Wording.time($0) } ?? ""
      let whom = link.oneTime ? "for one person" : "for anyone"
      rows.append(["", "link \(Wording.id(link.id)) \(whom)\(end)"])
    }
    if share.takesRequests { rows.append(["requests", "anyone who has the link may ask"]) }
    if let person = share.offeredTo {
      rows.append(["offered to", Wording.person(person.user, person.handle, person.name)])
    }
    if let succession = share.succession { rows += SuccessionText.rows(succession) }
    for person in share.blocked {
      rows.append(["blocked", Wording.person(person.user, person.handle, person.name)])
    }
    return rows
  }
}

/// `cairn share participants`.
struct ShareParticipantsCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "participants",
    abstract: "List the people in a share.",
    discussion: "Shows handle, name, role, permission, and whether they have accepted.")

  @OptionGroup var share: ShareArguments

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.ShareParticipants {
    Control.ShareParticipants(share: try share.reference())
  }

  func write(_ reply: Control.ShareParticipants.Reply) {
    Self.write(reply.participants)
  }

  /// Writes a line for each person.
  static func write(_ participants: [Control.Participant]) {
    Output.table(
      participants.map { person in
        [
          Output.printable(
            person.handle ?? person.user ?? person.link.map { "link " + Wording.id($0) } ?? "-"),
          Output.printable(person.name ?? "-"), Wording.role(person.role),
          Wording.permission(person.permission), person.acceptance.rawValue,
        ] + (person.begins.map { ["sees nothing up to entry \($0)"] } ?? [])
          + (person.until.map { ["until \(Wording.time($0))"] } ?? [])
      }, heading: ["HANDLE", "NAME", "ROLE", "ACCESS", "STATUS"])
  }
}
