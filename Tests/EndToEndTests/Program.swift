import BuiltPrograms
import Glibc

/// A program that a test runs: a process of its own. Its output goes to files, and blocks nobody.
struct Program {
  /// The result of a process.
  struct Outcome: Sendable {
    var status: Int32
    var output: [UInt8]
    var errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lastLine: String { text.split(separator: "\n").last.map(String.init) ?? "" }
  }

  struct NotStarted: Error {
    var program: String
    var reason: String
  }

  /// Starts a program and waits for its end. timeout(1) ends a program that hangs with status 124.
  static func run(
    _ program: String, _ arguments: [String], environment: [String], scratch: Folder
  ) throws -> Outcome {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let (output, errors) = (scratch.path + "/out", scratch.path + "/err")
    let flags = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, flags, 0o600)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, flags, 0o600)
    var process: pid_t = 0
    let words = ["timeout", "--kill-after=5", "120", program] + arguments
    let result = withPointers(words) { words in
      withPointers(environment) { environment in
        posix_spawn(&process, "/usr/bin/timeout", &actions, nil, words, environment)
      }
    }
    guard result == 0 else {
      throw NotStarted(program: program, reason: String(cString: strerror(result)))
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let isExit = status & 0x7F == 0
    return Outcome(
      status: isExit ? (status >> 8) & 0xFF : 128 + (status & 0x7F),
      output: try scratch.read("out"), errors: try scratch.text("err"))
  }

  /// Starts a program that runs beside the test and writes to that descriptor. The caller ends it,
  /// and waits for it.
  static func start(
    _ program: String, _ arguments: [String], environment: [String], output: CInt
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var process: pid_t = 0
    let result = withPointers([program] + arguments) { words in
      withPointers(environment) { environment in
        posix_spawn(&process, program, &actions, nil, words, environment)
      }
    }
    guard result == 0 else {
      throw NotStarted(program: program, reason: String(cString: strerror(result)))
    }
    return process
  }

  /// The path of a program of this package, as built with the tests.
  static func built(_ name: String) throws -> String {
    guard let path = builtProgram(name) else {
      throw NotStarted(program: name, reason: "it isn't built")
    }
    return path
  }

  private static func withPointers<Result>(
    _ words: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = words.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }
}
