import ArgumentParser
import CairnControl

/// `cairn verify`: reads everything back.
struct VerifyCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Read everything back from the container, and check it.",
    discussion: """
      Everybody's identity, and of each zone that you can open every entry of the log: its \
      place, its signature, its author's right; every piece of content, opened and compared with \
      its name; and whether the index of this device is what the log makes of it. Damage is \
      listed with the files that it concerns and with what to do, and makes the exit status 35 \
      (assetNotAvailable). Nothing is changed; `cairn repair` mends.
      """)

  @Argument(
    help: ArgumentHelp(
      "Only the zone of this folder, or of this id; without it everything.",
      valueName: "dir-or-zone"))
  var zone: ShareArgument?

  @Flag(help: "Read the files of the mirrored folders, too, and compare them with the zones.")
  var folder = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.Verify(share: try zone?.reference(), folder: folder)
    let session = try Session(output)
    let isInOrder: Bool
    if output.json {
      isInOrder = try session.print(request)
    } else {
      let reply = try session.whole(request)
      Self.write(reply)
      isInOrder = reply.damage.isEmpty
    }
    guard isInOrder else {
      throw ExitCode(Control.ErrorCode.assetNotAvailable.exitStatus)
    }
  }

  private static func write(_ reply: Control.VerifyReply) {
    for damage in reply.damage {
      Output.line("damaged: \(Output.printable(damage.object)) [\(damage.code.rawValue)]")
      Output.line("  " + Output.sentence(damage.message))
      for path in damage.paths { Output.line("  affects \(path.printable)") }
      if !damage.remedy.isEmpty { Output.line("  " + Output.sentence(damage.remedy)) }
    }
    for note in reply.notes { Output.line("note: " + Output.sentence(note)) }
    let read =
      Wording.count(reply.zones, "zone", "zones") + ", "
      + Wording.count(reply.commits, "commit", "commits") + ", "
      + Wording.count(reply.chunks, "chunk", "chunks") + ", " + Wording.bytes(reply.bytes)
    let found =
      reply.damage.isEmpty
      ? "all in order" : Wording.count(reply.damage.count, "damage", "damages")
    Output.line("Read \(read): \(found).")
  }
}
