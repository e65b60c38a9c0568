import ArgumentParser
import CairnControl

/// `cairn status`: the daemon, the container and the mounts.
struct StatusCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show how the daemon and the mirrored folders are.",
    discussion: """
      With a path, only the mirrored folder that holds it. What is set aside, rescued or in \
      conflict is listed with the reason, and with what to do. Problems are no failure of this \
      command: its exit status is 0. See cairn-status(1).
      """)

  @Argument(help: "A mirrored folder, or anything in it.")
  var path: PathArgument?

  @Flag(name: .shortAndLong, help: "Go on, and show it again whenever something is other.")
  var watch = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    let path = try path?.absolute()
    if watch { return try follow(path) }
    guard let reply = try Session(output).ask(Control.Status(path: path)) else { return }
    StatusText.write(reply)
  }

  /// Shows the status until an interruption: in place on a terminal, otherwise one after another.
  private func follow(_ path: Control.Path?) throws {
    var screen = StatusScreen()
    _ = try Session(output).answer(Control.StatusWatch(path: path)) { line in
      guard case .status(let status) = line.update else { return }
      if output.json { Output.line(line.json) } else { screen.show(StatusText.lines(status)) }
    }
  }
}

/// `cairn wait`: waits until nothing is pending.
struct WaitCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "wait",
    abstract: "Wait until nothing is pending in either direction.",
    discussion: """
      Succeeds when all that is in the folder is durable in the container, and all that is in the \
      zone is in the folder. If the time is over before that, fails with timedOut (exit status \
      41) and says what is pending. Interrupting it leaves the daemon's work alone.
      """)

  @Argument(help: "A mirrored folder, or anything in it; all of them if left out.")
  var path: PathArgument?

  @Option(help: "Wait no longer than this; without it, for ever.")
  var timeout: Double?

  @Flag(help: "Print how far it is, a line each time; with --json an object each.")
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
    Output.line("In step: " + Wording.count(reply.mounts.count, "folder", "folders") + ".")
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
