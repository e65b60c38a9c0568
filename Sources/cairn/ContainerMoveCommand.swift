import ArgumentParser
import CairnControl

/// `cairn container move`.
struct ContainerMoveCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Go on with the container at another place, with all that is yours.",
    discussion: """
      What is yours is copied there, and each of your folders' logs ends here by a last entry \
      that says where it goes on. Nothing is deleted here. Others follow with the same command; \
      until somebody has, their folders can be read there, and what you change in them waits. It \
      can be interrupted at any time: run it again, and it goes on where it was.
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
        "Nothing of yours ends here yet: not all of it could be taken along. Run `cairn verify` "
          + "and `cairn repair`, and then this again."
      ]
    }
    if reply.dryRun, reply.isNew { lines.append("A container would be made at \(place).") }
    let own = reply.own.map { title($0) }.sorted()
    let what = own.isEmpty ? "" : ": " + own.joined(separator: ", ")
    lines.append(
      reply.dryRun
        ? "Your account and \(folders(own.count)) would go on at \(place)\(what)."
        : "Your account and \(folders(own.count)) go on at \(place)\(what).")
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
