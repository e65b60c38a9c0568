import ArgumentParser
import CairnControl

/// A word on the command line where a command belongs, and that is none.
struct UnknownCommand {
  /// The word as it was typed.
  let word: String
  /// The command before it, as in `cairn share`.
  let group: String
  /// The command that was probably meant.
  let meant: String?

  private init(word: String, group: String, meant: String?) {
    (self.word, self.group, self.meant) = (word, group, meant)
  }

  /// Finds such a word; nil if there is none.
  init?(_ arguments: [String], in root: any ParsableCommand.Type) {
    var (command, path) = (root, [root.configuration.commandName ?? "cairn"])
    for argument in arguments {
      let subcommands = command.configuration.subcommands
      guard !argument.hasPrefix("-"), !subcommands.isEmpty, argument != "help" else { return nil }
      let names = subcommands.compactMap { $0.configuration.commandName }
      if let next = subcommands.first(where: { $0.configuration.commandName == argument }) {
        command = next
        path.append(argument)
        continue
      }
      let near = Resemblance.nearest(argument, among: names)
      // A group with a default command takes that command's arguments, too.
      guard near != nil || command.configuration.defaultSubcommand == nil else { return nil }
      self.init(word: argument, group: path.joined(separator: " "), meant: near)
      return
    }
    return nil
  }

  /// The message for people.
  var error: ControlError {
    ControlError(
      .invalidArguments, "`\(group) \(Output.printable(word))` isn't a command.",
      remedy: meant.map { "Did you mean `\(group) \($0)`?" }
        ?? "`\(group) --help` lists the commands.")
  }
}
