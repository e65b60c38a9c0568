import CairnSystem
import Glibc

/// A child process with only the given descriptors, and with no blocked or ignored signals. It
/// knows nothing of the program's work.
public struct ChildProcess {
  /// The process id.
  public let process: pid_t

  /// The start parameters of a child.
  public struct Plan {
    /// The arguments, beginning with the program's name.
    public var arguments: [String]
    /// Descriptors that become the child's 0, 1, and so on, up to 3. Of the others the child keeps
    /// 0 to 2, and no more.
    public var descriptors: [CInt]
    /// A Boolean value that indicates whether the child starts a new session, like a daemon.
    public var isDetached: Bool

    /// Creates start parameters.
    public init(arguments: [String], descriptors: [CInt] = [], isDetached: Bool = false) {
      self.arguments = arguments
      self.descriptors = descriptors
      self.isDetached = isDetached
    }
  }

  /// Starts `program`.
  /// - Throws: `notRunning` if it cannot be run.
  public init(_ program: String, _ plan: Plan) throws(ControlError) {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (number, descriptor) in plan.descriptors.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, CInt(number))
    }
    // The child must not inherit open descriptors of our caller (a shell's pipe) or of libraries:
    // it would keep a port open that we close.
    _ = cairn_spawn_close_from(&actions, CInt(max(3, plan.descriptors.count)))
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let newSession: CInt = 0x80  // POSIX_SPAWN_SETSID; the Glibc module hides it.
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (plan.isDetached ? newSession : 0)
    posix_spawnattr_setflags(&attributes, Int16(flags))

    let arguments = plan.arguments.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let failure = posix_spawn(&process, program, &actions, &attributes, arguments + [nil], environ)
    guard failure == 0 else {
      throw ControlError(
        .notRunning, "\(program) can't be started: \(String(cString: strerror(failure))).",
        remedy: "See that Cairn is installed completely.", path: .init(program))
    }
    self.process = process
  }

  /// Blocks until the child has ended.
  /// - Returns: its exit status, or 128 plus the signal that ended it.
  public func waitForExit() -> Int32 {
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { return 1 }
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  /// Creates a pipe that no other program inherits.
  /// - Returns: the two ends.
  /// - Throws: `internalError` if the system provides none.
  public static func pipe() throws(ControlError) -> (reading: CInt, writing: CInt) {
    var ends: [CInt] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else {
      throw ControlError(
        .internalError, "There is no pipe to be had: \(String(cString: strerror(errno))).",
        remedy: "Look at the limit on open files (ulimit -n).")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
