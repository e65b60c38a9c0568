import ArgumentParser
import CairnControl

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
    return try StandardInput.text(
      "code", remedy: "Give the line that `cairn device link` has printed.")
  }
}
