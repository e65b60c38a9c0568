import ArgumentParser
import CairnControl

/// `cairn zones`: what the account has.
struct ZonesCommand: AskingCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "zones",
    abstract: "List your zones, and those that are shared with you.",
    discussion: "Shows name, owner, database, version, folder and id.")

  @Option(help: "Only those of this database: private, shared or public.")
  var scope: ScopeArgument?

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let reply = try Session(output).ask(Control.Zones(scope: scope?.scope)) else { return }
    guard !reply.zones.isEmpty else { return Output.line("There are no zones.") }
    Output.table(
      reply.zones.map { zone in
        [
          Output.printable(zone.name),
          Wording.person(zone.owner.user, zone.owner.handle, zone.owner.name),
          zone.scope.rawValue, zone.title == nil ? "not shared" : "shared", "\(zone.sequence)",
          zone.path?.printable ?? "-", Wording.id(zone.zone),
        ]
      }, heading: ["NAME", "OWNER", "DATABASE", "SHARED", "VERSION", "FOLDER", "ID"])
  }
}

/// A database on the command line.
struct ScopeArgument: ExpressibleByArgument {
  let scope: Control.Scope

  static let defaultCompletionKind = CompletionKind.list(Control.Scope.allCases.map(\.rawValue))

  init?(argument: String) {
    guard let scope = Control.Scope(rawValue: argument) else { return nil }
    self.scope = scope
  }
}

/// `cairn stat`: whether paths are shared.
struct StatCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "stat",
    abstract: "Show whether paths are shared, and their state.",
    discussion: """
      Shows for each path whether you share it (owner), it is shared with you (participant) or it \
      isn't shared (no), its sync state, and the share. The command reads only the index, and \
      works while the container is away.

      --stream is for programs, such as file managers: it reads paths from standard input, one a \
      line, and answers each with a line of JSON, in their order, until the input ends. It starts \
      no daemon.
      """)

  @Argument(help: "Paths, in mirrored folders or elsewhere.")
  var paths: [PathArgument] = []

  @Flag(help: "Read paths from standard input, and answer each with a line of JSON.")
  var stream = false

  @Flag(name: [.customShort("0"), .customLong("null")], help: "Paths of --stream end with a NUL.")
  var isNull = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard stream != paths.isEmpty else { return }
    throw ValidationError(
      stream ? "With --stream, paths come from standard input." : "Name a path, or use --stream.")
  }

  func run() throws {
    if stream {
      var stream = StatStream(home: try Home(), separator: isNull ? 0 : UInt8(ascii: "\n"))
      return stream.run()
    }
    let request = Control.Stat(paths: try paths.map { try $0.absolute() })
    guard let reply = try Session(output).ask(request) else { return }
    let missing = reply.paths.filter(Self.isMissing)
    Self.write(Control.StatReply(paths: reply.paths.filter { !Self.isMissing($0) }))
    for path in missing { Failure.report(Self.absent(path.path), isJSON: false) }
    if !missing.isEmpty { throw ExitCode(Control.ErrorCode.unknownItem.exitStatus) }
  }

  /// Returns whether there is nothing at a path, here or in the zone. A mirrored folder that is
  /// away has a state.
  private static func isMissing(_ status: Control.PathStatus) -> Bool {
    status.record == nil && status.target != .folder && status.target != .part
      && !(PathArgument(status.path.bytes)?.exists ?? false)
  }

  private static func absent(_ path: Control.Path) -> ControlError {
    let parent = path.bytes.lastIndex(of: UInt8(ascii: "/")).map { path.bytes[..<$0] } ?? []
    let folder = Control.Path(parent.isEmpty ? [UInt8(ascii: "/")] : Array(parent))
    let isThere = PathArgument(folder.bytes)?.exists ?? false
    return ControlError(
      .unknownItem, "\(path) doesn't exist.",
      remedy: path.suggestion
        + (isThere
          ? "`ls \(folder.typed)` shows what is there." : "\(folder) doesn't exist, either."),
      path: path)
  }

  static func write(_ reply: Control.StatReply) {
    Output.table(
      reply.paths.map { path in
        [
          path.shared.rawValue, path.state?.rawValue ?? "-",
          path.title.map { Output.printable($0) } ?? "-", path.share ?? "-", path.path.printable,
        ]
      })
    for path in reply.paths {
      for opener in path.openBy ?? [] {
        Output.line("\(path.path.printable): \(Wording.open(opener))")
      }
    }
  }
}

