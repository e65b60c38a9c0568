import ArgumentParser
import CairnControl

/// `cairn history`: the versions of files.
struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show the versions of a file or directory, and which versions are kept.",
    discussion: """
      Without a subcommand, lists the versions. cairn-gc(1) describes which versions are kept. If \
      a path has the name of a subcommand, begin it with ./ . See cairn-history(1).
      """,
    subcommands: [
      HistoryListCommand.self, HistoryPolicyCommand.self, HistoryForgetCommand.self,
    ],
    defaultSubcommand: HistoryListCommand.self)
}

/// `cairn history list`: the versions.
struct HistoryListCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show what happened to a file, or in a directory, newest first.",
    discussion: """
      Each line is a version: its number, its time, the kind of change, the size, the author and \
      the device, and the path. The list follows a file through renames. To see a deleted file, \
      give its former path. `cairn restore` restores a version.
      """)

  @Argument(help: "A path in a mirrored folder; the working folder if left out.")
  var path: PathArgument?

  @Flag(help: "Only deletions.")
  var deleted = false

  @Option(help: MomentArgument.help("Only what happened after that"))
  var since: MomentArgument?

  @Option(help: MomentArgument.help("Only what happened up to then"))
  var until: MomentArgument?

  @Option(
    help: ArgumentHelp("Only the changes of this person: a handle or an id.", valueName: "person"),
    completion: Suggestions.people.completion)
  var by: String?

  @Option(
    help: "Only the changes of this device: its name or the beginning of its id.",
    completion: Suggestions.devices.completion)
  var device: String?

  @Option(help: "The maximum number of lines.")
  var limit = 1000

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit takes a number from 1.") }
  }

  func run() throws {
    let path = try path?.absolute() ?? PathArgument(argument: ".")?.absolute() ?? "/"
    let request = Control.History(
      path: path, deletedOnly: deleted, since: since?.begin, until: until?.end, by: by,
      device: device, limit: limit)
    var table = GrowingTable(heading: ["VERSION", "TIME", "CHANGE", "SIZE", "AUTHOR", "PATH"])
    var isEmpty = true
    let reply = try Session(output).list(request) { entries in
      isEmpty = false
      table.write(entries.map(Self.row))
    }
    guard let reply else { return }
    if isEmpty { Output.line("There are no such versions.") }
    if let begins = reply.begins, !reply.isCut {
      let time = begins.time.map { " (\(Wording.time($0)))" } ?? ""
      Output.line(
        "Your history begins after version \(begins.place)\(time): the owner doesn't show what was "
          + "before.")
    }
    if let told = reply.told {
      Output.line(
        "Up to version \(told) this is from a snapshot: the folder's owner vouches for the authors."
      )
    }
    if reply.isCut {
      Output.error("There is more: use --limit, or --until with the last one shown.")
    }
  }

  private static func row(_ entry: Control.HistoryEntry) -> [String] {
    let device = entry.device.map { " on " + Output.printable($0) } ?? ""
    let from = entry.from.map { ", was " + $0.printable } ?? ""
    return [
      entry.name, Wording.time(entry.time),
      entry.what.map { $0 == "made" ? "created" : Output.printable($0) }.joined(separator: ", ")
        + (entry.act.map { " (@\($0))" } ?? ""),
      entry.kind == .directory ? "-" : Wording.bytes(entry.size),
      Output.printable(entry.author.handle ?? entry.author.user) + device,
      (entry.path?.printable ?? "elsewhere") + (entry.kind == .directory ? "/" : "") + from,
    ]
  }
}
