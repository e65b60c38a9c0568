import ArgumentParser
import CairnControl

/// `cairn restore`: brings back an earlier state.
struct RestoreCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Restore a file or a directory, for all participants.",
    discussion: """
      For a deleted file, restores the last version. The current version stays in the history, and \
      nothing is stored again. For a directory, restores its former contents; new files stay. With \
      --to, writes a copy elsewhere, which needs only the right to read.
      """)

  @Argument(help: "A path in a mirrored folder, also of something that was deleted.")
  var path: PathArgument

  @Option(help: MomentArgument.help("As it was then"))
  var at: MomentArgument?

  @Option(
    help: "That version of a file, as `cairn history` numbers them.",
    completion: Suggestions.versions.completion)
  var version: VersionArgument?

  @Option(
    help: ArgumentHelp("Write it there instead; nothing may be there yet.", valueName: "path"))
  var to: PathArgument?

  @Flag(help: "Print what would be done, and change nothing.")
  var dryRun = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if at != nil && version != nil {
      throw ValidationError("--at and --version exclude each other.")
    }
    if to != nil && dryRun { throw ValidationError("--to and --dry-run exclude each other.") }
  }

  func run() throws {
    let path = try path.absolute()
    let session = try Session(output)
    guard let to else {
      let request = Control.Restore(
        path: path, at: at?.end, version: version?.name.version, zone: version?.name.zone,
        record: version?.name.record, dryRun: dryRun)
      guard let reply = try session.list(request, each: RestoreText.write) else { return }
      return RestoreText.write(
        reply, "Restored", "would be restored", path: path, isVerbose: output.verbose)
    }
    let request = Control.Fetch(
      path: path, at: at?.end, version: version?.name.version, zone: version?.name.zone,
      record: version?.name.record, destination: try to.absolute())
    guard let reply = try session.ask(request) else { return }
    Output.line(
      "\(reply.destination.printable): version \(reply.name), "
        + "\(Wording.count(reply.files, "file", "files")), \(Wording.bytes(reply.bytes))")
  }
}

/// `cairn rewind`: reverts changes.
struct RewindCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "rewind",
    abstract: "Revert the changes in a directory since a point in time, by all or by one person.",
    discussion: """
      With --by or --device, reverts only the changes of this person or device. Changes by others \
      stay; if both changed a file, both versions stay. Nothing leaves the history, so a rewind \
      can be reverted, too. --dry-run shows the amount of changes by device, and what would be done.
      """)

  @Argument(help: "A path in a mirrored folder.")
  var path: PathArgument

  @Option(help: MomentArgument.help("Revert the changes since then"))
  var to: MomentArgument

  @Option(
    help: ArgumentHelp("Only the changes of this person: a handle or an id.", valueName: "person"),
    completion: Suggestions.people.completion)
  var by: String?

  @Option(
    help: "Only the changes of this device: its name or the beginning of its id.",
    completion: Suggestions.devices.completion)
  var device: String?

  @Flag(help: "Print what would be done, and change nothing.")
  var dryRun = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.Rewind(
      path: try path.absolute(), to: to.end, by: by, device: device, dryRun: dryRun)
    guard let reply = try Session(output).list(request, each: RestoreText.write) else { return }
    for work in reply.work {
      let device = work.device.map(Output.printable) ?? Wording.id(work.id)
      Output.line(
        "\(Output.printable(work.author.handle ?? work.author.user)) on \(device): "
          + "\(Wording.grouped(Int64(work.changed))) created or changed, "
          + "\(Wording.grouped(Int64(work.deleted))) deleted"
          + (work.isUndone ? "" : ", which stays"))
    }
    RestoreText.write(
      reply, "Reverted", "would be reverted", path: request.path, isVerbose: output.verbose)
  }
}

/// The output of `restore` and `rewind`.
enum RestoreText {
  /// Writes the result for each path.
  static func write(_ paths: [Control.RestoredPath]) {
    for path in paths {
      let words = ["brought-back": "back", "changed": "changed", "moved": "moved"]
      let from = path.from.map { ", was " + $0.printable } ?? ""
      Output.line(
        "  \(words[path.what] ?? Output.printable(path.what))  \(path.path.printable)\(from)")
    }
  }

  /// Writes the summary.
  static func write(
    _ reply: Control.RestoreReply, _ done: String, _ planned: String, path: Control.Path,
    isVerbose: Bool
  ) {
    StatusText.write(reply.problems, isVerbose: isVerbose)
    let place = "as of " + (reply.to.time.map { Wording.time($0) } ?? "version \(reply.to.name)")
    guard reply.total > 0 else {
      let nothing = reply.problems.isEmpty ? "Nothing" : "Nothing else"
      return Output.line("\(nothing) to do: everything is \(place) already.")
    }
    let count = Wording.count(reply.total, "item", "items")
    guard !reply.dryRun else {
      return Output.line("\(count) \(planned) \(place). Nothing was changed.")
    }
    let undo =
      reply.act.map { " To undo: `cairn rewind \(path.typed) --to @\($0 - 1)`." } ?? ""
    let later = reply.applied ? "" : " The folder here shows it in a moment: see `cairn status`."
    Output.line("\(done) \(count) \(place).\(later)\(undo)")
  }
}
