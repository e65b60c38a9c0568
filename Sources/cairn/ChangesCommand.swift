import ArgumentParser
import CairnControl

/// `cairn changes`: the changes since the last call.
struct ChangesCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "changes",
    abstract: "Show what changed since a token, for programs.",
    discussion: """
      Prints each file and directory that changed once, in its present state or as deleted. The \
      last line is a token: give it to --since the next time, to continue from there. Without \
      --since, prints everything. A token of another folder, or of a history that the folder no \
      longer has, is refused with changeTokenExpired: then run the command without a token.
      """)

  @Argument(help: "A mirrored folder; the working folder if left out.")
  var path: PathArgument?

  @Option(help: ArgumentHelp("The token of the last answer.", valueName: "token"))
  var since: String?

  @OptionGroup var output: OutputOptions

  func run() throws {
    let path = try path?.absolute() ?? PathArgument(argument: ".")?.absolute() ?? "/"
    let session = try Session(output)
    let reply = try session.list(Control.Changes(path: path, since: since)) { changes in
      for change in changes {
        let name = change.path?.printable ?? change.record
        Output.line((change.deleted ? "deleted  " : "changed  ") + name)
      }
    }
    if let reply { Output.line(reply.token) }
  }
}
