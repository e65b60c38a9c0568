import ArgumentParser
import CairnDaemon
import Glibc

/// The daemon program: it only starts the daemon library.
@main
struct Cairnd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cairnd",
    abstract: "Mirrors this person's folders to their container.",
    discussion: """
      Stays in the foreground and logs to standard error; `cairn start` runs it in the \
      background, and examples/systemd has a user unit. It needs an account: `cairn init` makes \
      one. See cairnd(8).
      """,
    version: DaemonProgram.version,
    subcommands: [Setup.self, Join.self, Recover.self, Put.self, Run.self],
    defaultSubcommand: Run.self)
}

extension Cairnd {
  /// The run of the daemon, without a subcommand.
  struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Run the daemon; this is what happens without a subcommand.", shouldDisplay: false)

    @Option(
      name: .customLong("ready-fd"),
      help: "Write one byte to this descriptor, and close it, when the socket answers.")
    var readyDescriptor: Int32?

    @Option(
      name: .customLong("lock-fd"),
      help: "The lock of the home, from the daemon that becomes this one; with --socket-fd.")
    var lockDescriptor: Int32?

    @Option(
      name: .customLong("socket-fd"),
      help: "The listening socket, from the daemon that becomes this one; with --lock-fd.")
    var socketDescriptor: Int32?

    func validate() throws {
      guard (lockDescriptor == nil) == (socketDescriptor == nil) else {
        throw ValidationError("--lock-fd and --socket-fd come together.")
      }
    }

    func run() throws {
      var handover: Handover?
      if let lockDescriptor, let socketDescriptor {
        handover = Handover(lock: lockDescriptor, socket: socketDescriptor)
      }
      throw ExitCode(DaemonProgram.run(readyDescriptor: readyDescriptor, handover: handover))
    }
  }

  /// The subcommand behind `cairn init`.
  struct Setup: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Answer `cairn init` over standard input and output; not meant for people.")

    func run() throws { throw ExitCode(DaemonProgram.setUp()) }
  }

  /// The subcommand behind `cairn device join`.
  struct Join: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Answer `cairn device join` over standard input and output; not meant for people.")

    func run() throws { throw ExitCode(DaemonProgram.join()) }
  }

  /// The subcommand behind `cairn init --recover`.
  struct Recover: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Answer `cairn init --recover` over standard input and output.")

    func run() throws { throw ExitCode(DaemonProgram.recover()) }
  }

  /// The subcommand behind `cairn drop put`.
  struct Put: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Answer `cairn drop put` over standard input and output; not meant for people.")

    func run() throws { throw ExitCode(DaemonProgram.put()) }
  }
}
