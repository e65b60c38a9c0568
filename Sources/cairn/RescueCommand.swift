import ArgumentParser
import CairnControl
import Glibc

/// `cairn rescue`: rescued files.
struct RescueCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rescue",
    abstract: "List, put back and clear what was set aside.",
    discussion: """
      What could stay neither in a folder nor in its zone lies in a rescue folder, with the \
      reason. Without a further word, lists it. See cairn-rescue(1).
      """,
    subcommands: [RescueListCommand.self, RescueRestoreCommand.self, RescueClearCommand.self],
    defaultSubcommand: RescueListCommand.self)
}

/// `cairn rescue list`: the rescued files.
struct RescueListCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List what was set aside, of what, when and why.")

  @Argument(help: "A mirrored folder, or anything in it; everything if left out.")
  var path: PathArgument?

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.RescueList(path: try path?.absolute())
    guard let reply = try Session(output).ask(request) else { return }
    if reply.entries.isEmpty { Output.line("Nothing lies in a rescue folder.") }
    for entry in reply.entries { Self.write(entry) }
  }

  static func write(_ entry: Control.RescueEntry) {
    let rescued = entry.rescued
    Output.line(rescued.path.printable)
    Output.line(
      "  of \(rescued.of.printable), \(Wording.bytes(entry.size)), \(Wording.time(rescued.time))")
    Output.line("  " + Output.sentence(rescued.reason))
  }
}

/// `cairn rescue restore`: moves them back to their place.
struct RescueRestoreCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Put something back that was set aside.",
    discussion: """
      It goes where it was; if something stands there, it goes beside it under a name of its own. \
      With --to it goes into that folder, or gets that name, which must be free.
      """)

  @Argument(
    help: "Where it lies, as `cairn rescue list` names it.",
    completion: Suggestions.rescued.completion)
  var path: PathArgument

  @Option(help: ArgumentHelp("Where it shall go instead.", valueName: "path"))
  var to: PathArgument?

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.RescueRestore(
      path: try path.absolute(), destination: try to?.absolute())
    guard let reply = try Session(output).ask(request) else { return }
    Output.line("Put back: " + reply.path.printable)
  }
}

/// `cairn rescue clear`: deletes them permanently.
struct RescueClearCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear",
    abstract: "Remove what was set aside, for good.",
    discussion: """
      Name what goes, or say --all. What it is is listed, and asked for on a terminal; elsewhere \
      it needs --yes. Nobody else has these bytes, so they are lost then.
      """)

  @Argument(
    help: "What goes, as `cairn rescue list` names it.", completion: Suggestions.rescued.completion)
  var paths: [PathArgument] = []

  @Flag(help: "Everything that lies in any rescue folder of this home.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "Only what was set aside longer ago than this: 30d, 12h, 45m.", valueName: "span"))
  var olderThan: SpanArgument?

  @Flag(help: "Don't ask.")
  var yes = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard all != !paths.isEmpty else {
      throw ValidationError("Name what goes, or say --all.")
    }
  }

  func run() throws {
    let session = try Session(output)
    let wanted = try paths.map { try $0.absolute() }
    let before = olderThan.map { span in
      Control.Time(nanoseconds: Control.Time.now().nanoseconds - span.nanoseconds)
    }
    if !yes, try !mayGo(entries(wanted, before, session)) { return }
    let request = Control.RescueClear(paths: wanted, before: before)
    guard let reply = try session.ask(request) else { return }
    let bytes = reply.entries.reduce(0) { $0 + $1.size }
    Output.line(
      "Removed: \(Wording.count(reply.entries.count, "file", "files")), \(Wording.bytes(bytes)).")
  }

  private func entries(
    _ wanted: [Control.Path], _ before: Control.Time?, _ session: Session
  ) throws(ControlError) -> [Control.RescueEntry] {
    try session.whole(Control.RescueList()).entries.filter { entry in
      (wanted.isEmpty || wanted.contains(entry.rescued.path))
        && before.map { entry.rescued.time < $0 } ?? true
    }
  }

  /// Asks on a terminal. Throws `operationCancelled` without one.
  private func mayGo(_ entries: [Control.RescueEntry]) throws(ControlError) -> Bool {
    guard !output.json, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
      throw ControlError(
        .operationCancelled,
        "\(Wording.count(entries.count, "file", "files")) would be removed for good.",
        remedy: "Say --yes, if that is meant.")
    }
    guard !entries.isEmpty else {
      Output.line("Nothing of that kind lies in a rescue folder.")
      return false
    }
    for entry in entries { RescueListCommand.write(entry) }
    Output.raw(
      Array("Remove \(Wording.count(entries.count, "file", "files")) for good? [y/N] ".utf8))
    return readLine().map { ["y", "yes"].contains($0.lowercased()) } ?? false
  }
}

/// A time span on the command line: `30d`, `12h` or `45m`.
struct SpanArgument: ExpressibleByArgument {
  /// The span.
  let nanoseconds: Int64

  init?(argument: String) {
    let seconds: Int64
    switch argument.last {
    case "d": seconds = 86_400
    case "h": seconds = 3_600
    case "m": seconds = 60
    default: return nil
    }
    let digits = argument.dropLast()
    guard (1...5).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let count = Int64(digits)
    else { return nil }
    nanoseconds = count * seconds * 1_000_000_000
  }
}
