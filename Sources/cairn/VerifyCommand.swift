import ArgumentParser
import CairnControl

/// `cairn verify`: reads everything back.
struct VerifyCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Read and check everything in the container.",
    discussion: """
      Checks the identity of each person. In each zone that you can open, checks each log entry: \
      its position, its signature, and the rights of its author. Opens each chunk and compares it \
      with its name. Compares the index of this device with the log. Lists damage with the \
      affected files and the action to take; the exit status is then 35 (assetNotAvailable). \
      Changes nothing; `cairn repair` repairs.
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
