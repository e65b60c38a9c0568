import ArgumentParser
import CairnControl
import Glibc

/// How a command hands a link out: as a line, as a QR code before it, or in a file.
struct LinkDelivery: ParsableArguments {
  @Flag(help: "Print the link as a QR code too.")
  var qr = false

  @Option(
    name: .customLong("output"),
    help: ArgumentHelp(
      "Write the link into this file, which only you can read, instead of printing it.",
      valueName: "file"))
  var file: PathArgument?

  /// Writes the file if one is named. In JSON that is all; the answer has the link.
  func store(_ link: String) throws(ControlError) {
    guard let path = try file?.absolute() else { return }
    let descriptor = (path.bytes + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { name in
        name.baseAddress.map { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) } ?? -1
      }
    }
    guard descriptor >= 0 else { throw Self.failure(path) }
    defer { close(descriptor) }
    try Self.makePrivate(descriptor, path)
    var rest = Array((link + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw Self.failure(path) }
      rest = rest.dropFirst(count)
    }
  }

  /// One that was there before may be readable by others. What is no file of this user's, a device
  /// or a pipe that leads to another program, keeps its mode.
  private static func makePrivate(
    _ descriptor: CInt, _ path: Control.Path
  ) throws(ControlError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(path) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return }
    guard fchmod(descriptor, 0o600) == 0 else { throw failure(path) }
  }

  private static func failure(_ path: Control.Path) -> ControlError {
    ControlError(
      .invalidArguments,
      "\(path.printable) can't be written: \(String(cString: strerror(errno))).",
      remedy: "Name another file.", path: path)
  }

  /// Prints the link, the last line of standard output, unless it went into a file.
  func show(_ link: String) throws(ControlError) {
    if qr { try TerminalPicture.write(link) }
    if file == nil { Output.line(link) }
  }
}

extension Session {
  /// As `ask`, and hands out the link that the answer has.
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
