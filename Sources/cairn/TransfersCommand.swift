import ArgumentParser
import CairnControl

/// `cairn transfers`: the files whose bytes are on their way.
struct TransfersCommand: AskingCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfers",
    abstract: "List the files that are sent and received, or move one to the front.",
    discussion: """
      Shows the direction, the progress, the rate or the reason for waiting, and the path. With \
      --first, the file, or everything in the directory, is transferred before all others. See \
      cairn-transfers(1).
      """)

  @Argument(help: "A mirrored folder, or anything in it; all of them if left out.")
  var path: PathArgument?

  @Option(
    help: ArgumentHelp("Transfer this file or directory before all others.", valueName: "path"))
  var first: PathArgument?

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard first == nil || path == nil else {
      throw ValidationError("--first takes the only path.")
    }
  }

  func run() throws {
    if let first { return try hurry(first.absolute()) }
    guard let reply = try Session(output).ask(Control.Transfers(path: path?.absolute())) else {
      return
    }
    guard !reply.transfers.isEmpty else { return Output.line("Nothing is transferred.") }
    Output.table(reply.transfers.map { Self.row($0) })
    if reply.more > 0 {
      Output.line("and " + Wording.count(reply.more, "more file", "more files"))
    }
  }

  private func hurry(_ path: Control.Path) throws {
    guard let reply = try Session(output).ask(Control.TransferFirst(path: path)) else { return }
    Output.line(
      "\(path.printable): " + Wording.count(reply.files, "file comes", "files come") + " first.")
  }

  private static func row(_ transfer: Control.Transfer) -> [String] {
    let rate = transfer.bytesPerSecond.map { Wording.bytes($0) + "/s" }
    return [
      transfer.direction.rawValue,
      "\(Wording.bytes(transfer.bytes)) of \(Wording.bytes(transfer.allBytes))",
      transfer.reason.map { Output.sentence($0) } ?? rate ?? "under way",
      transfer.path.printable,
    ]
  }
}
