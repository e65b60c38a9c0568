import ArgumentParser
import CairnControl

/// `cairn metadata`: the attributes of files that a folder carries.
struct MetadataCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "metadata",
    abstract: "Choose whether a folder carries modes and user.* attributes.",
    discussion: """
      Every folder carries the executable bit and the time of a file. With --full, a folder of \
      yours also carries permission bits and user.* attributes, and all your devices apply them. \
      In a share of somebody else, --full lets this device apply what the share carries. No file \
      ever gets more rights than a new file of yours. Without an option, shows what holds. See \
      cairn-metadata(1).
      """)

  @Argument(
    help: "The synced folder, or the synced file.", completion: Suggestions.folders.completion)
  var folder: PathArgument

  @Flag(help: "Carry modes and attributes in a folder of yours, or apply those of a share.")
  var full = false

  @Flag(help: "Carry, or apply, nothing but the executable bit and the time.")
  var basic = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard !full || !basic else { throw ValidationError("Give one of --full and --basic.") }
  }

  func request() throws -> Control.Metadata {
    Control.Metadata(path: try folder.absolute(), full: full ? true : basic ? false : nil)
  }

  func write(_ reply: Control.Metadata.Reply) {
    Output.table([
      ["folder", reply.path.printable],
      ["carried", Self.words(reply.carried)],
      ["applied here", Self.words(reply.applied)],
    ])
    if !reply.owned, reply.chosen, reply.carried.isEmpty {
      Output.line("This device applies more as soon as the owner lets the share carry it.")
    }
  }

  /// What is carried or applied, in words.
  static func words(_ kinds: [Control.MetadataKind]) -> String {
    guard !kinds.isEmpty else { return "the executable bit and the time" }
    let names = kinds.map { kind in
      switch kind {
      case .mode: "permission bits"
      case .extended: "user.* attributes"
      }
    }
    return "the time, " + names.joined(separator: ", ")
  }
}
