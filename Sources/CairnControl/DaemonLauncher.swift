import Glibc

/// Starts the daemon of a home in the background, unless one already answers, and returns when it
/// does. It uses the systemd unit if the person has enabled that. Two launchers at once start one
/// daemon.
public enum DaemonLauncher {
  /// The result of `ensureRunning`.
  public enum Outcome: Hashable, Sendable {
    /// A daemon was running.
    case wasRunning
    /// A daemon was started.
    case started
  }

  /// The time limit for the daemon's first answer, in milliseconds.
  private static let patience: CInt = 60_000
  /// The size in bytes above which a log is renamed to end with `.old` before it is opened.
  private static let logLimit: Int = 8 << 20

  /// Ensures that a daemon of this home answers. Throws `notRunning` with the last line of its log,
  /// or the daemon's exit code; `timedOut` after a minute; `permissionFailure` if the socket is or
  /// could be another user's; `notAuthenticated` if the home has no account.
  @discardableResult
  public static func ensureRunning(_ home: Home) throws(ControlError) -> Outcome {
    if try answers(home) { return .wasRunning }
    // Nothing is created in a home that is not set up.
    guard home.hasContainer else { throw home.noAccount }
    try home.makeRuntimeFolder()
    try home.makeLogFolder()
    // Held until the daemon answers or fails. The kernel releases it if this program is killed.
    let turn = open(home.runtime + "/start.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { if turn >= 0 { close(turn) } }
    while turn >= 0 && flock(turn, LOCK_EX) != 0 && errno == EINTR {}
    if try answers(home) { return .wasRunning }
    // If the unit cannot start it, or starts another home's daemon, our own start reports the
    // error.
    if let unit = SystemdUnit(of: home), unit.start(), try answers(home) { return .started }
    try start(home)
    return .started
  }

  /// Starts the daemon of this home again, so that it opens the containers that are in the home
  /// now. Does nothing if none runs.
  public static func restart(_ home: Home) throws(ControlError) {
    do throws(ControlError) {
      _ = try ControlClient(home: home).call(Control.Stop())
    } catch {
      guard error.code == .notRunning else { throw error }
      return
    }
    HomeLock.waitUntilFree(home)
    try ensureRunning(home)
  }

  /// Returns whether a daemon answers. A connection is not enough: the socket of a dying daemon
  /// accepts one, too.
  private static func answers(_ home: Home) throws(ControlError) -> Bool {
    do throws(ControlError) {
      _ = try ControlClient(home: home).call(Control.Ping())
      return true
    } catch {
      switch error.code {
      case .notRunning, .interrupted: return false
      case .permissionFailure: throw error
      default: return true
      }
    }
  }

  private static func start(_ home: Home) throws(ControlError) {
    let program = try Programs.daemon()
    let log = try openLog(home.log)
    defer { close(log) }
    let before = lseek(log, 0, SEEK_END)
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    let ready = try ChildProcess.pipe()
    defer { close(ready.reading) }
    let child: ChildProcess
    do {
      defer { close(ready.writing) }
      child = try ChildProcess(
        program,
        .init(
          arguments: ["cairnd", "--ready-fd", "3"],
          descriptors: [null, log, log, ready.writing], isDetached: true))
    }
    switch waitForByte(ready.reading) {
    case .came: return
    case .closed:
      let status = child.waitForExit()
      // systemd may have started one in between.
      if status == Control.ErrorCode.alreadyRunning.exitStatus, try answers(home) { return }
      throw failure(home, status: status, log: tail(log, from: before))
    case .tooLate:
      throw ControlError(
        .timedOut, "cairnd was started, but does not answer after \(patience / 1000) seconds.",
        remedy: "Look into \(home.log).", path: .init(home.log))
    }
  }

  /// Opens a log of this home to append lines. A long log is renamed first. Throws
  /// `permissionFailure`.
  public static func openLog(_ path: String) throws(ControlError) -> CInt {
    var status = stat()
    if stat(path, &status) == 0 && status.st_size > logLimit {
      // A failed rename only means a longer log.
      _ = rename(path, path + ".old")
    }
    let log = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard log >= 0 else {
      throw ControlError(
        .permissionFailure, "The log can't be opened: \(String(cString: strerror(errno))).",
        remedy: "See that its folder is yours and has room.", path: .init(path))
    }
    return log
  }

  private enum Answer {
    case came, closed, tooLate
  }

  private static func waitForByte(_ descriptor: CInt) -> Answer {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&waiting, 1, patience)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return .tooLate }
      var byte: UInt8 = 0
      return read(descriptor, &byte, 1) == 1 ? .came : .closed
    }
  }

  private static func failure(_ home: Home, status: Int32, log: String?) -> ControlError {
    let code = Control.ErrorCode.allCases.first { $0.exitStatus == status } ?? .notRunning
    let why =
      log.map { ": " + Self.reason($0, code) }
      ?? " with exit status \(status), and wrote no reason."
    return ControlError(
      code == .internalError ? .notRunning : code, "cairnd ended as soon as it was started\(why)",
      remedy: "Its log is \(home.log).", path: .init(home.log))
  }

  /// The daemon's last line without its name and the code, which are already reported.
  private static func reason(_ line: String, _ code: Control.ErrorCode) -> String {
    let (name, end) = ("cairnd: ", " [\(code.rawValue)]")
    let line = line.hasPrefix(name) ? String(line.dropFirst(name.count)) : line
    return line.hasSuffix(end) ? String(line.dropLast(end.count)) : line
  }

  /// The last line that the daemon wrote to its log, printable.
  private static func tail(_ log: CInt, from start: off_t) -> String? {
    var bytes = [UInt8](repeating: 0, count: 8192)
    let end = lseek(log, 0, SEEK_END)
    let count = pread(log, &bytes, bytes.count, max(start, end - off_t(bytes.count)))
    guard count > 0 else { return nil }
    return bytes[..<count].split(separator: UInt8(ascii: "\n")).last.map {
      Control.Path.sentence(String(decoding: $0, as: UTF8.self))
    }
  }
}
