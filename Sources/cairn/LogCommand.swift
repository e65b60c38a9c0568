import ArgumentParser
import CairnControl

/// `cairn log`: changes with their authors.
struct LogCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show who changed what, and when.",
    discussion: """
      Every change of everybody stands in the log of its zone once: of files, and of the share. \
      With a path inside of a folder, only what concerns that name and what is below it. Of an \
      entry that can't be opened here any more the reason is shown.
      """)

  @Argument(help: "A mirrored folder, or anything in it; all of them if left out.")
  var path: PathArgument?

  @Option(help: "Only entries after this place of the log.")
  var since: UInt64?

  @Option(help: "Entries of each folder at most: the last ones, or with --since the first.")
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
