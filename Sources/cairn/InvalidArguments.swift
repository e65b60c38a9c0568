import ArgumentParser
import CairnControl

/// Arguments that no command takes.
struct InvalidArguments {
  /// The message for people.
  let error: ControlError

  /// Describes the parser's error; nil if the arguments are valid, as those for help are.
  init?(_ arguments: [String], _ error: any Error, in root: any ParsableCommand.Type) {
    guard root.exitCode(for: error) == .success else {
      self.error =
        UnknownCommand(arguments, in: root)?.error ?? Self.refused(arguments, error, in: root)
      return
    }
    let topic =
      arguments.first == "help"
      ? UnknownCommand(Array(arguments.dropFirst()), in: root) : nil
    guard let mistake = topic?.error ?? Self.valueOfVersion(arguments, error, in: root) else {
      return nil
    }
    self.error = mistake
  }

  /// The parser's message, and the page with the options. A similar option is only named if a
  /// letter or two are wrong.
  private static func refused(
    _ arguments: [String], _ error: any Error, in root: any ParsableCommand.Type
  ) -> ControlError {
    var text = root.message(for: error).split(separator: "\n").joined(separator: " ")
    if let found = text.firstMatch(of: /^Unknown option '(.+)'\. Did you mean '(.+)'\?$/),
      Resemblance.nearest(String(found.1), among: [String(found.2)]) == nil
    {
      text = "Unknown option '\(found.1)'."
    }
    if let time = InvalidTime(text, in: command(arguments, in: root)) { return time.error }
    return ControlError(
      .invalidArguments, text.hasSuffix(".") || text.hasSuffix("?") ? text : text + ".",
      remedy: "See `\(command(arguments, in: root)) --help`.")
  }

  /// Refuses a value after `--version`: only commands with versions of files take one.
  private static func valueOfVersion(
    _ arguments: [String], _ error: any Error, in root: any ParsableCommand.Type
  ) -> ControlError? {
    guard root.message(for: error) == Control.version,
      let flag = arguments.firstIndex(of: "--version"), flag + 1 < arguments.count,
      !arguments[flag + 1].hasPrefix("-")
    else { return nil }
    return ControlError(
      .invalidArguments,
      "`\(command(arguments, in: root))` takes no version: there, --version prints the version of "
        + "Cairn.",
      remedy: "`cairn restore`, `cairn show` and `cairn diff` take the version of a file.")
  }

  /// The command that the arguments name, as in `cairn share create`.
  private static func command(
    _ arguments: [String], in root: any ParsableCommand.Type
  ) -> String {
    var (command, path) = (root, [root.configuration.commandName ?? "cairn"])
    for argument in arguments {
      guard
        let next = command.configuration.subcommands.first(where: {
          $0.configuration.commandName == argument
        })
      else { break }
      command = next
      path.append(argument)
    }
    return path.joined(separator: " ")
  }
}
