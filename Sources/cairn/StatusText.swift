import CairnControl

/// A status, for people.
enum StatusText {
  /// Writes the daemon, the container, the mounts, and all problems.
  static func write(_ reply: Control.StatusReply) {
    for line in lines(reply) { Output.line(line) }
  }

  /// The same, line by line.
  static func lines(_ reply: Control.StatusReply) -> [String] {
    let (account, container) = (reply.account, reply.container)
    let who = Wording.person(account.user, account.handle, account.name)
    var lines = ["\(who) on \(Output.printable(account.deviceName))"]
    let state = container.state.map { $0 == .offline ? "" : ", \($0.rawValue.uppercased())" } ?? ""
    let reach =
      (container.traffic?.paused != nil
        ? "not asked" : container.reachable ? "reachable" : "NOT REACHABLE") + state
    var table = GrowingTable()
    lines += table.lines(
      [
        [
          "daemon",
          "cairnd \(Output.printable(reply.daemon.version)), process \(reply.daemon.pid), "
            + "since \(Wording.time(reply.daemon.startedAt))" + replaced(reply.daemon),
        ],
        [
          "container",
          "\(container.path.printable) (\(Output.printable(container.fileSystem))), \(reach)",
        ],
      ] + (container.news.map { [["changes", words($0)]] } ?? []) + traffic(of: container))
    lines += trouble(reply)
    if reply.mounts.isEmpty { lines.append("No folder is mirrored.") }
    for mount in reply.mounts {
      let folder = container.traffic?.folders.first { $0.path == mount.path }
      lines += [""] + self.lines(mount, folder?.paused)
    }
    return lines
  }

  private static func replaced(_ daemon: Control.DaemonStatus) -> String {
    daemon.replacedBy.map {
      "; version \(Output.printable($0)) took its place, and it becomes that when it is idle"
    } ?? ""
  }

  /// The problems and events of the daemon or the container as a whole.
  private static func trouble(_ reply: Control.StatusReply) -> [String] {
    var lines = reply.problems.flatMap { self.lines($0) } + waiting(reply)
    lines += words(ofRescued: reply.rescued)
    for burst in reply.bursts {
      lines.append(
        "unusual: \(burst.path.printable), \(Wording.time(burst.time)): "
          + Output.sentence(burst.text))
      lines.append("  If that wasn't meant: \(burst.rewind) --dry-run")
    }
    for end in reply.ended {
      let place = end.path.map { $0.printable + ", " } ?? ""
      lines.append("ended: \(place)\(Wording.time(end.time)): \(Output.sentence(end.text))")
    }
    return lines
  }

  /// The invitations and requests that wait for an answer, and changes by others.
  private static func waiting(_ reply: Control.StatusReply) -> [String] {
    var lines = reply.invitations.flatMap { invitation in
      let id = Wording.id(invitation.id)
      return [
        "invitation: \"\(Output.printable(invitation.title))\" from "
          + Wording.identified(invitation.from),
        "  Run `cairn share accept \(id)`, or `cairn share decline \(id)`.",
      ]
    }
    if reply.requests > 0 {
      lines.append(
        Wording.count(reply.requests, "person asks", "people ask")
          + " for access to your shares: `cairn share requests`")
    }
    for change in reply.changed {
      let place = change.path.map { $0.printable + ", " } ?? ""
      lines.append("changed: \(place)\(Wording.time(change.time)): \(Output.sentence(change.text))")
    }
    return lines
  }

  /// The pause and the speed limits of the traffic.
  private static func traffic(of container: Control.ContainerStatus) -> [[String]] {
    var rows: [[String]] = []
    if let limits = container.traffic?.limits {
      let both = [(limits.upload, "sent"), (limits.download, "fetched")]
      let parts = both.compactMap { limit, what in
        limit.map { "\(Wording.bytes($0)) a second are \(what) at most" }
      }
      rows.append(["limits", parts.joined(separator: ", ")])
    }
    if let paused = container.traffic?.paused {
      rows.append(["paused", Wording.pause(paused) + "; `cairn resume` lets traffic go on"])
    }
    return rows
  }

  /// The way in which others' changes are noticed, and its maximum delay.
  static func words(_ news: Control.News) -> String {
    let wakes = news.wakes.map { words($0) } ?? ""
    guard !news.told else { return "are told by the container at once" + wakes }
    let (now, later) = (seconds(news.lateSeconds), seconds(news.longestSeconds))
    return "are asked for, by now every \(now), at most \(later) late"
      + (news.deaf ? "; the container seemed to tell of them, and doesn't" : "") + wakes
  }

  private static func words(_ wakes: Control.Wakes) -> String {
    let places = wakes.addresses.map { Output.printable($0) }.joined(separator: ", ")
    let here =
      places.isEmpty
      ? "this device sends wake-ups" : "wake-ups are heard at \(places), \(wakes.heard) so far"
    return "; \(here), and " + Wording.count(wakes.devices, "other device", "other devices")
      + " known to listen"
  }

  private static func seconds(_ seconds: Double) -> String {
    let tenths = Int((seconds * 10).rounded(.up))
    return tenths < 100 ? "\(tenths / 10).\(tenths % 10) s" : "\((tenths + 9) / 10) s"
  }

