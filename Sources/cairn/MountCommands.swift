import ArgumentParser
import CairnControl

/// `cairn add`: mirrors a folder.
struct AddCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Mirror a folder of yours to the container.",
    discussion: """
      Only you can read it there, until you share it. What .cairnignore files name is left out. \
      The first copy continues in the background: `cairn wait` waits for it. With --zone the \
      folder becomes the mirror of a zone that you have already, as on another device of yours. \
      See cairn-add(1).
      """)

  @Argument(help: ArgumentHelp("The folder.", valueName: "dir"), completion: .directory)
  var path: PathArgument

  @Flag(help: "Say what would be mirrored, and touch nothing.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "Mirror this zone, which you have already, by its id from `cairn zones`.", valueName: "id"),
    completion: Suggestions.zones.completion)
  var zone: String?

  @Flag(help: "Mirror the folder though it was the mirror of a home that is gone for good.")
  var anew = false

  @OptionGroup var sensitive: SensitiveOptions

  @OptionGroup var output: OutputOptions

  func run() throws {
    let folder = try path.absolute()
    let reply = try QuestionOptions.confirmed(sensitive.given, output) { given in
      Control.Add(
        path: folder, dryRun: dryRun, zone: zone, anew: anew ? true : nil,
        sensitive: given.contains(.sensitive) ? true : nil)
    }
    guard let reply else { return }
    guard reply.dryRun else {
      let verb = reply.created ? "is mirrored now" : "was mirrored already"
      Output.line("\(reply.path.printable) \(verb).")
      for note in reply.mount?.watching.fileSystem ?? [] { Output.line(Output.printable(note)) }
      for other in reply.namesakes ?? [] { tell(of: other, beside: reply.path) }
      return
    }
    Output.line(
      "\(reply.path.printable) would be mirrored: "
        + Wording.count(reply.files ?? 0, "file", "files") + ", "
        + Wording.count(reply.directories ?? 0, "directory", "directories") + ", "
        + Wording.bytes(reply.bytes ?? 0) + "; "
        + Wording.count(reply.ignored ?? 0, "name", "names") + " ignored. Nothing was changed.")
    StatusText.write(reply.skipped, isVerbose: output.verbose)
  }

  /// A folder of the same name that another device mirrors may have been meant.
  private func tell(of other: String, beside path: Control.Path) {
    let id = Wording.id(other)
    Output.line("Another zone of yours has this name, perhaps from another device: \(id).")
    Output.line(
      "  If both are to be one: `cairn remove \(path.typed)`, then `cairn add "
        + "\(path.typed) --zone \(id)`.")
  }
}

/// `cairn remove`: stops mirroring.
struct RemoveCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Stop mirroring a folder, and keep its files.",
    discussion: """
      The files stay in place, and the zone stays in the container: other participants lose \
      nothing. Changes that had not reached the container stay only in the folder, and are \
      counted.
      """)

  @Argument(
    help: ArgumentHelp("The mirrored folder.", valueName: "dir"),
    completion: Suggestions.folders.completion)
  var path: PathArgument

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.Remove {
    Control.Remove(path: try path.absolute())
  }

  func write(_ reply: Control.Remove.Reply) {
    Output.line("\(reply.path.printable) is no longer mirrored; its files stay.")
    guard reply.pendingLocal > 0 else { return }
    Output.line(
      "Only here: " + Wording.count(reply.pendingLocal, "change", "changes")
        + " that had not reached the container.")
  }
}
