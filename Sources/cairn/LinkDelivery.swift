import ArgumentParser
import CairnControl

/// The output of a link: as a line, with a QR code before it, or in a file.
struct LinkDelivery: ParsableArguments {
  @Flag(help: "Print the link as a QR code too.")
  var qr = false

  @Option(
    name: .customLong("output"),
    help: ArgumentHelp(
      "Write the link into this file, which only you can read, instead of printing it.",
      valueName: "file"))
  var file: PathArgument?

  /// Writes the file if one is named. In JSON that is all, because the answer has the link.
  func store(_ link: String) throws(ControlError) {
    guard let path = try file?.absolute() else { return }
    try PrivateFile.write(link + "\n", to: path)
  }

  /// Prints the link as the last line of standard output, unless it went into a file.
  func show(_ link: String) throws(ControlError) {
    if qr { try TerminalPicture.write(link) }
    if file == nil { Output.line(link) }
  }
}

extension Session {
  /// Like `ask`, and delivers the link of the answer.
  func ask<Operation: ControlOperation>(
    _ operation: Operation, handing delivery: LinkDelivery, _ link: (Operation.Reply) -> String
  ) throws(ControlError) -> Operation.Reply? {
    let answer = try answer(operation)
    try delivery.store(link(answer.reply))
    guard output.json else { return answer.reply }
    Output.line(answer.json)
    return nil
  }
}