  /// One mount, with the start of its own pause.
  private static func lines(
    _ mount: Control.MountStatus, _ paused: Control.Paused?
  ) -> [String] {
    let state = mount.state.map { ": \($0.rawValue)" } ?? ""
    let whose =
      switch mount.scope {
      case .private: "mine"
      case .public: "public, \(Wording.permission(mount.permission))"
      case .shared:
        "shared with me, \(Wording.role(mount.role)), \(Wording.permission(mount.permission))"
      }
    var lines = [
      "\(mount.path.printable)  \(mount.phase.rawValue)" + state,
      "  \"\(Output.printable(mount.title))\", \(whose)",
      "  " + Wording.count(mount.files, "file", "files") + ", "
        + Wording.count(mount.directories, "directory", "directories") + ", "
        + Wording.bytes(mount.bytes) + ", commit \(mount.sequence)",
    ]
    lines += WorkText.lines(mount.work).map { "  " + $0 }
    if let ignored = words(mount.ignored, of: mount.path) { lines.append("  " + ignored) }
    if let leftOut = mount.ignored.leftOut { lines.append("  " + SelectionText.leftOut(leftOut)) }
    if let paused {
      lines.append("  paused \(Wording.pause(paused)); `cairn resume` lets it go on")
    }
    if let unwatched = words(mount.watching) { lines.append("  not watched: " + unwatched) }
    lines += (mount.watching.fileSystem ?? []).map { "  file system: " + Output.printable($0) }
    lines += mount.problems.flatMap { self.lines($0, indent: "  ") }
    lines += mount.conflicts.map { "  conflict copy: \($0.printable)" }
    lines += words(ofRescued: mount.rescued).map { "  " + $0 }
    return lines
  }

  /// The unwatched part of a mount with the reason; nil: everything is watched.
  static func words(_ watching: Control.Watching) -> String? {
    let count =
      watching.unwatched > 0
      ? Wording.count(watching.unwatched, "directory", "directories") : nil
    let scans = watching.scanSeconds.map {
      "It is scanned every \(seconds($0)), with at most 5 % of a processor."
    }
    let reason = [watching.note.map(Output.sentence), scans].compactMap { $0 }
    let parts = [count, reason.isEmpty ? nil : reason.joined(separator: " ")].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: ": ")
  }

  /// The names that rules exclude from a mount; nil: none.
  private static func words(_ ignored: Control.Ignored, of mount: Control.Path) -> String? {
    guard ignored.names > 0 else { return nil }
    let rules = ignored.rules.prefix(3).map { rule in
      let file = rule.file.map { " in \(name(of: $0, in: mount))" } ?? ""
      return "`\(rule.pattern.printable)`\(file) \(Wording.grouped(Int64(rule.names)))"
    }
    let more = ignored.rules.count > rules.count ? ", …" : ""
    return "left out: " + Wording.count(ignored.names, "name", "names") + ": "
      + rules.joined(separator: ", ") + more
  }

  /// A path relative to a folder.
  private static func name(of path: Control.Path, in folder: Control.Path) -> String {
    guard path.bytes.starts(with: folder.bytes + [UInt8(ascii: "/")]) else { return path.printable }
    return Control.Path(Array(path.bytes.dropFirst(folder.bytes.count + 1))).printable
  }

  /// One line for the rescued files of each rescue folder.
  private static func words(ofRescued rescued: [Control.Rescued]) -> [String] {
    let folders = Dictionary(grouping: rescued) { folder(of: $0.path) }
    return folders.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { folder, files in
      let count = Wording.count(files.count, "file", "files")
      let more = files.count < 1_000 ? count : "\(count) or more"
      return "rescued: \(more) in \(Control.Path(folder).printable); `cairn rescue list` has "
        + "the reasons"
    }
  }

  /// Returns the rescue folder of a rescued file: that of its mount, or that of its former share.
  private static func folder(of path: Control.Path) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    let names = path.bytes.split(separator: slash, omittingEmptySubsequences: false)
    let rescue = Array("rescue".utf8)[...]
    guard let place = names.lastIndex(of: rescue), place + 1 < names.count else {
      return path.bytes
    }
    // In a mount, the folder follows Cairn's own. In the home, each share has one.
    let isOfMount = place > 0 && Array(names[place - 1]) == Array(".cairn".utf8)
    let count = isOfMount || place + 2 >= names.count ? place + 1 : place + 2
    return Array(names.prefix(count).joined(separator: [slash]))
  }

  /// Writes a problem, then its remedy.
  static func write(_ problem: Control.Problem) {
    for line in lines(problem) { Output.line(line) }
  }

  private static func lines(_ problem: Control.Problem, indent: String = "") -> [String] {
    let place = problem.path.map { $0.printable + ": " } ?? ""
    let what =
      "\(indent)problem: \(place)\(Output.sentence(problem.message)) [\(problem.code.rawValue)]"
    return problem.remedy.isEmpty
      ? [what] : [what, "\(indent)  \(Output.sentence(problem.remedy))"]
  }
}
