import ArgumentParser
import CairnControl

/// `cairn ls`: the names in a mirrored folder, and their states.
struct ListCommand: AskingCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls",
    abstract: "List a mirrored folder, with the state of each name.",
    discussion: """
      Shows state, size, time of change, author of the last change, and name. Names that can't be \
      printed are escaped, as \\n or \\xFF; -0 prints only the names, unchanged, each followed by \
      a NUL. The end of a name shows its kind: / a directory, @ a symlink, * an executable. --at \
      shows the folder at an earlier time, including files that were deleted later.
      """)

  @Argument(help: "A path in a mirrored folder; the working folder if left out.")
  var path: PathArgument?

  @Flag(name: .shortAndLong, help: "Also list everything below.")
  var recursive = false

  @Option(help: MomentArgument.help("The folder as it was then"))
  var at: MomentArgument?

  @Option(help: "All mirrored folders of a database: private, shared or public.")
  var scope: ScopeArgument?

  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "Print names only, raw, each with a NUL after it.")
  var isRaw = false

  @OptionGroup var output: OutputOptions

  var isBare: Bool { isRaw }

  func validate() throws {
    if isRaw && output.json { throw ValidationError("-0 and --json exclude each other.") }
    if path != nil && scope != nil {
      throw ValidationError("A path and --scope exclude each other.")
    }
    if at != nil && scope != nil {
      throw ValidationError("--at and --scope exclude each other.")
    }
  }

  func run() throws {
    let path = try path?.absolute() ?? PathArgument(argument: ".")?.absolute() ?? "/"
    if let at { return try list(path, at) }
    let request = Control.List(path: path, recursive: recursive, scope: scope?.scope)
    var table = GrowingTable(heading: ["STATE", "SIZE", "CHANGED", "BY", "NAME"])
    try Session(output).list(request) { entries in
      if isRaw {
        Output.raw(entries.flatMap { $0.path.bytes + [0] })
      } else {
        table.write(entries.map(Self.row))
      }
    }
    sayEmpty(table, scope == nil ? "in \(path)" : "mirrored of that database")
  }

  /// Reports an empty list on standard error, so that it is no name.
  private func sayEmpty(_ table: GrowingTable, _ place: String) {
    if table.isEmpty, !isRaw, !output.json { Output.error("Nothing is \(place).") }
  }

  /// Lists an earlier state of the folder.
  private func list(_ path: Control.Path, _ at: MomentArgument) throws {
    let request = Control.Tree(path: path, at: at.end, recursive: recursive)
    var table = GrowingTable()
    try Session(output).list(request) { entries in
      if isRaw {
        Output.raw(entries.flatMap { $0.path.bytes + [0] })
      } else {
        table.write(
          entries.map { entry in
            [
              "@\(entry.version)", entry.kind == .directory ? "-" : Wording.bytes(entry.size),
              Wording.time(entry.modified),
              Output.printable(entry.changedBy.handle ?? entry.changedBy.user),
              entry.path.printable + Self.mark(entry.kind, entry.executable),
            ]
          })
      }
    }
    sayEmpty(table, "in \(path) then")
  }

  private static func row(_ entry: Control.Entry) -> [String] {
    [
      entry.state.rawValue, entry.kind == .directory ? "-" : Wording.bytes(entry.size),
      Wording.time(entry.modified),
      entry.changedBy.map { Output.printable($0.handle ?? $0.user) } ?? "-",
      ([entry.path.printable + mark(entry.kind, entry.executable)]
        + (entry.openBy ?? []).map { "(\(Wording.open($0)))" }).joined(separator: "  "),
    ]
  }

  private static func mark(_ kind: Control.EntryKind, _ isExecutable: Bool) -> String {
    switch kind {
    case .directory: "/"
    case .symlink: "@"
    case .file: isExecutable ? "*" : ""
    }
  }
}
