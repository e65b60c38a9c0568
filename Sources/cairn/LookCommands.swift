import ArgumentParser
import CairnControl

/// `cairn zones`: what the account has.
struct ZonesCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "zones",
    abstract: "List the zones that you own or take part in.",
    discussion: "Shows name, owner, database, the place in the log, the folder and the id.")

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
      })
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
    abstract: "Say whether something is shared, and how it stands.",
    discussion: """
      Shows for each path whether you share it (owner), somebody shares it with you (participant) \
      or nobody does (no), how it stands between folder and zone, and the share. It asks the index \
      only, and so works while the container is away.

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
    Self.write(reply)
  }

  static func write(_ reply: Control.StatReply) {
    Output.table(
      reply.paths.map { path in
        [
          path.shared.rawValue, path.state?.rawValue ?? "-",
          path.title.map { Output.printable($0) } ?? "-", path.share ?? "-", path.path.printable,
        ]
      })
  }
}

/// `cairn share of`: the shares of some paths.
struct ShareOfCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "of",
    abstract: "Say in which shares some paths are.",
    discussion: """
      As `cairn stat`, but with a line for those only that are shared and in the container already.
      """)

  @Argument(help: "Paths, in mirrored folders or elsewhere.")
  var paths: [PathArgument]

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.Stat(paths: try paths.map { try $0.absolute() }, onlyShared: true)
    guard let reply = try Session(output).ask(request) else { return }
    if reply.paths.isEmpty { return Output.line("Nothing of that is shared.") }
    StatCommand.write(reply)
  }
}

/// `cairn inspect`: the container without keys.
struct InspectCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show what the container shows to whoever keeps it.",
    discussion: """
      Lists people and zones with their ids, numbers and sizes, which is all that can be seen \
      without a key. It reads no content.
      """)

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let reply = try Session(output).ask(Control.Inspect()) else { return }
    Output.line(
      "container \(reply.container), format \(reply.format), made \(Wording.time(reply.created))")
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
struct DoctorCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check what Cairn needs on this machine.",
    discussion: """
      Looks at the daemon, the identity, the container, whether it can be written to, the clocks, \
      the limits of inotify, free room and the mirrored folders. What isn't in order is named with \
      what to do, and makes the exit status that of its error.

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
    let reply: Control.DoctorReply
    do {
      reply = try Session(output).answer(Control.Doctor()).reply
    } catch {
      // A daemon that doesn't start says which precondition is missing.
      reply = Control.DoctorReply(checks: [
        Control.Check(
          name: "daemon", code: error.code, message: error.message, remedy: error.remedy)
      ])
    }
    if output.json { Output.line(try ControlJSON.encode(reply)) } else { Self.write(reply) }
    if let failure = reply.failure { throw ExitCode(failure.exitStatus) }
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
    for check in reply.checks {
      let mark = check.code.map { "FAILED [\($0.rawValue)]" } ?? "ok"
      Output.line("\(check.name): \(mark): \(Output.sentence(check.message))")
      if !check.remedy.isEmpty {
        Output.line("  " + Output.sentence(check.remedy))
      }
    }
  }
}
