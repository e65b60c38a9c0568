import ArgumentParser
import CairnControl
import Glibc

/// `cairn select`: the part of a folder that this device has.
struct SelectCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "select",
    abstract: "Choose which files of a folder this device has.",
    discussion: """
      Files that aren't selected are removed from this device and stay in the share, for everybody \
      else and in its history. Without an option, shows the selection; on a terminal, also asks. \
      See cairn-select(1).
      """)

  @Argument(
    help: "The synced folder.", completion: Suggestions.folders.completion)
  var folder: PathArgument

  @Option(
    name: .long, parsing: .upToNextOption,
    help: ArgumentHelp("Have these files and directories, and nothing else.", valueName: "path"))
  var only: [PathArgument] = []

  @Option(
    name: .long, parsing: .upToNextOption,
    help: ArgumentHelp("Don't have these files and directories.", valueName: "path"))
  var without: [PathArgument] = []

  @Option(
    name: .long, parsing: .upToNextOption,
    help: ArgumentHelp("Have these files and directories, too.", valueName: "path"))
  var with: [PathArgument] = []

  @Flag(name: .long, help: "Have everything.")
  var all = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Whether to get what others add beside these paths later: yes or no.", valueName: "answer"))
  var newEntries: Answer?

  @OptionGroup var output: OutputOptions

  func validate() throws {
    let given = [!only.isEmpty, !without.isEmpty, !with.isEmpty, all].filter { $0 }.count
    guard given <= 1 else {
      throw ValidationError("Give one of --only, --without, --with and --all.")
    }
    guard newEntries == nil || !only.isEmpty || !without.isEmpty else {
      throw ValidationError("--new-entries goes with --only and --without.")
    }
  }

  func run() throws {
    let folder = try folder.absolute()
    var request = Control.Select(path: folder, addsNew: newEntries.map { $0 == .yes })
    if all {
      request.change = .all
    } else {
      let changes: [(Control.SelectionChange, [PathArgument])] = [
        (.only, only), (.without, without), (.with, with),
      ]
      if let (change, paths) = changes.first(where: { !$1.isEmpty }) {
        request.change = change
        request.paths = try paths.map { try $0.absolute(below: folder) }
      }
    }
    let asks =
      request.change == nil && !output.json && isatty(STDIN_FILENO) == 1
      && isatty(STDOUT_FILENO) == 1
    if asks || request.change == nil && output.json { request.list = folder }
    guard let reply = try Session(output).ask(request) else { return }
    guard asks, let choices = reply.list, !choices.isEmpty else {
      return SelectionText.lines(reply).forEach { Output.line($0) }
    }
    try ask(folder, choices)
  }

  /// Shows the entries of the folder with their sizes, and changes those that the person names.
  private func ask(_ folder: Control.Path, _ choices: [Control.SelectionChoice]) throws {
    for (number, choice) in choices.enumerated() {
      let box = choice.selected ? (choice.partly ? "[-]" : "[x]") : (choice.partly ? "[-]" : "[ ]")
      let name = SelectionText.name(choice.path, in: folder) + (choice.directory ? "/" : "")
      Output.line("\(box) \(number + 1)  \(name)  \(Wording.bytes(choice.bytes))")
    }
    Output.raw(Array("Numbers to turn on or off, or Enter to leave it so: ".utf8))
    let words = (readLine() ?? "").split { $0 == " " || $0 == "," }
    let numbers = words.compactMap { Int($0) }
    guard !words.isEmpty else { return }
    guard numbers.count == words.count, numbers.allSatisfy({ choices.indices.contains($0 - 1) })
    else {
      throw ControlError(
        .invalidArguments, "There is no such number.", remedy: "Run the command again.")
    }
    let named = Set(numbers).sorted().map { choices[$0 - 1] }
    var last: Control.SelectReply?
    for (change, paths) in [
      (Control.SelectionChange.with, named.filter { !$0.selected }.map(\.path)),
      (Control.SelectionChange.without, named.filter(\.selected).map(\.path)),
    ] where !paths.isEmpty {
      last = try Session(output).ask(Control.Select(path: folder, change: change, paths: paths))
    }
    if let last { SelectionText.lines(last).forEach { Output.line($0) } }
  }
}

/// `cairn get`: selects something, and waits until it is here.
struct GetCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Get a file or directory that isn't selected on this device.",
    discussion: """
      Selects it, as `cairn select --with` does, and waits until it is here. See cairn-select(1).
      """)

  @Argument(help: ArgumentHelp("The file or directory.", valueName: "path"))
  var path: PathArgument

  @OptionGroup var output: OutputOptions

  func run() throws {
    let path = try path.absolute()
    guard let reply = try Session(output).ask(Control.Get(path: path)) else { return }
    guard !output.json else { return }
    _ = try Session(output).ask(Control.Wait(path: reply.path))
    Output.line("\(path.printable) is here.")
  }
}

/// A selection in words.
enum SelectionText {
  static func lines(_ reply: Control.SelectReply) -> [String] {
    guard !reply.selection.isEmpty else {
      return ["Everything in \(reply.path.printable) is selected."]
    }
    var lines = reply.selection.map { entry in
      let name = name(entry.path, in: reply.path)
      return switch entry.mark {
      case .all: "selected: \(name)"
      case .none: "not selected: " + (entry.path == reply.path ? "everything else" : name)
      case .itself: "selected without its contents: \(name)"
      }
    }
    if let leftOut = reply.leftOut { lines.append(self.leftOut(leftOut)) }
    return lines
  }

  /// The amount that isn't selected.
  static func leftOut(_ leftOut: Control.LeftOut) -> String {
    "not on this device: " + Wording.count(leftOut.files, "file", "files") + ", "
      + Wording.bytes(leftOut.bytes)
  }

  /// A path relative to the folder; the folder itself by its whole path.
  static func name(_ path: Control.Path, in folder: Control.Path) -> String {
    guard path.bytes.starts(with: folder.bytes + [UInt8(ascii: "/")]) else { return path.printable }
    return Control.Path(Array(path.bytes.dropFirst(folder.bytes.count + 1))).printable
  }
}

extension PathArgument {
  /// Returns the absolute path. A relative one begins at the working folder if it leads into the
  /// folder from there, and otherwise at the folder.
  fileprivate func absolute(below folder: Control.Path) throws -> Control.Path {
    let path = try absolute()
    let isInside = path.bytes.starts(with: folder.bytes + [UInt8(ascii: "/")])
    guard given.first != UInt8(ascii: "/"), !isInside else { return path }
    guard let inner = PathArgument(folder.bytes + [UInt8(ascii: "/")] + given) else { return path }
    return try inner.absolute()
  }
}
