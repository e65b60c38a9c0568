import ArgumentParser
import CairnControl
import Glibc

/// A command's question on a terminal before an irreversible step. A script isn't asked: its author
/// has had time to think.
struct QuestionOptions: ParsableArguments {
  @Flag(help: "Do it without asking.")
  var yes = false

  /// Asks the daemon. Where it wants a confirmation, asks the person on a terminal, and then the
  /// daemon again.
  /// - Parameters:
  ///   - given: The confirmations that the command line gives.
  ///   - output: How the command answers.
  ///   - request: The request with some confirmations.
  /// - Returns: The answer; nil if it is printed already.
  /// - Throws: What the daemon refuses, and `operationCancelled` if the person doesn't agree.
  static func confirmed<Operation: ControlOperation>(
    _ given: Set<Control.Confirmation>, _ output: OutputOptions,
    _ request: (Set<Control.Confirmation>) throws(ControlError) -> Operation
  ) throws(ControlError) -> Operation.Reply? {
    let session = try Session(output)
    var given = given
    while true {
      do throws(ControlError) { return try session.ask(try request(given)) } catch {
        guard let missing = error.confirm, isInteractive(output), given.insert(missing).inserted
        else { throw error }
        try agree(Output.sentence(error.message))
      }
    }
  }

  /// Returns whether a person can be asked.
  static func isInteractive(_ output: OutputOptions) -> Bool {
    !output.json && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
  }

  private static func agree(_ what: String) throws(ControlError) {
    Output.line(what)
    Output.raw(Array("Do it? [y/N] ".utf8))
    guard readLine().map({ ["y", "yes"].contains($0.lowercased()) }) ?? false else {
      throw ControlError(
        .operationCancelled, "Nothing was changed.", remedy: "Answer y, or say --yes.")
    }
  }

  /// Asks, where somebody can be asked; anything but yes ends the command.
  /// - Parameters:
  ///   - what: what would be done, and what of it can't be undone; sentences.
  ///   - output: how the command answers.
  /// - Throws: `operationCancelled` if they don't agree.
  func ask(_ what: String, _ output: OutputOptions) throws(ControlError) {
    guard !yes, Self.isInteractive(output) else { return }
    try Self.agree(what)
  }
}
