import CairnControl

/// A line of a status that a person should read: a problem, a question or a note.
struct StatusNeed {
  /// The kind: a word for the first column.
  var kind: String
  /// The file, folder or subject; empty for none.
  var place: String
  /// The event, and what to do.
  var text: String
  /// A Boolean value that indicates whether it needs the person; otherwise it is a note.
  var isUrgent = true
}

/// What a status asks of a person, the most urgent first.
enum StatusNeeds {
  /// The lines for a status: problems and questions, then notes.
  static func all(_ reply: Control.StatusReply) -> [StatusNeed] {
    var needs = storage(reply) + grouped(reply.problems)
    for mount in reply.mounts { needs += self.of(mount) }
    needs += questions(reply)
    for mount in reply.mounts { needs += ownership(of: mount, for: reply.account.user) }
    needs += reply.bursts.map { burst in
      StatusNeed(
        kind: "unusual", place: burst.path.printable,
        text: "\(Output.sentence(burst.text)) (\(Wording.time(burst.time))). To revert it, run "
          + "`\(burst.rewind) --dry-run` first.")
    }
    needs += recovered(reply.rescued, in: nil)
    needs += (reply.ended.map { ("ended", $0) } + reply.changed.map { ("changed", $0) }).map {
      StatusNeed(
        kind: $0, place: $1.path?.printable ?? "",
        text: "\(Output.sentence($1.text)) (\(Wording.time($1.time)))", isUrgent: false)
    }
    if let version = reply.daemon.replacedBy {
      needs.append(
        StatusNeed(
          kind: "note", place: "",
          text: "cairnd \(Output.printable(version)) is installed; the daemon switches to it when "
            + "it is idle.", isUrgent: false))
    }
    return needs.filter(\.isUrgent) + needs.filter { !$0.isUrgent }
  }

  /// The lines for one folder.
  static func of(_ mount: Control.MountStatus) -> [StatusNeed] {
    // The storage has a line of its own, whatever the number of its folders.
    var needs = grouped(mount.problems.filter { !isOffline($0) }, isOfFolder: true)
    if let first = mount.conflicts.first {
      let what =
        mount.conflicts.count == 1
        ? "1 conflict copy: \(first.printable)."
        : "\(Wording.grouped(Int64(mount.conflicts.count))) conflict copies, as "
          + "\(first.printable)."
      needs.append(
        StatusNeed(
          kind: "conflict", place: mount.path.printable,
          text: what + " Run `cairn conflicts list`."))
    }
    if let unwatched = StatusText.words(mount.watching) {
      needs.append(
        StatusNeed(
          kind: "note", place: mount.path.printable, text: "not watched: " + unwatched,
          isUrgent: false))
    }
    return needs + recovered(mount.rescued, in: mount.path)
  }

  /// The lines for claims to the ownership, for everybody, and for an offer of it, for both people.
  private static func ownership(
    of mount: Control.MountStatus, for me: String
  ) -> [StatusNeed] {
    let claims = mount.succession?.claims.map { StatusNeed($0, in: mount, for: me) } ?? []
    guard let person = mount.offeredTo else { return claims }
    let isOwner = mount.role == .owner
    let name = Wording.person(person.user, person.handle, person.name)
    return claims + [
      StatusNeed(
        kind: "ownership", place: mount.path.printable,
        text: isOwner
          ? "Offered to \(name), who hasn't answered yet."
          : "Its owner offers it to you. Run `cairn share transfer \(mount.path.typed) --accept` "
            + "or --decline.",
        isUrgent: !isOwner)
    ]
  }

  private static func isOffline(_ problem: Control.Problem) -> Bool {
    problem.code == .networkUnavailable
  }

  private static func storage(_ reply: Control.StatusReply) -> [StatusNeed] {
    let reason = reply.mounts.lazy.flatMap { $0.problems.filter(isOffline) }.first
    guard !reply.container.reachable || reason != nil, reply.container.traffic?.paused == nil
    else { return [] }
    return [
      StatusNeed(
        kind: "offline", place: reply.container.path.printable,
        text: (reason.map { Output.sentence($0.message) } ?? "The container can't be reached.")
          + " Changes are kept, and sent when it is back.")
    ]
  }

  private static func questions(_ reply: Control.StatusReply) -> [StatusNeed] {
    var needs = reply.invitations.map { invitation in
      let id = Wording.id(invitation.id)
      return StatusNeed(
        kind: "invitation", place: "\"\(Output.printable(invitation.title))\"",
        text: "From \(Wording.identified(invitation.from)). Run `cairn share accept \(id)` or "
          + "`cairn share decline \(id)`.")
    }
    if reply.requests > 0 {
      needs.append(
        StatusNeed(
          kind: "request", place: "",
          text: Wording.count(reply.requests, "person asks", "people ask")
            + " for access to your shares. Run `cairn share requests`."))
    }
    if let drops = reply.drops, drops > 0 {
      needs.append(
        StatusNeed(
          kind: "drop", place: "",
          text: Wording.count(drops, "file waits", "files wait")
            + " in your drop boxes. Run `cairn drop list`."))
    }
    for name in reply.programs {
      needs.append(
        StatusNeed(
          kind: "program", place: "\"\(Output.printable(name))\"",
          text: "A program asks to use zones of yours. Run `cairn program list`."))
    }
    return needs
  }

  private static func recovered(
    _ files: [Control.Rescued], in folder: Control.Path?
  ) -> [StatusNeed] {
    guard let first = files.first else { return [] }
    let more = files.count > 1 ? ", and \(Wording.grouped(Int64(files.count - 1))) more" : ""
    let stop = first.reason.hasSuffix(".") ? "" : "."
    return [
      StatusNeed(
        kind: "recovered", place: folder?.printable ?? "",
        text: "\(first.path.printable)\(more): \(Output.sentence(first.reason))\(stop) Run "
          + "`cairn rescue list`.", isUrgent: false)
    ]
  }

  /// One line for each kind of problem, with the number of paths that have it.
  private static func grouped(
    _ problems: [Control.Problem], isOfFolder: Bool = false
  ) -> [StatusNeed] {
    var groups: [(first: Control.Problem, count: Int)] = []
    for problem in problems {
      let known = groups.firstIndex {
        ($0.first.code, $0.first.message, $0.first.remedy)
          == (problem.code, problem.message, problem.remedy)
      }
      if let known { groups[known].count += 1 } else { groups.append((problem, 1)) }
    }
    return groups.map { group in
      let problem = group.first
      let more = group.count > 1 ? " and \(Wording.grouped(Int64(group.count - 1))) more" : ""
      let isNote = isOfFolder && problem.isNote
      let remedy = problem.remedy.isEmpty ? "" : " " + Output.sentence(problem.remedy)
      return StatusNeed(
        kind: isNote ? "note" : "problem", place: (problem.path?.printable ?? "") + more,
        text: Output.sentence(problem.message)
          + (isNote ? "" : " [\(problem.code.rawValue)]") + remedy, isUrgent: !isNote)
    }
  }
}

extension Control.Problem {
  /// A Boolean value that indicates whether a problem of a folder is only information: names that
  /// are never synced are no failure.
  var isNote: Bool { code == .invalidArguments && path != nil }
}
