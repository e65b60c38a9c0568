import CairnControl

/// The details of a status, for `--verbose`.
enum StatusDetails {
  /// The row for the daemon.
  static func daemon(_ daemon: Control.DaemonStatus) -> [String] {
    [
      "daemon",
      "cairnd \(Output.printable(daemon.version)), process \(daemon.pid), since "
        + Wording.time(daemon.startedAt),
    ]
  }

  /// One folder, with the start of its own pause.
  static func lines(_ mount: Control.MountStatus, _ paused: Control.Paused?) -> [String] {
    let state = mount.state.map { ", \($0.rawValue)" } ?? ""
    var lines = [
      "\(mount.path.printable)  \(Wording.phase(mount.phase))" + state,
      "  \"\(Output.printable(mount.title))\", \(StatusText.access(mount))",
      "  " + Wording.count(mount.files, "file", "files") + ", "
        + Wording.count(mount.directories, "directory", "directories") + ", "
        + Wording.bytes(mount.bytes) + ", version \(mount.sequence)",
    ]
    lines += WorkText.lines(mount.work).map { "  " + $0 }
    if let ignored = words(mount.ignored, of: mount.path) { lines.append("  " + ignored) }
    if let leftOut = mount.ignored.leftOut { lines.append("  " + SelectionText.leftOut(leftOut)) }
    if let succession = mount.succession {
      lines += SuccessionText.rows(succession).map { "  " + $0.joined(separator: ": ") }
    }
    if let paused { lines.append("  paused \(Wording.pause(paused))") }
    lines += (mount.watching.fileSystem ?? []).map { "  file system: " + Output.printable($0) }
    for problem in mount.problems {
      let place = problem.path.map { $0.printable + ": " } ?? ""
      lines.append(
        "  problem: \(place)\(Output.sentence(problem.message)) [\(problem.code.rawValue)]")
    }
    lines += mount.conflicts.map { "  conflict copy: \($0.printable)" }
    return lines + recovered(mount.rescued, indent: "  ")
  }

  /// Recovered files, with their reasons.
  static func recovered(_ files: [Control.Rescued], indent: String = "") -> [String] {
    files.flatMap { file in
      [
        "\(indent)recovered: \(file.path.printable)",
        "\(indent)  of \(file.of.printable), \(Wording.time(file.time)): "
          + Output.sentence(file.reason),
      ]
    }
  }

  /// The names that rules exclude from a mount; nil: none.
  private static func words(_ ignored: Control.Ignored, of mount: Control.Path) -> String? {
    guard ignored.names > 0 else { return nil }
    let rules = ignored.rules.prefix(3).map { rule in
      let file = rule.file.map { " in \(name(of: $0, in: mount))" } ?? ""
      return "`\(rule.pattern.printable)`\(file) \(Wording.grouped(Int64(rule.names)))"
    }
    let more = ignored.rules.count > rules.count ? ", …" : ""
    return "ignored: " + Wording.count(ignored.names, "name", "names") + ": "
      + rules.joined(separator: ", ") + more
  }

  /// A path relative to a folder.
  private static func name(of path: Control.Path, in folder: Control.Path) -> String {
    guard path.bytes.starts(with: folder.bytes + [UInt8(ascii: "/")]) else { return path.printable }
    return Control.Path(Array(path.bytes.dropFirst(folder.bytes.count + 1))).printable
  }
}
