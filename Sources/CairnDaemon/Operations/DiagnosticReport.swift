import CairnControl
import CairnStore
import Glibc

/// A report about a daemon that its person may show to others. It is built from chosen fields only:
/// numbers, states, error codes and ids. Paths, names, titles, messages and addresses never enter
/// it, so nothing has to be found and removed afterwards.
struct DiagnosticReport {
  /// The number of the last events in the report.
  static let eventLimit = 200
  /// The number of hexadecimal digits of an id in the report.
  private static let digits = 12

  /// The titles of the sections, in order.
  private(set) var sections: [String] = []
  /// The whole report.
  private(set) var text = ""

  private mutating func section(_ title: String, _ lines: [String]) {
    sections.append(title)
    text += (text.isEmpty ? "" : "\n") + "== \(title)\n"
    text += (lines.isEmpty ? ["(none)"] : lines).joined(separator: "\n") + "\n"
  }

  /// Adds the versions of Cairn and of the kernel.
  mutating func addVersions() {
    var names = utsname()
    uname(&names)
    section(
      "versions",
      [
        "cairn \(Control.version)",
        "kernel \(Self.string(&names.sysname)) \(Self.string(&names.release)) "
          + Self.string(&names.machine),
      ])
  }

  private static func string<Field>(_ field: inout Field) -> String {
    withUnsafeBytes(of: &field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// Adds the settings, but no address, path or name.
  mutating func add(_ configuration: Configuration) {
    let isDirectory = configuration.location.folder != nil
    section(
      "configuration",
      [
        Self.line([
          ("container", isDirectory ? "directory" : "network"),
          ("file-system", configuration.fileSystem), ("notifies", configuration.notifies),
          ("poll-seconds", configuration.pollSeconds),
        ]),
        Self.line([
          ("upload-limit", Self.number(configuration.limits.upload)),
          ("download-limit", Self.number(configuration.limits.download)),
          ("keep-free", configuration.keepFree),
        ]),
        Self.line([
          ("wake", configuration.wake.isOn), ("notices", configuration.notices),
          ("anonymous", configuration.isAnonymous), ("folder", configuration.folder != nil),
        ]),
      ])
  }

  private static func number(_ value: Int64?) -> String { value.map { "\($0)" } ?? "none" }

  private static func line(_ fields: [(String, any CustomStringConvertible)]) -> String {
    fields.map { "\($0.0)=\($0.1)" }.joined(separator: " ")
  }

  /// Adds the state of the container and of each mount.
  mutating func add(_ status: Control.StatusReply) {
    let container = status.container
    let line = Self.line([
      ("id", container.id.prefix(Self.digits)), ("reachable", container.reachable),
      ("state", container.state?.rawValue ?? "ok"), ("limited", container.traffic != nil),
    ])
    section("container", [line] + status.problems.map { "problem \($0.code.rawValue)" })
    section("mounts", status.mounts.flatMap(Self.lines))
  }

  private static func lines(of mount: Control.MountStatus) -> [String] {
    let identity = line([
      ("mount", mount.id.prefix(digits)), ("zone", mount.zone.prefix(digits)),
      ("scope", mount.scope.rawValue), ("role", mount.role.rawValue),
      ("permission", mount.permission.rawValue), ("phase", mount.phase.rawValue),
      ("state", mount.state?.rawValue ?? "ok"),
    ])
    let amounts = line([
      ("files", mount.files), ("directories", mount.directories), ("bytes", mount.bytes),
      ("sequence", mount.sequence), ("watched", mount.watching.directories),
      ("unwatched", mount.watching.unwatched), ("held", mount.held != nil),
      ("conflicts", mount.conflicts.count), ("rescued", mount.rescued.count),
    ])
    return [identity, "  " + amounts] + mount.problems.map { "  problem \($0.code.rawValue)" }
  }

  /// Adds the result of each check of `doctor`.
  mutating func add(_ checks: [Control.Check]) {
    section("checks", checks.map { "\($0.name) \($0.code?.rawValue ?? "ok")" })
  }

  /// Adds events: time, kind, mount and error code.
  mutating func add(_ events: ArraySlice<Control.Event>) {
    section(
      "events",
      events.map { event in
        "\(event.time) \(event.kind)"
          + (event.mount.map { " mount=\($0.prefix(Self.digits))" } ?? "")
          + (event.code.map { " \($0)" } ?? "")
      })
  }

  /// Adds the log lines that `RecentLog` kept.
  mutating func addLog(_ lines: [String], levels: String) {
    section("log (\(levels))", lines)
  }
}
