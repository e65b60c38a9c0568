import CairnControl

/// A status, for people.
enum StatusText {
  /// Writes the daemon, the container, the mounts, and what is wrong.
  static func write(_ reply: Control.StatusReply) {
    let account = reply.account
    let who = Wording.person(account.user, account.handle, account.name)
    Output.line("\(who) on \(Output.printable(account.deviceName))")
    let container = reply.container
    let state = container.state.map { $0 == .offline ? "" : ", \($0.rawValue.uppercased())" } ?? ""
    let reach =
      (container.traffic?.paused != nil
        ? "not asked" : container.reachable ? "reachable" : "NOT REACHABLE") + state
    Output.table(
      [
        [
          "daemon",
          "cairnd \(Output.printable(reply.daemon.version)), process \(reply.daemon.pid), "
            + "since \(Wording.time(reply.daemon.startedAt))",
        ],
        [
          "container",
          "\(container.path.printable) (\(Output.printable(container.fileSystem))), \(reach)",
        ],
      ] + (container.news.map { [["changes", words($0)]] } ?? []) + traffic(of: container))
    for problem in reply.problems { write(problem) }
    for rescued in reply.rescued { write(rescued, indent: "") }
    for burst in reply.bursts {
      Output.line(
        "unusual: \(burst.path.printable), \(Wording.time(burst.time)): "
          + Output.sentence(burst.text))
      Output.line("  If that wasn't meant: \(burst.rewind) --dry-run")
    }
    for end in reply.ended {
      let place = end.path.map { $0.printable + ", " } ?? ""
      Output.line("ended: \(place)\(Wording.time(end.time)): \(Output.sentence(end.text))")
    }
    if reply.mounts.isEmpty { Output.line("No folder is mirrored.") }
    for mount in reply.mounts {
      Output.line()
      let folder = container.traffic?.folders.first { $0.path == mount.path }
      write(mount, folder?.paused)
    }
  }

  /// Whether something goes to the container and comes from it, and how fast at most.
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

  /// How others' changes are heard of, and how late that may be.
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

  /// Writes one mount, and since when it is paused by itself.
  static func write(_ mount: Control.MountStatus, _ paused: Control.Paused? = nil) {
    let state = mount.state.map { ": \($0.rawValue)" } ?? ""
    Output.line("\(mount.path.printable)  \(mount.phase.rawValue)" + state)
    let whose =
      switch mount.scope {
      case .private: "mine"
      case .public: "public, \(Wording.permission(mount.permission))"
      case .shared:
        "shared with me, \(Wording.role(mount.role)), \(Wording.permission(mount.permission))"
      }
    Output.line("  \"\(Output.printable(mount.title))\", \(whose)")
    Output.line(
      "  " + Wording.count(mount.files, "file", "files") + ", "
        + Wording.count(mount.directories, "directory", "directories") + ", "
        + Wording.bytes(mount.bytes) + ", commit \(mount.sequence)")
    if mount.pendingLocal + mount.pendingRemote > 0 {
      Output.line(
        "  pending: \(Wording.grouped(Int64(mount.pendingLocal))) to send, "
          + "\(Wording.grouped(Int64(mount.pendingRemote))) to receive")
    }
    if let paused {
      Output.line("  paused \(Wording.pause(paused)); `cairn resume` lets it go on")
    }
    if mount.watching.unwatched > 0 {
      let note = mount.watching.note.map { ": " + Output.sentence($0) } ?? ""
      Output.line(
        "  not watched: "
          + Wording.count(mount.watching.unwatched, "directory", "directories") + note)
    }
    for problem in mount.problems { write(problem, indent: "  ") }
    for conflict in mount.conflicts { Output.line("  conflict copy: \(conflict.printable)") }
    for rescued in mount.rescued { write(rescued, indent: "  ") }
  }

  private static func write(_ rescued: Control.Rescued, indent: String) {
    Output.line("\(indent)rescued: \(rescued.path.printable)")
    Output.line(
      "\(indent)  of \(rescued.of.printable), \(Wording.time(rescued.time)): "
        + Output.sentence(rescued.reason))
  }

  /// Writes one problem: what, then what to do.
  static func write(_ problem: Control.Problem, indent: String = "") {
    let place = problem.path.map { $0.printable + ": " } ?? ""
    Output.line(
      "\(indent)problem: \(place)\(Output.sentence(problem.message)) [\(problem.code.rawValue)]")
    if !problem.remedy.isEmpty { Output.line("\(indent)  \(Output.sentence(problem.remedy))") }
  }
}
