import ArgumentParser
import CairnControl

/// `cairn` without arguments: the state in five or six lines, and what to do next.
struct OverviewCommand: AskingCommand, EveryContainerCommand {
  @OptionGroup var output: OutputOptions

  func run() throws {
    guard try output.json || Home().hasContainer else {
      Output.line("There is no account in this home yet.")
      Output.line("To begin, run `cairn init --container DIR --name NAME --handle HANDLE`.")
      return Output.line("If you have a link, run `cairn share accept LINK`.")
    }
    let session = try Session(output)
    guard let reply = try session.ask(Control.Status()) else { return }
    // A container that is away would be asked for shares without a folder here.
    let shares = reply.container.reachable ? try Self.shares(session) : []
    for line in Self.lines(reply, invited: Self.invited(to: shares)) { Output.line(line) }
  }

  private static func shares(_ session: Session) throws(ControlError) -> [Control.Share] {
    do throws(ControlError) { return try session.whole(Control.ShareList()).shares } catch {
      // An anonymous home has no shares of its own.
      guard error.code == .notAuthenticated else { throw error }
      return []
    }
  }

  /// The people who haven't accepted yet, in the shares to which this person may invite.
  private static func invited(to shares: [Control.Share]) -> [String] {
    let own = shares.filter { [.owner, .administrator].contains($0.me.role) }
    return own.flatMap { share in
      share.participants.filter { $0.acceptance == .pending }.map { person in
        "\(person.handle.map { Output.printable($0) } ?? "a one-time link") "
          + "(\"\(Output.printable(share.title))\")"
      }
    }
  }

  /// The lines for a status, with the people who haven't accepted an invitation yet.
  static func lines(_ reply: Control.StatusReply, invited: [String] = []) -> [String] {
    let (account, container) = (reply.account, reply.container)
    let who = Wording.person(account.user, account.handle, account.name)
    var table = GrowingTable()
    return ["\(who) on \(Output.printable(account.deviceName))"]
      + table.lines(
        [
          ["storage", container.path.printable + ", " + reach(container)],
          ["folders", folders(reply)], ["waiting", waiting(reply)],
        ] + unanswered(invited) + [["next", next(reply)]])
  }

  private static func unanswered(_ invited: [String]) -> [[String]] {
    guard !invited.isEmpty else { return [] }
    let more = invited.count > 3 ? ", and \(invited.count - 3) more" : ""
    return [["invited", "not accepted yet: " + invited.prefix(3).joined(separator: ", ") + more]]
  }

  private static func reach(_ container: Control.ContainerStatus) -> String {
    if container.traffic?.paused != nil { return "paused" }
    return container.reachable ? "reachable" : "NOT REACHABLE"
  }

  private static func folders(_ reply: Control.StatusReply) -> String {
    guard !reply.mounts.isEmpty else { return "none" }
    let troubled = reply.mounts.count { isTroubled($0) }
    let paused = reply.mounts.count { !isTroubled($0) && $0.phase == .paused }
    let working = reply.mounts.count {
      !isTroubled($0) && $0.phase != .idle && $0.phase != .paused
    }
    let fine = reply.mounts.count - troubled - working - paused
    let parts = [
      fine > 0 ? "\(fine) up to date" : nil, working > 0 ? "\(working) syncing" : nil,
      paused > 0 ? "\(paused) paused" : nil,
      troubled > 0 ? "\(troubled) with a problem" : nil,
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }

  private static func isTroubled(_ mount: Control.MountStatus) -> Bool {
    let phases: [Control.Phase] = [.detached, .offline, .damaged]
    return !mount.problems.allSatisfy(\.isNote) || mount.held != nil || !mount.conflicts.isEmpty
      || phases.contains(mount.phase)
  }

  private static func waiting(_ reply: Control.StatusReply) -> String {
    let held = reply.mounts.count { $0.held != nil }
    let conflicts = reply.mounts.reduce(0) { $0 + $1.conflicts.count }
    let counts = [
      (reply.invitations.count, "invitation", "invitations"),
      (reply.requests, "request for access", "requests for access"),
      (reply.drops ?? 0, "file in a drop box", "files in drop boxes"),
      (reply.programs.count, "program that asks", "programs that ask"),
      (held, "folder with pending deletions", "folders with pending deletions"),
      (conflicts, "conflict", "conflicts"),
    ]
    let parts = counts.filter { $0.0 > 0 }.map { Wording.count($0.0, $0.1, $0.2) }
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }

  /// The command that helps most now.
  private static func next(_ reply: Control.StatusReply) -> String {
    if let first = reply.invitations.first {
      return "`cairn share accept \(Wording.id(first.id))` accepts "
        + "\"\(Output.printable(first.title))\""
    }
    if reply.requests > 0 { return "`cairn share requests` shows who asks" }
    if reply.drops ?? 0 > 0 { return "`cairn drop list` shows the files in drop boxes" }
    if !reply.programs.isEmpty { return "`cairn program list` shows what programs ask for" }
    if reply.mounts.contains(where: { $0.held != nil }) {
      return "`cairn held list` shows the deletions"
    }
    if reply.mounts.contains(where: { !$0.conflicts.isEmpty }) {
      return "`cairn conflicts list` shows the conflicts"
    }
    if !reply.problems.isEmpty || reply.mounts.contains(where: isTroubled) {
      return "`cairn status` says what is wrong"
    }
    return "`cairn share create FOLDER --invite HANDLE` shares a folder"
  }
}
