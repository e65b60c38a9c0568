import ArgumentParser
import CairnControl
import Glibc

/// The argument of `share accept`: a link, the id of an invitation, `-` for a link on standard
/// input, or a file with a link.
struct InvitationArgument: ExpressibleByArgument {
  private let argument: PathArgument
  /// The size limit in bytes: a link is about a hundred characters, so a larger file is something
  /// else.
  private static let limit = 65_536

  static var defaultCompletionKind: CompletionKind { Suggestions.invitations.completion }

  init?(argument: String) {
    guard let path = PathArgument(argument: argument) else { return nil }
    self.argument = path
  }

  /// Joins the pieces of a link, which a chat may have broken at spaces or line ends; nil if there
  /// are none.
  init?(_ pieces: [InvitationPiece]) {
    self.init(argument: pieces.map(\.text).joined())
  }

  /// Returns the link or the id. Throws `invalidArguments` if a file is no text or cannot be read.
  func text() throws(ControlError) -> String {
    let given = String(decoding: argument.given, as: UTF8.self)
    if given == "-" { return try Self.read(STDIN_FILENO, "standard input") }
    if given.drop(while: { $0.isWhitespace || $0 == "<" }).lowercased().hasPrefix("cairn:") {
      return given
    }
    guard argument.exists else { return given }
    let path = try argument.absolute()
    let file = (path.bytes + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        characters.baseAddress.map { open($0, O_RDONLY | O_CLOEXEC) } ?? -1
      }
    }
    guard file >= 0 else {
      throw ControlError(
        .invalidArguments,
        "\(path.printable) can't be read: \(String(cString: strerror(errno))).",
        remedy: "Give the link itself, or a file that holds it.", path: path)
    }
    defer { close(file) }
    return try Self.read(file, path.printable)
  }

  private static func read(_ file: CInt, _ name: String) throws(ControlError) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count <= limit {
      let count = Glibc.read(file, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    guard bytes.count <= limit, let text = String(validating: bytes, as: UTF8.self),
      text.contains(where: { !$0.isWhitespace })
    else {
      throw ControlError(
        .invalidArguments, "There is no link in \(name).",
        remedy: "Give the link that `cairn share invite` printed.")
    }
    return text
  }
}

/// A word of the argument of `share accept`.
struct InvitationPiece: ExpressibleByArgument {
  let text: String

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    text = argument
  }

  static var defaultCompletionKind: CompletionKind { Suggestions.invitations.completion }

  /// A Boolean value that indicates whether a link begins with it.
  var beginsLink: Bool { text.lowercased().hasPrefix("cairn:") }
}
