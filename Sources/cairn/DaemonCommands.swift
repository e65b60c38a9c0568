import ArgumentParser
import CairnControl

/// `cairn start`: starts the daemon in the background.
struct StartCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Start the daemon in the background.",
    discussion: """
      Returns when the daemon answers. If one runs already, says so and succeeds. Where systemd \
      runs user units, `systemctl --user enable --now cairnd` is the better way. See \
      cairn-start(1).
      """)

  @OptionGroup var output: OutputOptions

  func run() throws {
    let session = try Session(output)
    let outcome = try DaemonLauncher.ensureRunning(session.home)
    guard let reply = try session.ask(Control.Ping()) else { return }
    let verb = outcome == .started ? "runs" : "was running already"
    Output.line("cairnd \(verb): version \(Output.printable(reply.version)), process \(reply.pid)")
  }
}

/// `cairn stop`: stops the daemon, and returns when it has ended.
struct StopCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "Stop the daemon.",
    discussion: """
      The daemon finishes its current step and ends; the command returns after that. Nothing is \
      lost, and the next start continues the work. If no daemon runs, the command succeeds, too.
      """)

  @OptionGroup var output: OutputOptions

  func run() throws {
    let home = try Home()
    let answer: ControlAnswer<Control.StopReply>
    do throws(ControlError) {
      answer = try ControlClient(home: home).call(Control.Stop())
    } catch {
      guard error.code == .notRunning else { throw error }
      if let process = HomeLock.holder(of: home) {
        throw ControlError(
          .notRunning, "cairnd runs as process \(process), and its socket doesn't answer.",
          remedy: "End it with `kill \(process)`: nothing is lost by that.", path: error.path)
      }
      Output.line(output.json ? "{}" : "No cairnd is running.")
      return
    }
    HomeLock.waitUntilFree(home)
    guard !output.json else {
      Output.line(answer.json)
      return
    }
    Output.line("cairnd has ended" + (answer.reply.pid.map { ": process \($0)" } ?? "."))
  }
}
