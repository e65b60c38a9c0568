import Glibc

/// A process that the benchmark runs, and the resources that it used.
struct Child {
  /// An unexpected end of a process.
  struct Trouble: Error, CustomStringConvertible {
    var description: String
  }

  /// The resources that an ended process used.
  struct Cost {
    var seconds: Double
    /// Processor seconds of the process and of the processes that it waited for.
    var processor: Double

    static func + (one: Cost, other: Cost) -> Cost {
      Cost(seconds: one.seconds + other.seconds, processor: one.processor + other.processor)
    }
  }

  let process: pid_t
  private let started = now()

  /// Starts a program with this environment. Its output goes to a file, or is discarded.
  init(
    _ words: [String], environment: [String] = Child.environment, output: String? = nil,
    isQuiet: Bool = false
  ) throws {
    process = try Processes.shared.start {
      try Self.spawn(words, environment: environment, output: output, isQuiet: isQuiet)
    }
  }

  /// Starts a program that nobody waits for yet, and returns its number. The errors of a quiet one
  /// are discarded, too.
  static func spawn(
    _ words: [String], environment: [String] = Child.environment, output: String? = nil,
    isQuiet: Bool = false
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let flags = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output ?? "/dev/null", flags, 0o600)
    if isQuiet {
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    }
    // This program blocks signals. Its children don't.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var process: pid_t = 0
    let program = words.first ?? ""
    let result = withPointers(words) { words in
      withPointers(environment) {
        posix_spawnp(&process, program, &actions, &attributes, words, $0)
      }
    }
    guard result == 0 else {
      throw Trouble(description: "can't start \(program): \(String(cString: strerror(result)))")
    }
    return process
  }

  /// Waits for the end of the process, which must succeed.
  @discardableResult
  func end(_ what: String) throws -> Cost {
    let (status, processor) = wait()
    guard status == 0 else { throw Trouble(description: "\(what) failed with status \(status)") }
    return Cost(seconds: now() - started, processor: processor)
  }

  /// Kills the process.
  func kill() {
    Glibc.kill(process, SIGKILL)
    _ = wait()
  }

  /// Asks the process to end, and waits for its end.
  /// - Returns: the processor seconds of the process and of the processes that it waited for.
  @discardableResult
  func stop(by signal: Int32 = SIGTERM) -> Double {
    Glibc.kill(process, signal)
    return wait().processor
  }

  private func wait() -> (status: Int32, processor: Double) {
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
    Processes.shared.ended(process)
    return (status, Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime))
  }

  /// Runs a program to its end.
  @discardableResult
  static func run(
    _ words: String..., environment: [String] = Child.environment, output: String? = nil,
    isQuiet: Bool = false
  ) throws -> Cost {
    try Child(words, environment: environment, output: output, isQuiet: isQuiet)
      .end(words.joined(separator: " "))
  }

  /// The environment of the system's programs.
  static let environment = ["PATH=/usr/bin:/bin", "LC_ALL=C"]

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }

  private static func withPointers<Result>(
    _ words: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = words.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }
}

/// Seconds of the monotonic clock, which nobody sets.
func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Seconds of the processor that this program has used.
func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
