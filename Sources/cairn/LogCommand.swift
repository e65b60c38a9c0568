import ArgumentParser
import CairnControl

/// `cairn log`: changes with their authors.
struct LogCommand: AskingCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show who changed what, and when.",
    discussion: """
      The log of a zone contains every change of files and of the share. With a path inside a \
      folder, shows only changes of this name and of everything below it. If an entry can't be \
      opened on this device, the reason is shown.
      """)

  @Argument(help: "A mirrored folder, or anything in it; all of them if left out.")
  var path: PathArgument?

  @Option(help: "Only entries after this version.")
  var since: UInt64?

  @Option(help: "The maximum number of entries of a folder: the last ones; with --since the first.")
  var limit = 1000

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit takes a number from 1.") }
  }

  func run() throws {
    let request = Control.Log(path: try path?.absolute(), since: since, limit: limit)
    var isEmpty = true
    try Session(output).list(request) { entries in
      isEmpty = false
      entries.forEach(Self.write)
    }
    if isEmpty, !output.json { Output.line("There are no entries.") }
  }

  private static func write(_ entry: Control.LogEntry) {
    let who = Wording.person(entry.author?.user, entry.author?.handle, entry.author?.name)
    let device = entry.device.map { " on " + Output.printable($0) } ?? ""
    Output.line(
      "\(Output.printable(entry.title)) \(entry.sequence)  \(Wording.time(entry.time))  "
        + who + device + (entry.problem == nil ? "" : "  can't be opened"))
    if let problem = entry.problem { Output.line("    " + Output.sentence(problem)) }
    for change in entry.changes { Output.line("    " + Output.sentence(change.text)) }
  }
}
