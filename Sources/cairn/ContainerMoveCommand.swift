import ArgumentParser
import CairnControl

/// `cairn container move`.
struct ContainerMoveCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Move your account and folders to another container location.",
    discussion: """
      Your data is copied there, and the log of each of your folders ends here with an entry that \
      names the new location. Nothing is deleted here. Others follow with the same command. Until \
      then you can read their folders there, and your changes in them wait. The command can be \
      interrupted at any time: run it again to continue.
      """)

  @Flag(help: "Say what would be done, and change nothing.")
  var dryRun = false

  @OptionGroup var copying: CopyingOptions

  var output: OutputOptions { copying.output }

  func run() throws {
    try copying.tell(
      Control.ContainerMove(
        target: try copying.target.location(), bucket: try copying.bucket.bucket(),
        dryRun: dryRun),
      Self.sentences)
  }

  /// The actions that were or would be done, for people.
  static func sentences(_ reply: Control.ContainerMoveReply) -> [String] {
    var lines = ContainerCopyCommand.text(reply.problems, of: reply.problemCount)
    let place = reply.target.printable
    guard reply.dryRun || reply.isDone else {
      return lines + [
        "Nothing was moved yet, because some objects could not be copied. Run `cairn verify` and "
          + "`cairn repair`, then this command again."
      ]
    }
    if reply.dryRun, reply.isNew { lines.append("A container would be created at \(place).") }
    let own = reply.own.map { title($0) }.sorted()
    let what = own.isEmpty ? "" : ": " + own.joined(separator: ", ")
    lines.append(
      reply.dryRun
        ? "Your account and \(folders(own.count)) would move to \(place)\(what)."
        : "Moved to \(place): your account and \(folders(own.count))\(what).")
    for zone in reply.there {
      lines.append("\(title(zone))\(by(zone)) is there already.")
    }
    for zone in reply.staying {
      lines.append(
        "\(title(zone))\(by(zone)) isn't there yet: what you change in it waits until its owner "
          + "runs this command, too.")
    }
    if !reply.dryRun {
      lines.append(
        "Copied \(ContainerCopyCommand.text(reply.copied)). Nothing was deleted here: others still "
          + "need it until they have followed.")
    }
    return lines
  }

  private static func folders(_ count: Int) -> String {
    Wording.count(count, "zone of yours", "zones of yours")
  }

  private static func title(_ zone: Control.MovingZone) -> String { Output.printable(zone.title) }

  private static func by(_ zone: Control.MovingZone) -> String {
    zone.owner.map { " (\(Output.printable($0.handle ?? $0.user)))" } ?? ""
  }
}
