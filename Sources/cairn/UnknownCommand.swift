import ArgumentParser
import CairnControl

/// A word on the command line where a command belongs, and that is none.
struct UnknownCommand {
  /// The word as it was typed.
  let word: String
  /// The command before it, as in `cairn share`.
  let group: String
  /// The advice for it.
  let remedy: String

  /// Finds such a word; nil if there is none.
  init?(_ arguments: [String], in root: any ParsableCommand.Type) {
    var (command, path) = (root, [root.configuration.commandName ?? "cairn"])
    for (number, argument) in arguments.enumerated() {
      let subcommands = command.configuration.subcommands
      guard !argument.hasPrefix("-"), !subcommands.isEmpty, argument != "help" else { return nil }
      let names = subcommands.compactMap { $0.configuration.commandName }
      if let next = subcommands.first(where: { $0.configuration.commandName == argument }) {
        command = next
        path.append(argument)
        continue
      }
      let group = path.joined(separator: " ")
      let advice =
        Self.sharing(argument, then: arguments.dropFirst(number + 1), in: group)
        ?? Synonyms.advice(for: argument, in: group)
        ?? Self.similar(argument, among: names, in: group)
      // A group with a default command takes that command's arguments, too.
      guard advice != nil || command.configuration.defaultSubcommand == nil else { return nil }
      self.word = argument
      self.group = group
      self.remedy = advice ?? "`\(group) --help` lists the commands."
      return
    }
    return nil
  }

  /// The command with the most similar name, unless it takes something away.
  private static func similar(_ word: String, among names: [String], in group: String) -> String? {
    guard let near = Resemblance.nearest(word, among: names),
      !Synonyms.isDestructive(near, in: group)
    else { return nil }
    return "Did you mean `\(group) \(near)`?"
  }

  /// The advice for `cairn share FOLDER HANDLE`: nil if the word names no file or folder.
  private static func sharing(
    _ word: String, then rest: ArraySlice<String>, in group: String
  ) -> String? {
    guard group == "cairn share", PathArgument(argument: word)?.exists == true else { return nil }
    let handles = rest.prefix { !$0.hasPrefix("-") }.map {
      " --invite \(Control.Path(RawArguments.bytes(of: $0)).typed)"
    }
    let people = handles.isEmpty ? " --invite HANDLE" : handles.joined()
    return "Did you mean `cairn share create \(Control.Path(RawArguments.bytes(of: word)).typed)"
      + "\(people)`?"
  }

  /// The message for people.
  var error: ControlError {
    ControlError(
      .invalidArguments, "`\(group) \(Output.printable(word))` isn't a command.", remedy: remedy)
  }
}
