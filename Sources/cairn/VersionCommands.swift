import ArgumentParser
import CairnControl
import Glibc

/// `cairn show`: writes a version to standard output.
struct ShowCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Write a version of a file to standard output.",
    discussion: """
      Give its number, as `cairn history` shows it, or a time. Without either, writes the last \
      version, also of a deleted file. With --json, prints only number, time and size.
      """)

  @Argument(help: "A path in a mirrored folder, also of something that was deleted.")
  var path: PathArgument

  @Option(help: MomentArgument.help("As it was then"))
  var at: MomentArgument?

  @Option(
    help: "That version, as `cairn history` numbers them.",
    completion: Suggestions.versions.completion)
  var version: VersionArgument?

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if at != nil && version != nil {
      throw ValidationError("--at and --version exclude each other.")
    }
  }

  func run() throws {
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let fetched = try Session(output).fetch(
      Control.Fetch(
        path: try path.absolute(), at: at?.end, version: version?.name.version,
        zone: version?.name.zone, record: version?.name.record,
        destination: scratch.file("version"), isFile: true))
    if output.json {
      return Output.line(
        try ControlJSON.encode(
          Control.Shown(
            version: fetched.version, zone: fetched.zone, time: fetched.time,
            size: fetched.bytes)))
    }
    try Output.copy(fetched.destination.bytes.map { CChar(bitPattern: $0) } + [0])
  }
}

/// `cairn diff`: the differences between versions.
struct DiffCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare a file with an earlier version, or two versions.",
    discussion: """
      Text is compared line by line, with diff(1). A minus marks lines of the earlier version, a \
      plus marks lines of the later one. For other files, the sizes and the position of the first \
      difference are shown. With one time or version, it is compared with the current one.
      """)

  @Argument(help: "A path in a mirrored folder, also of something that was deleted.")
  var path: PathArgument

  @Option(help: MomentArgument.help("A moment, or two by giving it twice"))
  var at: [MomentArgument] = []

  @Option(
    help: "A version, as `cairn history` numbers them, or two by giving it twice.",
    completion: Suggestions.versions.completion)
  var version: [VersionArgument] = []

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard at.isEmpty != version.isEmpty, at.count + version.count <= 2 else {
      throw ValidationError("Give --at or --version, once or twice.")
    }
  }

  func run() throws {
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let path = try path.absolute()
    let session = try Session(output)
    var names: [Control.Path] = []
    var files: [Control.Path] = []
    for number in 0..<2 {
      let name = number < version.count ? version[number].name : nil
      let fetched = try session.fetch(
        Control.Fetch(
          path: path, at: number < at.count ? at[number].end : nil, version: name?.version,
          zone: name?.zone, record: name?.record, destination: scratch.file("\(number)"),
          isFile: true))
      names.append(Control.Path(path.bytes + Array(" @\(fetched.name)".utf8)))
      files.append(fetched.destination)
    }
    let comparison = try FileComparison(files[0], files[1], named: names)
    if output.json {
      Output.line(try ControlJSON.encode(comparison.answer))
    } else {
      try comparison.write()
    }
  }
}

extension Session {
  /// Fetches a version without output.
  func fetch(_ request: Control.Fetch) throws(ControlError) -> Control.FetchReply {
    try answer(request).reply
  }
}

/// A folder that only this person may read, for temporary files.
struct ScratchFolder {
  private let path: String

  /// Creates a folder in `TMPDIR` or `/tmp`.
  init() throws(ControlError) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/cairn-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ControlError(
        .permissionFailure, "Cannot create a folder in \(parent).",
        remedy: "Name another one with TMPDIR.")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A file in it.
  func file(_ name: String) -> Control.Path { Control.Path("\(path)/\(name)") }

  /// Removes the folder with its files, also with those that an editor left beside them.
  func remove() {
    if let folder = opendir(path) {
      while let entry = readdir(folder) {
        _ = withUnsafePointer(to: &entry.pointee.d_name) { name in
          name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
            unlinkat(dirfd(folder), $0, 0)
          }
        }
      }
      closedir(folder)
    }
    rmdir(path)
  }
}