/// `cairn share of`: the shares of some paths.
struct ShareOfCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "of",
    abstract: "Show the shares of some paths.",
    discussion: """
      Like `cairn stat`, but only with paths that are shared and already in the container.
      """)

  @Argument(help: "Paths, in mirrored folders or elsewhere.")
  var paths: [PathArgument]

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.Stat {
    Control.Stat(paths: try paths.map { try $0.absolute() }, onlyShared: true)
  }

  func write(_ reply: Control.Stat.Reply) {
    if reply.paths.isEmpty { return Output.line("None of these paths is shared.") }
    StatCommand.write(reply)
  }
}

/// `cairn inspect`: the container without keys.
struct InspectCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show what the owner of the storage can see.",
    discussion: """
      Lists people and zones with their ids, counts and sizes: all that is visible without a key. \
      It reads no content.
      """)

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let reply = try Session(output).ask(Control.Inspect()) else { return }
    Output.line(
      "container \(reply.container), format \(reply.format), created \(Wording.time(reply.created))"
    )
    if !reply.note.isEmpty { Output.line("note: " + Output.printable(reply.note)) }
    Output.table(
      reply.users.map { user in
        [
          "user", user.user, Wording.count(user.entries, "entry", "entries"),
          Wording.count(user.messages, "message", "messages"),
          Wording.count(user.packs, "pack", "packs"), Wording.bytes(user.bytes),
        ]
      })
    Output.table(
      reply.zones.map { zone in
        [
          "zone", zone.zone, Wording.count(zone.entries, "entry", "entries"),
          Wording.bytes(zone.bytes),
        ]
      })
  }
}

/// `cairn doctor`: whether all is there that Cairn needs.
struct DoctorCommand: AskingCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check what Cairn needs on this machine.",
    discussion: """
      Checks the daemon, the configuration, the identity, the container, the clocks, the limits \
      of inotify, free space and the mirrored folders. Each check is ok, a note or not ok, with \
      what to do. The exit status is that of the first check that is not ok.

      --report writes a file that you can attach to a bug report. It contains versions, settings, \
      states, the last events and the last log lines, and no paths, names, contents or keys.
      """)

  @Option(
    help: "Write a report without names or contents to this new file instead.",
    completion: .file())
  var report: PathArgument?

  @OptionGroup var output: OutputOptions

  func run() throws {
    if let report { return try writeReport(to: report) }
    let (reply, json): (Control.DoctorReply, [UInt8])
    do {
      let answer = try Session(output).answer(Control.Doctor())
      (reply, json) = (answer.reply, answer.json)
    } catch {
      guard error.code != .ambiguousContainer else { throw error }
      // A daemon that doesn't start says which precondition is missing.
      reply = Control.DoctorReply(checks: [
        Control.Check(
          name: "daemon", code: error.code, message: error.message, remedy: error.remedy)
      ])
      json = try ControlJSON.encode(reply)
    }
    if output.json { Output.line(json) } else { Self.write(reply) }
    if let failure = reply.checks.lazy.compactMap(\.code).first {
      throw ExitCode(failure.exitStatus)
    }
  }

  private func writeReport(to path: PathArgument) throws {
    let answer = try Session(output).answer(Control.Report())
    let place = try path.absolute()
    try PrivateFile.write(answer.reply.text, to: place, isNew: true)
    if output.json { return Output.line(answer.json) }
    Output.line("Wrote \(place.printable): \(answer.reply.sections.joined(separator: ", ")).")
    Output.line("It contains no paths, names, contents or keys. Read it before you send it.")
  }

  private static func write(_ reply: Control.DoctorReply) {
    for line in lines(reply) { Output.line(line) }
  }

  /// A line for each check: its result, its name and the finding, with the remedy below.
  static func lines(_ reply: Control.DoctorReply) -> [String] {
    let width = reply.checks.map(\.name.count).max() ?? 0
    return reply.checks.flatMap { check in
      let mark = check.code != nil ? "not ok" : check.remedy.isEmpty ? "ok" : "note"
      let code = check.code.map { " [\($0.rawValue)]" } ?? ""
      let name = check.name + String(repeating: " ", count: width - check.name.count)
      let gap = String(repeating: " ", count: 6 - mark.count)
      let line = "\(mark)\(gap)  \(name)  \(Output.sentence(check.message))\(code)"
      let indent = String(repeating: " ", count: width + 10)
      return check.remedy.isEmpty ? [line] : [line, indent + Output.sentence(check.remedy)]
    }
  }
}
