import ArgumentParser
import CairnControl

/// `cairn held`: deletions that wait for confirmation.
struct HeldCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "held",
    abstract: "Show, confirm or undo pending deletions.",
    discussion: """
      If you delete more than 100 files and over half of a folder at once, Cairn asks before it \
      deletes them for others. Without a subcommand, lists the pending deletions. See \
      cairn-held(1).
      """,
    subcommands: [HeldListCommand.self, HeldConfirmCommand.self, HeldUndoCommand.self],
    defaultSubcommand: HeldListCommand.self)
}

/// `cairn held list`: the waiting deletions.
struct HeldListCommand: RequestCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the pending deletions.",
    discussion: """
      Shows for each folder their number, their time, and the deleted paths.
      """)

  @Argument(help: "A mirrored folder, or anything in it; all of them if left out.")
  var path: PathArgument?

  @Option(help: "The maximum number of listed paths for each folder.")
  var limit = 1_000

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard limit >= 0 else { throw ValidationError("--limit takes a number, 0 or more.") }
  }

  func request() throws -> Control.HeldList {
    Control.HeldList(path: try path?.absolute(), limit: limit)
  }

  func write(_ reply: Control.HeldList.Reply) {
    if reply.mounts.isEmpty { Output.line("There are no pending deletions.") }
    for mount in reply.mounts {
      Output.line(
        "\(mount.path.printable)  \(HeldWording.amount(mount.held)) deleted, since "
          + Wording.time(mount.held.since))
      for path in mount.paths { Output.line("  " + path.printable) }
      let more = mount.held.files + mount.held.directories - mount.paths.count
      if more > 0 { Output.line("  and \(Wording.grouped(Int64(more))) more") }
    }
  }
}

/// `cairn held confirm`: confirms them.
struct HeldConfirmCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "confirm",
    abstract: "Confirm the deletions: the files are deleted for all participants.")

  @Argument(
    help: "The mirrored folder, or anything in it.", completion: Suggestions.folders.completion)
  var folder: PathArgument

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.HeldConfirm { Control.HeldConfirm(path: try folder.absolute()) }

  func write(_ reply: Control.HeldReply) {
    for mount in reply.mounts {
      Output.line("Confirmed: \(HeldWording.amount(mount.held)) are deleted for all participants.")
    }
  }
}

/// `cairn held undo`: undoes them.
struct HeldUndoCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo the deletions: the files come back.")

  @Argument(
    help: "The mirrored folder, or anything in it.", completion: Suggestions.folders.completion)
  var folder: PathArgument

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.HeldUndo { Control.HeldUndo(path: try folder.absolute()) }

  func write(_ reply: Control.HeldReply) {
    for mount in reply.mounts {
      Output.line("Undone: \(HeldWording.amount(mount.held)) come back.")
    }
  }
}

/// The waiting deletions, for people.
enum HeldWording {
  static func amount(_ held: Control.Held) -> String {
    Wording.grouped(Int64(held.files)) + " of " + Wording.count(held.of, "file", "files") + " and "
      + Wording.count(held.directories, "directory", "directories")
  }
}
