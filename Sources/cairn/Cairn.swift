import ArgumentParser
import CairnControl
import Glibc

/// The command `cairn`: arguments, output and exit statuses. The daemon does the work.
@main
struct Cairn: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cairn",
    abstract: "Share folders with people, without a server.",
    discussion: """
      Cairn syncs folders through storage that several people can write to: a directory, local \
      or mounted, or a bucket. All participants of a share see the same folder. Begin with \
      `cairn init`, then `cairn share create`. Commands that need the daemon start it.

      Every command accepts --json, and --verbose for details. In a home with several containers, \
      --container NAME selects one. The manual is cairn(1).
      """,
    version: Control.version,
    subcommands: [
      InitCommand.self, StartCommand.self, StopCommand.self, StatusCommand.self, WaitCommand.self,
      EventsCommand.self, PauseCommand.self, ResumeCommand.self, TransfersCommand.self,
      ConsoleCommand.self, ListCommand.self, AddCommand.self, SelectCommand.self, GetCommand.self,
      MetadataCommand.self, MountCommand.self, RemoveCommand.self, MoveCommand.self,
      VerifyCommand.self, RepairCommand.self,
      UserCommand.self, GroupCommand.self, ShareCommand.self, DropCommand.self,
      QuotaCommand.self, PurgeCommand.self,
      PublicCommand.self, CanCommand.self,
      DeviceCommand.self, ProgramCommand.self,
      HistoryCommand.self, ShowCommand.self, DiffCommand.self, RestoreCommand.self,
      RewindCommand.self, GarbageCommand.self, ContainerCommand.self,
      LogCommand.self, ChangesCommand.self, WhyCommand.self,
      ZonesCommand.self, SchemaCommand.self, StatCommand.self, InspectCommand.self,
      DoctorCommand.self, LogLevelCommand.self,
      HeldCommand.self, ConflictsCommand.self, RescueCommand.self,
    ])

  /// Parses and runs a command, and turns every error into a message and an exit status.
  static func main() {
    // A descriptor opened later must not become standard output by accident. An answer must not be
    // lost silently if standard output is closed.
    while true {
      let descriptor = open("/dev/null", O_RDONLY)
      guard descriptor >= 0, descriptor <= STDERR_FILENO else {
        close(descriptor)
        break
      }
    }
    var command: any ParsableCommand
    var arguments = RawArguments.ofThisProcess()
    do { arguments = try ContainerSelection.take(from: arguments) } catch {
      Failure.report(error, isJSON: arguments.contains("--json"))
      Glibc.exit(error.exitStatus)
    }
    do {
      let isOverview = arguments.allSatisfy { ["--json", "--verbose"].contains($0) }
      command = try isOverview ? OverviewCommand.parse(arguments) : parseAsRoot(arguments)
    } catch {
      if let mistake = InvalidArguments(arguments, error, in: Cairn.self) {
        Failure.report(mistake.error, isJSON: arguments.contains("--json"))
        Glibc.exit(ExitCode.validationFailure.rawValue)
      }
      exit(withError: error)
    }
    do {
      try run(&command)
    } catch let error as ControlError {
      Failure.report(error, isJSON: isJSON(command))
      Glibc.exit(error.exitStatus)
    } catch {
      if !(error is ExitCode), let mistake = InvalidArguments(arguments, error, in: Cairn.self) {
        Failure.report(mistake.error, isJSON: arguments.contains("--json"))
        // Help for an unknown command is a mistake, too.
        let status = exitCode(for: error)
        Glibc.exit((status == .success ? .validationFailure : status).rawValue)
      }
      exit(withError: error)
    }
  }

  private static func isJSON(_ command: any ParsableCommand) -> Bool {
    (command as? any AskingCommand)?.output.json ?? false
  }

  /// Runs a command, and a list without a path once for each container of the home.
  private static func run(_ command: inout any ParsableCommand) throws {
    do { try command.run() } catch let error as ControlError {
      guard error.code == .ambiguousContainer, let every = command as? any EveryContainerCommand,
        !every.isEndless
      else { throw error }
      let status = try runEach(every, isJSON: isJSON(command))
      if status != 0 { throw ExitCode(status) }
    }
  }

  private static func runEach<Command: EveryContainerCommand>(
    _ command: Command, isJSON: Bool
  ) throws -> CInt {
    try Command.runEach(command, isJSON: isJSON)
  }
}

/// A command that sends an operation to the daemon.
protocol AskingCommand: ParsableCommand {
  /// The form of the output.
  var output: OutputOptions { get }
}

/// The options of every command.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print the answer as one line of JSON; an error too, as {\"error\": …}.")
  var json = false

  /// Every command accepts it; those with details name it in their text.
  @Flag(help: ArgumentHelp("Print the details, too.", visibility: .hidden))
  var verbose = false
}
