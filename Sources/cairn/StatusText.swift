import CairnControl

/// A status, for people: what needs them first, then a table of the folders.
enum StatusText {
  /// Writes a status.
  static func write(_ reply: Control.StatusReply, isVerbose: Bool = false) {
    for line in lines(reply, isVerbose: isVerbose) { Output.line(line) }
  }

  /// The lines of a status.
  /// - Parameters:
  ///   - reply: The status.
  ///   - isVerbose: Whether the details of the daemon and of each folder follow.
  ///   - isColoured: Whether words have colours.
  /// - Returns: The lines, without line ends.
  static func lines(
    _ reply: Control.StatusReply, isVerbose: Bool = false, isColoured: Bool = Paint.isOn
  ) -> [String] {
    let account = reply.account
    let who = Wording.person(account.user, account.handle, account.name)
    let needs = StatusNeeds.all(reply)
    var lines = [
      "\(who) on \(Output.printable(account.deviceName)): "
        + summary(reply, needs.count(where: \.isUrgent), isColoured)
    ]
    var table = GrowingTable()
    lines += table.lines(
      (isVerbose ? [StatusDetails.daemon(reply.daemon)] : []) + [storage(reply.container)]
        + traffic(of: reply.container))
    if !needs.isEmpty { lines += [""] + self.lines(needs, isColoured) }
    if isVerbose { lines += StatusDetails.recovered(reply.rescued) }
    guard !reply.mounts.isEmpty else {
      return lines + ["No folder is mirrored. To share one, run `cairn share create FOLDER`."]
    }
    lines += [""] + folders(reply, isColoured)
    guard isVerbose else { return lines }
    for mount in reply.mounts {
      let folder = reply.container.traffic?.folders.first { $0.path == mount.path }
      lines += [""] + StatusDetails.lines(mount, folder?.paused)
    }
    return lines
  }

  /// The state of everything in a few words.
  private static func summary(
    _ reply: Control.StatusReply, _ urgent: Int, _ isColoured: Bool
  ) -> String {
    if urgent > 0 {
      let text = Wording.count(urgent, "thing needs you", "things need you")
      return Paint.text(text, .bad, isOn: isColoured)
    }
    if reply.container.traffic?.paused != nil {
      return Paint.text("paused", .note, isOn: isColoured)
    }
    let working = reply.mounts.count { $0.phase != .idle }
    if working > 0 {
      return Paint.text(
        "syncing " + Wording.count(working, "folder", "folders"), .note, isOn: isColoured)
    }
    return Paint.text("everything is up to date", .good, isOn: isColoured)
  }

  /// The storage, and how changes in it are noticed.
  private static func storage(_ container: Control.ContainerStatus) -> [String] {
    let state = container.state.map { $0 == .offline ? "" : ", \($0.rawValue.uppercased())" } ?? ""
    let reach =
      container.traffic?.paused != nil
      ? "not checked" : container.reachable ? "reachable" : "NOT REACHABLE"
    let news = container.news.map { ", " + words($0) } ?? ""
    return [
      "storage",
      "\(container.path.printable) (\(Output.printable(container.fileSystem))), \(reach)\(state)"
        + news,
    ]
  }

  private static func lines(_ needs: [StatusNeed], _ isColoured: Bool) -> [String] {
    var table = GrowingTable()
    return table.lines(
      needs.map { need in
        [
          Paint.text(need.kind, need.isUrgent ? .bad : .note, isOn: isColoured), need.place,
          need.text,
        ]
      })
  }

  // MARK: Folders

  /// The table of the folders: those with problems first, then those with work, then by path.
  private static func folders(_ reply: Control.StatusReply, _ isColoured: Bool) -> [String] {
    let rows = reply.mounts.map { mount in
      let urgent = StatusNeeds.of(mount).count(where: \.isUrgent)
      let rank = urgent > 0 || isStopped(mount.phase) ? 0 : mount.phase == .idle ? 2 : 1
      return (rank: rank, mount: mount, urgent: urgent)
    }.sorted { one, other in
      one.rank == other.rank
        ? one.mount.path.bytes.lexicographicallyPrecedes(other.mount.path.bytes)
        : one.rank < other.rank
    }
    var table = GrowingTable()
    return table.lines(
      [["STATE", "FOLDER", "FILES", "SIZE", "ACCESS"]]
        + rows.map { row in
          let mount = row.mount
          let colour: Paint.Colour = [.bad, .note, .good][row.rank]
          return [
            Paint.text(state(mount, row.urgent), colour, isOn: isColoured), mount.path.printable,
            Wording.grouped(Int64(mount.files)), Wording.bytes(mount.bytes), access(mount),
            (WorkText.lines(mount.work)
              + [mount.ignored.leftOut.map(SelectionText.leftOut)]
              .compactMap(\.self)).joined(separator: "; "),
          ]
        })
  }

