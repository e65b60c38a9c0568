import ArgumentParser
import CairnControl

/// `cairn move`: moves a mirrored folder.
struct MoveCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Move a mirrored folder to another place on this device.",
    discussion: """
      The folder stays the mirror of its zone, and nothing changes for others. If you have moved \
      it already, with mv or a file manager, give its former and its present path.
      """)

  @Argument(
    help: ArgumentHelp("The mirrored folder.", valueName: "dir"),
    completion: Suggestions.folders.completion)
  var path: PathArgument

  @Argument(
    help: ArgumentHelp("The new path, or a folder to move it into.", valueName: "place"),
    completion: .directory)
  var place: PathArgument

  @OptionGroup var sensitive: SensitiveOptions

  @OptionGroup var output: OutputOptions

  func run() throws {
    let (former, new) = (try path.absolute(), try place.absolute())
    let reply = try QuestionOptions.confirmed(sensitive.given, output) { given in
      Control.Move(
        path: former, place: new, sensitive: given.contains(.sensitive) ? true : nil)
    }
    guard let reply else { return }
    Output.line("\(reply.path.printable) is at \(reply.place.printable) now.")
  }
}
