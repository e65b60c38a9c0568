import ArgumentParser
import CairnControl
import Glibc

/// `cairn conflicts merge`: both versions of a text in an editor.
struct ConflictsMergeCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Edit both versions of a text, and keep the result.",
    discussion: """
      Opens the editor ($VISUAL or $EDITOR) with a text in which both versions are: equal lines \
      once, and around other lines the markers <<<<<<<, ======= and >>>>>>>, with the lines of the \
      file first. Remove the markers, and the lines that you don't want. What you save becomes the \
      file, and the copy moves to the recovered files. If markers are left, nothing is changed. \
      With --json, the text is printed, and nothing is changed.
      """)

  @Argument(
    help: "The conflict copy, as `cairn conflicts list` names it.",
    completion: Suggestions.conflicts.completion)
  var copy: PathArgument

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.ConflictMerge(path: try copy.absolute())
    guard let merge = try Session(output).ask(request) else { return }
    let edited = try EditedText(merge.text, named: Self.ending(of: merge.conflict.of)).edit()
    guard let text = String(validating: edited, as: UTF8.self) else {
      throw ControlError(
        .invalidArguments, "The edited text isn't UTF-8, so nothing was changed.",
        remedy: "Run the command again, and save the text as UTF-8.", path: request.path)
    }
    let save = Control.ConflictSave(path: request.path, versions: merge.versions, text: text)
    let kept = try Session(output).answer(save).reply
    Output.line("Merged: " + kept.path.printable)
    if let aside = kept.aside { Output.line("Set aside: " + aside.path.printable) }
  }

  /// The ending of a file's name, by which editors recognize the kind of a text.
  private static func ending(of path: Control.Path) -> String {
    guard let dot = path.bytes.lastIndex(of: UInt8(ascii: ".")) else { return "" }
    let ending = path.bytes[(dot + 1)...]
    let isPlain = ending.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
    return isPlain && (1...8).contains(ending.count)
      ? "." + String(decoding: ending, as: UTF8.self) : ""
  }
}
