import ArgumentParser
import CairnControl
import Glibc

/// `cairn drop`: files from anybody with a link.
struct DropCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop", abstract: "Receive files from anybody with a link.",
    discussion: """
      A drop box belongs to one of your folders. People with its link can put files in, and see \
      nothing of it. Only you can read the files. They wait until you accept or discard them. See \
      cairn-drop(1).
      """,
    subcommands: [
      DropCreateCommand.self, DropListCommand.self, DropAcceptCommand.self,
      DropDiscardCommand.self, DropEndCommand.self, DropPutCommand.self,
    ])
}

/// `cairn drop create`.
struct DropCreateCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a drop box for a folder, and print its link.",
    discussion: """
      Anybody who has the link, and can write to the container, can put files in. The link is the \
      last line of the output. It works until it ends, or until `cairn drop end`.
      """)

  @Argument(
    help: ArgumentHelp("A directory in a mirrored folder.", valueName: "dir"),
    completion: .directory)
  var folder: PathArgument

  @Option(
    help: ArgumentHelp(
      "The most bytes of a file, as in 500M or 2G; 100M if left out.", valueName: "size"))
  var maxSize: SizeArgument?

  @Option(
    help: ArgumentHelp(
      "The most files that may wait at the same time; 20 if left out.", valueName: "number"))
  var maxFiles: UInt32 = 20

  @Option(
    help: ArgumentHelp(
      "When the link ends: a day, a day and time as in 2026-12-24T18:00, or a span as in 7d, 12h, "
        + "30m.", valueName: "when"))
  var until: WhenArgument?

  @Option(help: "The title that senders see; the name of the folder if left out.")
  var title: String?

  @OptionGroup var delivery: LinkDelivery
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard maxSize?.bytes != 0, maxFiles > 0 else {
      throw ValidationError("--max-size and --max-files are at least 1.")
    }
  }

  func run() throws {
    let request = Control.DropCreate(
      path: try folder.absolute(), maxSize: maxSize?.bytes ?? 100_000_000, maxFiles: maxFiles,
      until: until?.time, title: title)
    let reply = try Session(output).ask(request, handing: delivery) {
      $0.boxes.first?.link ?? ""
    }
    guard let box = reply?.boxes.first else { return }
    Output.line("Drop box \(DropText.about(box)).")
    try delivery.show(box.link)
  }
}

/// `cairn drop list`.
struct DropListCommand: AskingCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List your drop boxes, and the files that wait in them.",
    discussion: """
      Shows each box with its id, its folder and its limits. Below it are the id, the name, the \
      size, the sender and the time of each waiting file. With --links the links are printed, too.
      """)

  @Flag(help: "Print the links, too.")
  var links = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let reply = try Session(output).ask(Control.Drops(act: .show)) else { return }
    guard !reply.boxes.isEmpty else {
      return Output.line("You have no drop box. `cairn drop create DIR` creates one.")
    }
    for box in reply.boxes {
      Output.line(DropText.about(box))
      if links { Output.line("  " + box.link) }
      let drops = reply.drops.filter { $0.box == box.id }
      if drops.isEmpty { Output.line("  No file waits.") }
      Output.table(
        drops.map { drop in
          [
            "  " + Wording.id(drop.id), Output.printable(drop.name),
            Wording.bytes(Int64(clamping: drop.size)),
            drop.from.map { Wording.identified($0) } ?? "unknown sender", Wording.time(drop.time),
            DropText.state(drop.state),
          ]
        })
      if box.more > 0 {
        Output.line(
          "  \(Wording.count(box.more, "more file waits", "more files wait")) beyond the limit. "
            + "Accept or discard some of these first.")
      }
    }
  }
}

/// The files that a command is about.
struct DropChoice: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The ids of files, from `cairn drop list`.", valueName: "id"),
    completion: Suggestions.drops.completion)
  var ids: [String] = []

  @Flag(help: "All files that wait.")
  var all = false

  func validate() throws {
    guard ids.isEmpty == all else { throw ValidationError("Give ids of files, or --all.") }
  }
}

/// `cairn drop accept`.
struct DropAcceptCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Move waiting files into their folder.",
    discussion: """
      A file becomes yours, like any other that you put there. It replaces nothing: a taken name \
      gets a number. Prints the new paths.
      """)

  @OptionGroup var choice: DropChoice

  @Option(
    help: ArgumentHelp(
      "Another directory in a mirrored folder; the folder of the box if left out.",
      valueName: "dir"),
    completion: .directory)
  var to: PathArgument?

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.DropAccept(drops: choice.ids, path: try to?.absolute())
    let answer = try Session(output).answer(request)
    let reply = answer.reply
    let failures = reply.problems.map {
      ControlError($0.code, $0.message, remedy: $0.remedy, path: $0.path)
    }
    if output.json {
      Output.line(answer.json)
    } else {
      if reply.accepted.isEmpty, failures.isEmpty {
        Output.line("No file waits that can be accepted.")
      }
      for file in reply.accepted { Output.line(file.path.printable) }
      for failure in failures { Failure.report(failure, isJSON: false) }
    }
    if let failure = failures.first { throw ExitCode(failure.exitStatus) }
  }
}

