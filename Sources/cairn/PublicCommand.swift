import ArgumentParser
import CairnControl
import Glibc

/// `cairn public`: the container's database that everybody may read.
struct PublicCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "public",
    abstract: "Use the public database.",
    discussion: """
      Each account has a directory in it. Anyone who can read the container can read all of them, \
      even without an account. Only its author can change a directory. Paths begin \
      with the author: a handle, an id, or as `cairn public list` shows them. See cairn-public(1).
      """,
    subcommands: [
      PublicMountCommand.self, PublicUnmountCommand.self, PublicListCommand.self,
      PublicGetCommand.self, PublicPutCommand.self, PublicRemoveCommand.self,
      PublicExportCommand.self,
    ])
}

/// `cairn public mount`.
struct PublicMountCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "mount",
    abstract: "Mirror a person's public files into a folder.",
    discussion: """
      Without --author, the folder contains the files that you publish: everything that you put \
      into it. The folder must be missing or empty.
      """)

  @Argument(help: ArgumentHelp("The folder.", valueName: "dir"), completion: .directory)
  var path: PathArgument

  @Option(
    help: ArgumentHelp("The author's handle or id.", valueName: "who"),
    completion: Suggestions.authors.completion)
  var author: String?

  @Option(help: ArgumentHelp("Only this directory of the author.", valueName: "path"))
  var prefix: PathArgument?

  @Flag(help: "Wait until everything is there.")
  var wait = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    if wait { Interruption.saysThatWorkGoesOn() }
    let request = Control.PublicMount(
      path: try path.absolute(), author: author, prefix: prefix.map { Control.Path($0.given) },
      wait: wait)
    guard let reply = try Session(output).ask(request) else { return }
    let verb = reply.created ? "mirrors" : "mirrors already"
    let what = author.map { "what \(Output.printable($0)) publishes" } ?? "what you publish"
    Output.line("\(reply.path.printable) \(verb) \(what).")
  }
}

/// `cairn public unmount`.
struct PublicUnmountCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmount",
    abstract: "Stop mirroring a person's public files, and keep the copies.")

  @Argument(
    help: ArgumentHelp("The folder.", valueName: "dir"), completion: Suggestions.folders.completion)
  var path: PathArgument

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.PublicUnmount {
    Control.PublicUnmount(path: try path.absolute())
  }

  func write(_ reply: Control.PublicUnmount.Reply) {
    Output.line("\(reply.path.printable) is no longer mirrored; its files stay.")
  }
}

/// `cairn public list`.
struct PublicListCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the public database.",
    discussion: "Shows size, time of change, author and path.")

  @Argument(
    help: "A path in the public database; the authors if left out.",
    completion: Suggestions.published.completion)
  var path: PathArgument?

  @Flag(name: .shortAndLong, help: "Also list everything below.")
  var recursive = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.PublicList(
      path: Control.Path(path?.given ?? []), recursive: recursive)
    var table = GrowingTable()
    let reply = try Session(output).list(request) { table.write($0.map(Self.row)) }
    if let reply {
      if table.isEmpty { Output.line("Nothing is published there.") }
      StatusText.write(reply.problems, isVerbose: output.verbose)
    }
  }

  /// An entry as a row for people.
  static func row(_ entry: Control.PublicEntry) -> [String] {
    let mark =
      switch entry.kind {
      case .directory: "/"
      case .symlink: "@"
      case .file: entry.executable ? "*" : ""
      }
    return [
      entry.kind == .directory ? "-" : Wording.bytes(entry.size), Wording.time(entry.modified),
      entry.isMine ? "me" : Output.printable(entry.author.handle ?? entry.author.user),
      entry.path.printable + mark,
    ]
  }
}

/// `cairn public get`.
struct PublicGetCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Copy a file out of the public database.")

  @Argument(
    help: "A file in the public database.", completion: Suggestions.published.completion)
  var path: PathArgument

  @Option(
    name: .customLong("output"),
    help: ArgumentHelp(
      "The file to write, - for standard output; the file's own name if left out.",
      valueName: "file"))
  var target: PathArgument?

  @OptionGroup var output: OutputOptions

  private var isStream: Bool { target?.given == [UInt8(ascii: "-")] }

  func validate() throws {
    if isStream && output.json {
      throw ValidationError("--output - and --json exclude each other.")
    }
  }

  func run() throws {
    let source = Control.Path(path.given)
    guard isStream else {
      let name = PathArgument(argument: RawArguments.text(of: source.lastName))
      guard let target = target ?? name else {
        throw ControlError(
          .invalidArguments, "\(source) has no name.", remedy: "Name a file with --output.")
      }
      let request = Control.PublicGet(path: source, output: try target.absolute())
      guard let reply = try Session(output).ask(request) else { return }
      Output.line("\(request.output.printable): \(Wording.bytes(reply.entry.size))")
      return
    }
    // The daemon writes complete files only. This temporary file belongs to us until it is shown.
    var template = Array("/tmp/cairn-get-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else {
      throw ControlError(
        .permissionFailure, "Cannot create a file in /tmp.", remedy: "Name one with --output.")
    }
    close(file)
    defer { unlink(template) }
    let name = template.dropLast().map { UInt8(bitPattern: $0) }
    _ = try Session(output).ask(Control.PublicGet(path: source, output: Control.Path(name)))
    try Output.copy(template)
  }
}

/// `cairn public put`.
struct PublicPutCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "put",
    abstract: "Publish a file.",
    discussion: """
      From then on, anyone who can read the container can read the file. To publish new bytes, put \
      it again. Prints the path.
      """)

  @Argument(help: "The file.")
  var file: PathArgument

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "The path in your directory; the file's own name if left out. Missing "
        + "directories are created.",
      valueName: "path"))
  var path: PathArgument?

  @OptionGroup var output: OutputOptions

  func run() throws {
    let source = try file.absolute()
    let request = Control.PublicPut(
      file: source, path: Control.Path(path?.given ?? source.lastName))
    guard let reply = try Session(output).ask(request) else { return }
    Output.line(reply.entry.path.printable)
  }
}

/// `cairn public remove`.
struct PublicRemoveCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Delete a file of yours from the public database.")

  @Argument(
    help: "A file, a symlink or an empty directory in the public database.",
    completion: Suggestions.published.completion)
  var path: PathArgument

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.PublicRemove {
    Control.PublicRemove(path: Control.Path(path.given))
  }

  func write(_ reply: Control.PublicRemove.Reply) {
    Output.line("\(reply.entry.path.printable) is no longer public.")
  }
}

/// `cairn public export`.
struct PublicExportCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the public database as plain files with an index.",
    discussion: """
      For any web server. An export into the same folder writes only what has changed. Symlinks \
      are listed only in index.json.
      """)

  @Argument(
    help: ArgumentHelp("The folder: new, empty, or of an earlier export.", valueName: "dir"))
  var path: PathArgument

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.PublicExport {
    Control.PublicExport(path: try path.absolute())
  }

  func write(_ reply: Control.PublicExport.Reply) {
    Output.line(
      "\(reply.path.printable): " + Wording.count(reply.files, "file", "files")
        + ", \(Wording.grouped(Int64(reply.written))) written, "
        + "\(Wording.grouped(Int64(reply.removed))) removed")
    StatusText.write(reply.problems, isVerbose: output.verbose)
  }
}
