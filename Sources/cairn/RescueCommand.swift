import ArgumentParser
import CairnControl
import Glibc

/// `cairn rescue`: rescued files.
struct RescueCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rescue",
    abstract: "List, restore and delete recovered files.",
    discussion: """
      Cairn keeps a file as a recovered file, with the reason, if it could stay neither in its \
      folder nor in its zone. Without a subcommand, lists the recovered files. See \
      cairn-rescue(1).
      """,
    subcommands: [RescueListCommand.self, RescueRestoreCommand.self, RescueClearCommand.self],
    defaultSubcommand: RescueListCommand.self)
}

/// `cairn rescue list`: the rescued files.
struct RescueListCommand: RequestCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the recovered files, with their original path, the time and the reason.")

  @Argument(help: "A mirrored folder, or anything in it; everything if left out.")
  var path: PathArgument?

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.RescueList {
    Control.RescueList(path: try path?.absolute())
  }

  func write(_ reply: Control.RescueList.Reply) {
    if reply.entries.isEmpty { Output.line("There are no recovered files.") }
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
struct RescueRestoreCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Restore a recovered file.",
    discussion: """
      It returns to its original path, or gets a new name beside it if the path is taken. With \
      --to it moves into this folder, or gets this name, which must be free.
      """)

  @Argument(
    help: "Its path, as `cairn rescue list` prints it.",
    completion: Suggestions.rescued.completion)
  var path: PathArgument

  @Option(help: ArgumentHelp("The destination.", valueName: "path"))
  var to: PathArgument?

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.RescueRestore {
    Control.RescueRestore(
      path: try path.absolute(), destination: try to?.absolute())
  }

  func write(_ reply: Control.RescueRestore.Reply) {
    Output.line("Restored: " + reply.path.printable)
  }
}

/// `cairn rescue clear`: deletes them permanently.
struct RescueClearCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear",
    abstract: "Delete recovered files permanently.",
    discussion: """
      Name the files, or use --all. On a terminal, the command lists them and asks; elsewhere it \
      needs --yes. No other copy exists, so deleted files are lost.
      """)

  @Argument(
    help: "Paths, as `cairn rescue list` prints them.", completion: Suggestions.rescued.completion)
  var paths: [PathArgument] = []

  @Flag(help: "All recovered files of this home.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "Only files recovered longer ago than this: 30d, 12h, 45m.", valueName: "span"))
  var olderThan: SpanArgument?

  @Flag(help: "Don't ask.")
  var yes = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard all != !paths.isEmpty else {
      throw ValidationError("Name the files, or use --all.")
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
      "Deleted: \(Wording.count(reply.entries.count, "file", "files")), \(Wording.bytes(bytes)).")
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
        "\(Wording.count(entries.count, "file", "files")) would be deleted permanently.",
        remedy: "Repeat with --yes to delete them.")
    }
    guard !entries.isEmpty else {
      Output.line("There are no such recovered files.")
      return false
    }
    for entry in entries { RescueListCommand.write(entry) }
    Output.raw(
      Array("Delete \(Wording.count(entries.count, "file", "files")) permanently? [y/N] ".utf8))
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
