import ArgumentParser
import CairnControl

/// `cairn conflicts`: conflict copies.
struct ConflictsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts",
    abstract: "List, compare, merge and end conflicts.",
    discussion: """
      When two people change the same file, both versions stay: the second as a conflict copy \
      beside the first. Without a subcommand, lists the copies. See cairn-conflicts(1).
      """,
    subcommands: [
      ConflictsListCommand.self, ConflictsDiffCommand.self, ConflictsKeepCommand.self,
      ConflictsMergeCommand.self,
    ],
    defaultSubcommand: ConflictsListCommand.self)
}

/// `cairn conflicts list`: the conflict copies.
struct ConflictsListCommand: RequestCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the conflict copies.",
    discussion: """
      Shows each copy with its author, its time and its size, and the file beside it.
      """)

  @Argument(help: "A mirrored folder, or a directory or file in it; everything if left out.")
  var path: PathArgument?

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.ConflictList {
    Control.ConflictList(path: try path?.absolute())
  }

  func write(_ reply: Control.ConflictList.Reply) {
    if reply.conflicts.isEmpty { Output.line("There are no conflicts.") }
    for conflict in reply.conflicts {
      Output.line(conflict.copy.path.printable)
      let who = conflict.isMine ? "yours" : "of " + Output.printable(conflict.who)
      Output.line(
        "  \(who), created on \(Output.printable(conflict.host)) at "
          + Output.printable(conflict.when) + ", " + Wording.bytes(conflict.copy.size))
      guard let original = conflict.original else {
        Output.line("  the other version is gone: \(conflict.of.printable)")
        continue
      }
      Output.line("  beside \(original.path.printable), \(Wording.bytes(original.size))")
    }
  }
}

/// `cairn conflicts diff`: the differences between the versions.
struct ConflictsDiffCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show how a conflict copy differs from the file beside it.",
    discussion: """
      Text is compared line by line, with diff(1). A minus marks lines of the file, a plus marks \
      lines of the copy. For other files, the sizes and the position of the first difference are \
      shown.
      """)

  @Argument(
    help: "The conflict copy, as `cairn conflicts list` names it.",
    completion: Suggestions.conflicts.completion)
  var copy: PathArgument

  @OptionGroup var output: OutputOptions

  func run() throws {
    let path = try copy.absolute()
    let reply = try Session(output).whole(Control.ConflictList(path: path))
    guard let conflict = reply.conflicts.first(where: { $0.copy.path == path }) else {
      throw ControlError(
        .unknownItem, "\(path.printable) is no conflict copy.",
        remedy: "`cairn conflicts list` shows which there are.", path: path)
    }
    guard let original = conflict.original, original.isFile, conflict.copy.isFile else {
      throw ControlError(
        .assetFileNotFound,
        "There are no two files to compare: \(conflict.of.printable) isn't there, or isn't a file.",
        remedy: "See `cairn conflicts list`.", path: conflict.of)
    }
    let comparison = try FileComparison(original.path, conflict.copy.path)
    if output.json {
      Output.line(try ControlJSON.encode(comparison.answer))
    } else {
      try comparison.write()
    }
  }
}

/// `cairn conflicts keep`: the choice of a version.
struct ConflictsKeepCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep",
    abstract: "Say which version of a conflict stays under the name.",
    discussion: """
      mine is the version that you wrote: the copy if its name contains your name, otherwise the \
      file itself. theirs is the other one. The version that isn't kept moves to the recovered \
      files; nothing is destroyed. both gives the copy an ordinary name.
      """)

  @Argument(help: "mine, theirs or both.")
  var choice: Control.ConflictChoice

  @Argument(
    help: "The conflict copy, as `cairn conflicts list` names it.",
    completion: Suggestions.conflicts.completion)
  var copy: PathArgument

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.ConflictKeep {
    Control.ConflictKeep(path: try copy.absolute(), choice: choice)
  }

  func write(_ reply: Control.ConflictKeep.Reply) {
    Output.line("Kept: " + reply.path.printable)
    if let aside = reply.aside { Output.line("Set aside: " + aside.path.printable) }
  }
}

extension Control.ConflictChoice: ExpressibleByArgument {}
