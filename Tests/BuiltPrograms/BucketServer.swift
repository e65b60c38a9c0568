import CairnSystem
import Glibc

/// The bucket of `Tests/Buckets/server.py`: a server on the loopback interface. It ends with this
/// process, or when nothing refers to it any more.
public final class BucketServer: Sendable {
  /// The id and the secret of the only key that it accepts.
  public static let key = (id: "AKIDEXAMPLE", secret: "secret")

  /// The port of the server.
  public var port: Int { server.port }
  private let server = PythonServer("Buckets/server.py")

  /// Starts the server.
  public init() {}
}

/// A script below `Tests` that serves on the loopback interface. It prints its port, and ends with
/// its standard input: when this process ends, or when nothing refers to the server any more.
public final class PythonServer: Sendable {
  /// The port of the server.
  public let port: Int
  private let process: pid_t
  /// The server runs while this end is open.
  private let input: CInt

  /// Starts the server.
  /// - Parameters:
  ///   - script: The script, below `Tests`.
  ///   - arguments: The arguments of the script.
  public init(_ script: String, _ arguments: [String] = []) {
    var input: [CInt] = [0, 0]
    var output: [CInt] = [0, 0]
    precondition(pipe(&input) == 0 && pipe(&output) == 0, "no pipe")
    for end in [input[1], output[0]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, input[0], 0)
    posix_spawn_file_actions_adddup2(&actions, output[1], 1)
    // Other tests wait until what they opened is closed everywhere.
    precondition(cairn_spawn_close_from(&actions, 3) == 0)
    let here = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let words = ["/usr/bin/python3", "-B", "/\(here)/\(script)"] + arguments
    let copies = words.map { (text: String) in strdup(text) }
    defer { for copy in copies { free(copy) } }
    var process = pid_t()
    let failure = posix_spawn(
      &process, "/usr/bin/python3", &actions, nil, copies + [nil], environ)
    posix_spawn_file_actions_destroy(&actions)
    precondition(failure == 0, "python3 can't be started: \(failure)")
    close(input[0])
    close(output[1])
    var text: [UInt8] = []
    var byte: UInt8 = 0
    while read(output[0], &byte, 1) == 1, byte != UInt8(ascii: "\n") { text.append(byte) }
    close(output[0])
    port = Int(String(decoding: text, as: UTF8.self)) ?? 0
    self.process = process
    self.input = input[1]
  }

  deinit {
    close(input)
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }
}
