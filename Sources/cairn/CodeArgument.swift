import ArgumentParser
import CairnControl
import Glibc

/// The argument of `device join`: a code, or `-` for a code on standard input, where no list of
/// processes shows it.
struct CodeArgument: ExpressibleByArgument {
  private let given: String

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    given = argument
  }

  /// Returns the code. Throws `invalidArguments` if standard input has none.
  func text() throws(ControlError) -> String {
    guard given == "-" else { return given }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 65_536 {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
      throw ControlError(
        .invalidArguments, "There is no code in standard input.",
        remedy: "Give the line that `cairn device link` has printed.")
    }
    return text
  }
}
