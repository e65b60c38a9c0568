import ArgumentParser
import CairnControl

/// `cairn history forget`: removes versions from the history permanently.
struct HistoryForgetCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Delete past versions of a file permanently, for all participants.",
    discussion: """
      For a file that should never have been in the folder, such as a password. Without --version, \
      deletes all earlier versions; the current version stays. Only the owner can do it. The bytes \
      leave the container seven days later. Copies that others have made stay, so change the \
      password, too. See cairn-gc(1).
      """)

  @Argument(help: "A file in a mirrored folder, also one that was deleted.")
  var path: PathArgument

  @Option(
    help: "That version, as `cairn history` numbers them, and all of the same content.",
    completion: Suggestions.versions.completion)
  var version: VersionArgument?

  @Flag(help: "Print what would be deleted, and change nothing.")
  var dryRun = false

  @OptionGroup var question: QuestionOptions

  @OptionGroup var output: OutputOptions

  func run() throws {
    let path = try path.absolute()
    if !dryRun {
      let which = version.map { "Version \($0.name.text)" } ?? "Every past version"
      try question.ask(
        "\(which) of \(path.printable) is deleted for all participants, permanently.", output)
    }
    let request = Control.HistoryForget(
      path: path, version: version?.name.version, zone: version?.name.zone,
      record: version?.name.record, dryRun: dryRun)
    guard let reply = try Session(output).ask(request) else { return }
    for line in Self.sentences(reply, of: path) { Output.line(line) }
  }

  /// The versions that were or would be removed, for people.
  static func sentences(_ reply: Control.HistoryForgetReply, of path: Control.Path) -> [String] {
    let count = Wording.count(reply.versions.count, "version", "versions")
    let bytes = Wording.bytes(Int64(clamping: reply.bytes))
    let isDone = reply.until != nil
    var lines = [
      isDone
        ? "Forgotten: \(count) of \(path.printable), with \(bytes)."
        : "\(count) of \(path.printable) would be forgotten, with \(bytes). Nothing was done."
    ]
    lines += reply.versions.map { "  " + text($0) }
    if !reply.elsewhere.isEmpty {
      lines.append("Some of the same content is also elsewhere, and stays there:")
      lines += reply.elsewhere.map { "  " + text($0) }
    }
    if let until = reply.until {
      lines.append(
        "The container has what was in them until \(Wording.time(until)) at least: `cairn gc`, or "
          + "the daemon by itself, deletes it then.")
      lines.append(
        "Copies that others made, as in backups, can't be deleted: change the "
          + "password, if it was one.")
    }
    for key in reply.garbage?.refused ?? [] {
      lines.append("The container doesn't let you delete \(Output.printable(key)).")
    }
    return lines
  }

  private static func text(_ version: Control.FileVersion) -> String {
    let number =
      version.version.map {
        "version " + Control.VersionName($0, in: version.zone).text
      } ?? "now"
    let path = version.path?.printable ?? "outside of this folder"
    return "\(number)  \(Wording.time(version.time))  \(Wording.bytes(version.size))  \(path)"
  }
}
