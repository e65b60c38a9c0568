import ArgumentParser
import CairnControl

/// `cairn verify`: reads everything back.
struct VerifyCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Read everything back from the container, and check it.",
    discussion: """
      Every commit is checked for its place, its signature and its author's right; every chunk is \
      opened and compared with its name. Damage is listed, and makes the exit status 35 \
      (assetNotAvailable). Nothing is changed.
      """)

  @Argument(help: "Only the zone of the mirrored folder that holds this path.")
  var path: PathArgument?

  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try Session(output).answer(Control.Verify(path: try path?.absolute()))
    if output.json { Output.line(answer.json) } else { Self.write(answer.reply) }
    guard answer.reply.damage.isEmpty else {
      throw ExitCode(Control.ErrorCode.assetNotAvailable.exitStatus)
    }
  }

  private static func write(_ reply: Control.VerifyReply) {
    for damage in reply.damage {
      Output.line("damaged: \(Output.printable(damage.object)) [\(damage.code.rawValue)]")
      Output.line("  " + Output.printable(damage.message))
      for path in damage.paths { Output.line("  affects \(path.printable)") }
      if !damage.remedy.isEmpty { Output.line("  " + Output.printable(damage.remedy)) }
    }
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
