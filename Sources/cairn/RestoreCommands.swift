import ArgumentParser
import CairnControl

/// `cairn restore`: brings back an earlier state.
struct RestoreCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Bring a file or a directory back as it was, for everybody.",
    discussion: """
      Of what is deleted, the last version comes back. What stands there now stays in the history, \
      and nothing is stored again. Of a directory everything comes back that was in it; what is \
      new stays. With --to it is written elsewhere, which those may do, too, who may only read.
      """)

  @Argument(help: "A path in a mirrored folder, also one where nothing stands any more.")
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

  @Flag(help: "Say what would be done, and do nothing.")
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
      return RestoreText.write(reply, "Brought back", "would be brought back")
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
    abstract: "Take back what was done in a directory since a moment, by all or by one.",
    discussion: """
      With --by or --device only what that person did, or what was done on that device; what \
      others did meanwhile stays, and of a file that both changed both versions stay. Nothing \
      leaves the history, so a rewind can be taken back as well. --dry-run tells first which \
      device did how much, and what would be done.
      """)

  @Argument(help: "A path in a mirrored folder.")
  var path: PathArgument

  @Option(help: MomentArgument.help("Take back what was done since then"))
  var to: MomentArgument

  @Option(
    help: ArgumentHelp("Only what that person did: a handle or an id.", valueName: "person"),
    completion: Suggestions.people.completion)
  var by: String?

  @Option(
    help: "Only what was done on that device: its name or the beginning of its id.",
    completion: Suggestions.devices.completion)
  var device: String?

  @Flag(help: "Say what would be done, and do nothing.")
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
          + "\(Wording.grouped(Int64(work.changed))) made or changed, "
          + "\(Wording.grouped(Int64(work.deleted))) deleted"
          + (work.isUndone ? "" : ", which stays"))
    }
    RestoreText.write(reply, "Taken back", "would be taken back")
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
  static func write(_ reply: Control.RestoreReply, _ done: String, _ planned: String) {
    for problem in reply.problems { StatusText.write(problem) }
    let when = reply.to.time.map { ", of " + Wording.time($0) } ?? ""
    let place = "entry \(reply.to.name) of the log\(when)"
    guard reply.total > 0 else {
      let nothing = reply.problems.isEmpty ? "Nothing" : "Nothing else"
      return Output.line("\(nothing) has to be done: all is as it was after \(place).")
    }
    let count = Wording.count(reply.total, "path", "paths")
    Output.line(
      reply.dryRun
        ? "\(count) \(planned), to \(place). Nothing was done."
        : "\(done): \(count), to \(place), in "
          + "\(Wording.count(reply.commits, "commit", "commits")).")
    guard let act = reply.act else { return }
    Output.line("It is the act @\(act) of the log; --to @\(act - 1) takes it back.")
  }
}