/// `cairn drop discard`.
struct DropDiscardCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "discard", abstract: "Delete waiting files.",
    discussion: "Their senders aren't told.")

  @OptionGroup var choice: DropChoice
  @OptionGroup var question: QuestionOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let session = try Session(output)
    var request = Control.Drops(act: .discard, drops: choice.ids)
    if choice.all {
      // A file that arrives meanwhile stays: nobody has seen it.
      let waiting = try session.answer(Control.Drops(act: .show)).reply.drops
      let files = Wording.count(waiting.count, "waiting file is", "waiting files are")
      if waiting.isEmpty {
        request = Control.Drops(act: .show)
      } else {
        try question.ask("\(files) deleted.", output)
        request.drops = waiting.map(\.id)
      }
    }
    guard let reply = try session.ask(request) else { return }
    Output.line((request.act == .show ? "" : "Discarded. ") + "\(DropText.waiting(reply)).")
  }
}

/// `cairn drop end`.
struct DropEndCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "end", abstract: "End a drop box; files that wait in it are deleted.",
    discussion: "Its link stops working. Accepted files stay.")

  @Argument(
    help: ArgumentHelp("The id of the box, from `cairn drop list`.", valueName: "box"),
    completion: Suggestions.dropBoxes.completion)
  var box: String

  @OptionGroup var question: QuestionOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    try question.ask("The files that wait in the drop box are deleted.", output)
    guard try Session(output).ask(Control.Drops(act: .end, box: box)) != nil else { return }
    Output.line("The drop box is ended: its link doesn't work any more.")
  }
}

/// `cairn drop put`.
struct DropPutCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "put", abstract: "Put files into the drop box of a link.",
    discussion: """
      Needs no account and no daemon, only a container that this machine can write to. With an \
      account in the same container, the owner sees who you are, unless you give --anonymous. The \
      owner is told of the files, and decides about them.
      """)

  @Argument(help: ArgumentHelp("The link of the drop box.", valueName: "link"))
  var link: String

  @Argument(help: ArgumentHelp("The files.", valueName: "file"), completion: .file())
  var files: [PathArgument]

  @Flag(help: "Don't tell the owner who you are.")
  var anonymous = false

  @Option(
    help: ArgumentHelp(
      "Where the link's container is on this machine, if not where the link says.",
      valueName: "dir"))
  var container: ContainerArgument?

  @OptionGroup var bucket: BucketOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.Put(
      link: link, files: try files.map { try $0.absolute() }, anonymous: anonymous,
      container: try container?.location(), bucket: try bucket.bucket())
    var progress = ProgressLine(isAllowed: !output.json)
    defer { progress.clear() }
    let answer = try SetupRunner.run(request) {
      if case .progress(let amount) = $0.update { progress.show(amount) }
    }
    progress.clear()
    guard !output.json else { return Output.line(answer.json) }
    let owner = Wording.identified(answer.reply.owner, goesOn: true)
    for file in answer.reply.files {
      Output.line(
        "\(Output.printable(file.name)) waits for \(owner) in "
          + "\"\(Output.printable(answer.reply.title))\".")
    }
  }
}

/// Drop boxes in words.
enum DropText {
  /// A box with its id, its folder and its limits.
  static func about(_ box: Control.DropBox) -> String {
    let path = box.path.map { "for " + $0.printable } ?? "for a folder that isn't on this device"
    let until = box.until.map { ", until " + Wording.time($0) } ?? ""
    return "\(Wording.id(box.id)) \"\(Output.printable(box.title))\" \(path): at most "
      + Wording.count(box.maxFiles, "file", "files") + " of "
      + Wording.bytes(Int64(clamping: box.maxSize)) + until
  }

  /// The state of a file; nothing for a complete one.
  static func state(_ state: Control.DropState) -> String {
    switch state {
    case .complete: ""
    case .incomplete: "INCOMPLETE"
    case .tooLarge: "TOO LARGE"
    }
  }

  /// The number of waiting files.
  static func waiting(_ reply: Control.DropsReply) -> String {
    let count = reply.drops.count + reply.boxes.reduce(0) { $0 + $1.more }
    return count == 0 ? "No file waits" : Wording.count(count, "file waits", "files wait")
  }
}
