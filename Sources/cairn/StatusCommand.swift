import ArgumentParser
import CairnControl

/// `cairn status`: the daemon, the container and the mounts.
struct StatusCommand: AskingCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of the mirrored folders.",
    discussion: """
      Shows problems, invitations and notes first, each with what to do, then a table of the \
      folders. With a path, shows only the mirrored folder that contains it. --verbose adds the \
      daemon and the details of each folder. Problems don't change the exit status. See \
      cairn-status(1).
      """)

  @Argument(help: "A mirrored folder, or anything in it.")
  var path: PathArgument?

  @Flag(name: .shortAndLong, help: "Keep running, and show the status again when it changes.")
  var watch = false

  @OptionGroup var output: OutputOptions

  var isEndless: Bool { watch }

  func run() throws {
    let path = try path?.absolute()
    if watch { return try follow(path) }
    guard let reply = try Session(output).ask(Control.Status(path: path)) else { return }
    StatusText.write(reply, isVerbose: output.verbose)
  }

  /// Shows the status until an interruption: in place on a terminal, otherwise one after another.
  /// In a home with several containers, without a path, it is that of each.
  private func follow(_ path: Control.Path?) throws {
    var screen = StatusScreen()
    var known: [String: Control.StatusReply] = [:]
    let session = try Session(output)
    let isOfOne = path != nil || session.home.container != nil
    _ = try session.answer(Control.StatusWatch(path: path)) { line in
      guard case .status(let status) = line.update else { return }
      guard !output.json else { return Output.line(line.json) }
      guard !isOfOne, let name = Self.container(of: line) else {
        return screen.show(StatusText.lines(status, isVerbose: output.verbose))
      }
      known[name] = status
      if let lines = lines(known) { screen.show(lines) }
    }
  }

  /// Returns the name of the container of a status; nil in a home with one.
  private static func container(of line: ControlUpdate) -> String? {
    struct Named: Decodable {
      var containerName: String?
    }
    // A status without a name has no such member.
    return try? ControlJSON.decode(Named.self, from: line.json).containerName
  }

  /// The lines of all containers, with the problem of one that isn't open; nil while the state of
  /// one is still to come.
  private func lines(_ known: [String: Control.StatusReply]) -> [String]? {
    // A daemon that is ending has no list; then those with a status are shown.
    let all = try? ControlClient(home: Home()).call(Control.ContainerList()).reply.containers
    let containers: [(String, Control.Problem?)] =
      all?.map { ($0.name, $0.problem) } ?? known.keys.sorted().map { ($0, nil) }
    var lines: [String] = []
    for (name, problem) in containers {
      if !lines.isEmpty { lines.append("") }
      lines.append("\(Output.printable(name)):")
      if let problem {
        lines.append("isn't open: " + Output.sentence(problem.message))
        lines.append("  " + Output.sentence(problem.remedy))
      } else if let status = known[name] {
        lines += StatusText.lines(status, isVerbose: output.verbose)
      } else {
        return nil
      }
    }
    return lines
  }
}

/// `cairn wait`: waits until nothing is pending.
struct WaitCommand: AskingCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "wait",
    abstract: "Wait until the folders are up to date.",
    discussion: """
      Succeeds when everything in the folder is durable in the container, and everything in the \
      zone is in the folder. If the time ends before that, fails with timedOut (exit status 41) \
      and says what is pending. Interrupting the command doesn't stop the work.
      """)

  @Argument(help: "A mirrored folder, or anything in it; all of them if left out.")
  var path: PathArgument?

  @Option(help: "The longest time to wait, in seconds; default: no limit.")
  var timeout: Double?

  @Flag(help: "Print the progress, one line each time; with --json one object.")
  var progress = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let timeout, !(timeout >= 0 && timeout.isFinite) {
      throw ValidationError("--timeout takes a number of seconds, 0 or more.")
    }
  }

  func run() throws {
    let request = Control.Wait(path: try path?.absolute(), timeoutSeconds: timeout)
    Interruption.saysThatWorkGoesOn()
    let answer = try Session(output, hidesProgress: progress).answer(request) { line in
      if progress, case .progress(let amount) = line.update { tell(amount, line.json) }
    }
    guard !output.json else { return Output.line(answer.json) }
    let reply = answer.reply
    Output.line("Up to date: " + Wording.count(reply.mounts.count, "folder", "folders") + ".")
    for mount in reply.mounts {
      guard let unwatched = StatusText.words(mount.watching) else { continue }
      Output.line("\(mount.path.printable): not watched: \(unwatched)")
    }
  }

  private func tell(_ amount: Control.Progress, _ json: [UInt8]) {
    if output.json {
      Output.line(Array("{\"progress\":".utf8) + json + [UInt8(ascii: "}")])
    } else {
      let parts = WorkText.parts(amount).joined(separator: ", ")
      Output.line(Output.printable(amount.what) + ": " + parts)
    }
  }
}
