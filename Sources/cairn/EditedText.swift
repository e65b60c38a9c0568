import CairnControl
import Glibc

/// A text that a person changes in an editor: a file in a private temporary folder, which is
/// removed afterwards.
struct EditedText {
  private let text: String
  private let ending: String

  /// Creates a text.
  /// - Parameters:
  ///   - text: The text before.
  ///   - ending: The ending of the temporary file's name, with its dot; empty for none.
  init(_ text: String, named ending: String) {
    self.text = text
    self.ending = ending
  }

  /// Opens the editor, and waits until the person closes it.
  /// - Returns: The saved text.
  /// - Throws: `operationCancelled` if the editor fails, `permissionFailure` or `invalidArguments`
  ///   if there can't be a temporary file.
  func edit() throws(ControlError) -> [UInt8] {
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let path = scratch.file("merge" + ending)
    try PrivateFile.write(text, to: path)
    let editor = Self.variable("VISUAL") ?? Self.variable("EDITOR") ?? "editor"
    let status = try ChildProgram.run(
      "/bin/sh", ["-c", "\(editor) \"$1\"", "sh"].map { Array($0.utf8) } + [path.bytes])
    guard status == 0 else {
      throw ControlError(
        .operationCancelled,
        "The editor \(Output.printable(editor)) ended with the status \(status), so nothing was "
          + "changed.", remedy: "Set EDITOR to the command of your editor, and run this again.")
    }
    return try FileText.read(path)
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
