import CairnControl
import Glibc
import Testing

/// One of the people of a test: a home, a folder, and their commands.
struct Person {
  let handle: String
  /// The folder of `CAIRN_HOME`.
  let home: Folder
  /// The folder that they share, or received.
  let folder: Folder
  let scratch: Folder
  let program: String
  /// The control of their daemon's system calls, in a test with faults.
  let faults: Faults?

  /// Creates a person in a test's folder. `home` is the name of their home there. The first home
  /// has the handle as its name.
  init(
    _ handle: String, in root: Folder, folder: String, home: String? = nil, isFaulty: Bool = false
  ) throws {
    self.handle = handle
    let home = home ?? handle
    self.home = Folder(root.path + "/" + home)
    self.folder = Folder(root.path + "/" + folder)
    let scratch: Name = "\(home).out"
    try root.make(scratch)
    self.scratch = Folder(root.path + "/\(home).out")
    program = try Program.built("cairn")
    faults = isFaulty ? try Faults(home, in: root) : nil
  }

  var environment: [String] {
    [
      "CAIRN_HOME=\(home.path)", "HOME=\(scratch.path)", "PATH=/usr/bin:/bin", "TZ=UTC",
      "SWIFT_BACKTRACE=enable=no",
    ] + (faults?.environment ?? [])
  }

  // MARK: Commands

  /// Runs `cairn`, with any result.
  func run(_ arguments: String...) throws -> Program.Outcome { try run(arguments) }

  func run(_ arguments: [String]) throws -> Program.Outcome {
    let outcome = try Program.run(
      program, arguments, environment: environment, scratch: scratch)
    if arguments.contains("--json") { AnswerBook.shared.take(outcome, of: arguments) }
    return outcome
  }

  /// Runs another program with this person's environment.
  func run(program: String, _ arguments: String...) throws -> Program.Outcome {
    try Program.run(program, arguments, environment: environment, scratch: scratch)
  }

  /// Runs `cairn`, which must succeed.
  @discardableResult
  func cairn(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Program.Outcome { try cairn(arguments, sourceLocation: sourceLocation) }

  @discardableResult
  func cairn(
    _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Program.Outcome {
    let outcome = try run(arguments)
    try #require(
      outcome.status == 0, "cairn \(arguments): \(outcome.text) \(outcome.errors)",
      sourceLocation: sourceLocation)
    return outcome
  }

  /// Runs `cairn`, which must end with this status.
  @discardableResult
  func fails(
    _ code: Control.ErrorCode, _ arguments: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Program.Outcome { try fails(code, arguments, sourceLocation: sourceLocation) }

  @discardableResult
  func fails(
    _ code: Control.ErrorCode, _ arguments: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Program.Outcome {
    let outcome = try run(arguments)
    #expect(
      outcome.status == code.exitStatus, "cairn \(arguments): \(outcome.text) \(outcome.errors)",
      sourceLocation: sourceLocation)
    return outcome
  }

  /// Runs `cairn … --json`, which must succeed, and reads its answer.
  func answer<Reply: Decodable>(
    _ type: Reply.Type, _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Reply { try answer(type, arguments, sourceLocation: sourceLocation) }

  func answer<Reply: Decodable>(
    _ type: Reply.Type, _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Reply {
    let outcome = try run(arguments + ["--json"])
    try #require(
      outcome.status == 0, "cairn \(arguments): \(outcome.text) \(outcome.errors)",
      sourceLocation: sourceLocation)
    return try ControlJSON.decode(type, from: outcome.output)
  }

  /// Returns the id of the share around a path.
  func share(
    at path: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    try answer(
      Control.ShareReply.self, "share", "show", path, sourceLocation: sourceLocation
    ).share.id
  }

  /// Returns when nothing is pending in either direction. It asks the daemon itself: a command
  /// takes twenty milliseconds of a processor in a build without optimisation, and tests wait more
  /// often than they do anything else. If there is no daemon, or it refuses, `cairn wait` starts
  /// it, or says why.
  func wait(sourceLocation: SourceLocation = #_sourceLocation) throws {
    do {
      let client = ControlClient(home: try Home(environment: ["CAIRN_HOME": home.path]))
      _ = try client.call(Control.Wait(path: nil, timeoutSeconds: 60))
    } catch {
      try cairn("wait", "--timeout", "60", sourceLocation: sourceLocation)
    }
  }

  /// Returns the state of their only mirrored folder.
  func mount(sourceLocation: SourceLocation = #_sourceLocation) throws -> Control.MountStatus {
    let reply = try answer(Control.StatusReply.self, "status", sourceLocation: sourceLocation)
    return try #require(reply.mounts.first, sourceLocation: sourceLocation)
  }

  /// Returns the number of events of a kind since the daemon started.
  func count(of kind: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Int {
    let outcome = try cairn("events", "--json", sourceLocation: sourceLocation)
    return outcome.text.split(separator: "\n").count { $0.contains("\"kind\":\"\(kind)\"") }
  }

  /// Returns when the daemon has reported an event of that kind.
  func awaits(_ kind: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    // grep(1) ends with the first match. The command that it reads from must be ended.
    let script = """
      mkfifo events && { "$0" events --follow --since 0 --json > events & } && process=$!
      grep -q -m 1 '"kind":"\(kind)"' < events; status=$?
      kill $process; wait $process; rm events; exit $status
      """
    let outcome = try Program.run(
      "/bin/sh", ["-c", "cd \"$HOME\"; " + script, program], environment: environment,
      scratch: scratch)
    try #require(
      outcome.status == 0, "no event \(kind): \(outcome.errors)", sourceLocation: sourceLocation)
  }

  // MARK: The daemon

  /// Ends the daemon as a power cut would, and returns when it has ended.
  func killDaemon() throws {
    let home = try Home(environment: ["CAIRN_HOME": home.path])
    if let process = HomeLock.holder(of: home) { kill(process, SIGKILL) }
    HomeLock.waitUntilFree(home)
  }

  func stopDaemon() throws { try cairn("stop") }

  func startDaemon() throws { try cairn("start") }
}
