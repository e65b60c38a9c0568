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
  }

  let process: pid_t
  private let started = now()

  /// Starts a program with this environment. Its output goes to a file, or is discarded.
  init(_ words: [String], environment: [String] = Child.environment, output: String? = nil) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let flags = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output ?? "/dev/null", flags, 0o600)
    var process: pid_t = 0
    let program = words.first ?? ""
    let result = Self.withPointers(words) { words in
      Self.withPointers(environment) { posix_spawnp(&process, program, &actions, nil, words, $0) }
    }
    guard result == 0 else {
      throw Trouble(description: "can't start \(program): \(String(cString: strerror(result)))")
    }
    self.process = process
  }

  /// Waits for the end of the process, which must succeed.
  @discardableResult
  func end(_ what: String) throws -> Cost {
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
    guard status == 0 else { throw Trouble(description: "\(what) failed with status \(status)") }
    return Cost(
      seconds: now() - started,
      processor: Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime))
  }

  /// Kills the process.
  func kill() {
    Glibc.kill(process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }

  /// Asks the process to end, and waits for its end.
  /// - Returns: the processor seconds of the process and of the processes that it waited for.
  func stop() -> Double {
    Glibc.kill(process, SIGTERM)
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
    return Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
  }

  /// Runs a program to its end.
  @discardableResult
  static func run(
    _ words: String..., environment: [String] = Child.environment, output: String? = nil
  ) throws -> Cost {
    try Child(words, environment: environment, output: output)
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