  private static func isStopped(_ phase: Control.Phase) -> Bool {
    switch phase {
    case .held, .offline, .detached, .damaged: true
    case .starting, .scanning, .sending, .receiving, .idle, .waiting, .paused: false
    }
  }

  private static func state(_ mount: Control.MountStatus, _ urgent: Int) -> String {
    let problems = Wording.count(urgent, "problem", "problems")
    if mount.phase == .idle, urgent > 0 { return problems }
    let log = mount.state.map { $0 == .offline ? "" : ", \($0.rawValue)" } ?? ""
    return Wording.phase(mount.phase) + log + (urgent > 0 ? ", " + problems : "")
  }

  /// The relation of this person to a folder.
  static func access(_ mount: Control.MountStatus) -> String {
    switch mount.scope {
    case .private: "yours"
    case .public: "public, \(Wording.permission(mount.permission))"
    case .shared: "\(Wording.role(mount.role)), \(Wording.permission(mount.permission))"
    }
  }

  // MARK: Words

  /// The pause and the speed limits of the traffic.
  private static func traffic(of container: Control.ContainerStatus) -> [[String]] {
    var rows: [[String]] = []
    if let limits = container.traffic?.limits {
      let both = [(limits.upload, "upload"), (limits.download, "download")]
      let parts = both.compactMap { limit, what in
        limit.map { "\(what) at most \(Wording.bytes($0))/s" }
      }
      let times = limits.times.joined(separator: ", ")
      let when =
        times.isEmpty ? "" : limits.active ? " (now, by \(times))" : " (not now: \(times))"
      rows.append(["limits", parts.joined(separator: ", ") + when])
    }
    if let paused = container.traffic?.paused {
      rows.append(["paused", Wording.pause(paused) + "; run `cairn resume` to continue"])
    }
    for folder in container.traffic?.folders ?? [] {
      rows.append([
        "paused",
        "\(folder.path.printable), \(Wording.pause(folder.paused)); run `cairn resume "
          + "\(folder.path.typed)` to continue",
      ])
    }
    return rows
  }

  /// The way in which others' changes are noticed, and its maximum delay.
  static func words(_ news: Control.News) -> String {
    let wakes = news.wakes.map { words($0) } ?? ""
    guard !news.told else { return "updates instant" + wakes }
    let (now, later) = (seconds(news.lateSeconds), seconds(news.longestSeconds))
    return "updates checked every \(now), at most every \(later)"
      + (news.deaf ? " (its notifications don't arrive)" : "") + wakes
  }

  private static func words(_ wakes: Control.Wakes) -> String {
    let places = wakes.addresses.map { Output.printable($0) }.joined(separator: ", ")
    let here =
      places.isEmpty
      ? "push messages are only sent" : "push messages at \(places) (\(wakes.heard) so far)"
    return "; \(here), \(Wording.count(wakes.devices, "other device", "other devices")) listen"
      + (wakes.devices == 1 ? "s" : "")
  }

  /// A span in seconds, with tenths below ten seconds.
  static func seconds(_ seconds: Double) -> String {
    let tenths = Int((seconds * 10).rounded(.up))
    return tenths < 100 ? "\(tenths / 10).\(tenths % 10) s" : "\((tenths + 9) / 10) s"
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

  /// Writes problems, each with its remedy; of those with the same message the first three.
  static func write(_ problems: [Control.Problem], isVerbose: Bool) {
    let lines = Repetition.lines(problems, all: isVerbose) { problem in
      let place = problem.path.map { $0.printable + ": " } ?? ""
      let line = "problem: \(place)\(Output.sentence(problem.message)) [\(problem.code.rawValue)]"
      return problem.remedy.isEmpty ? [line] : [line, "  " + Output.sentence(problem.remedy)]
    }
    for line in lines { Output.line(line) }
  }
}
