import ArgumentParser
import CairnControl
import Glibc

/// What a command asks on a terminal before it does what can't be undone. A script isn't asked: who
/// wrote it has had time to think.
struct QuestionOptions: ParsableArguments {
  @Flag(help: "Do it without asking.")
  var yes = false

  /// Asks, where somebody can be asked; anything but yes ends the command.
  /// - Parameters:
  ///   - what: what would be done, and what of it can't be undone; sentences.
  ///   - output: how the command answers.
  /// - Throws: `operationCancelled` if they don't agree.
  func ask(_ what: String, _ output: OutputOptions) throws(ControlError) {
    guard !yes, !output.json, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return }
    Output.line(what)
    Output.raw(Array("Do it? [y/N] ".utf8))
    guard readLine().map({ ["y", "yes"].contains($0.lowercased()) }) ?? false else {
      throw ControlError(
        .operationCancelled, "Nothing was changed.", remedy: "Answer y, or say --yes.")
    }
  }
}
