// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The reason why cairn-watch could not be started.
public struct WatchError: Error, Sendable, Equatable {
  /// The system's error number.
  public let errorNumber: Int32
  /// The event, its object, and the next action, for people.
  public let message: String
}

/// A running cairn-watch: its process, and the socket that is both its standard input and its
/// standard output. It must not know commands or events.
struct WatchChild {
  let process: pid_t
  let socket: Int32

  /// Starts the program, with default signals and only these variables.
  ///
  /// The calling thread must outlive the child: the child dies with that thread.
  static func start(_ executable: String) throws(WatchError) -> WatchChild {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw failure(errno, executable)
    }
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(executable), nil]
    var environment: [UnsafeMutablePointer<CChar>?] = []
    for name in ["PATH", "LD_LIBRARY_PATH", "LANG"] {
      if let value = getenv(name) {
        environment.append(strdup("\(name)=\(String(cString: value))"))
      }
    }
    environment.append(nil)
    defer { for text in arguments + environment { free(text) } }
    var process: pid_t = 0
    let result = posix_spawn(&process, executable, &actions, &attributes, &arguments, &environment)
    guard result == 0 else {
      close(ends[0])
      throw failure(result, executable)
    }
    return WatchChild(process: process, socket: ends[0])
  }

  /// Sends as much as the socket accepts now. Returns the number of bytes, possibly 0; nil if
  /// nobody reads them any more.
  func send(_ bytes: [UInt8]) -> Int? {
    let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    let count = Glibc.send(socket, bytes, bytes.count, flags)
    if count >= 0 { return count }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  /// Reads the available bytes into the buffer. Returns their number, possibly 0; nil at the end.
  func receive(into buffer: inout [UInt8]) -> Int? {
    let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if count > 0 { return count }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : nil
  }

  /// Kills the program, which has nothing to lose, and waits for its end.
  /// - Returns: The reason of its end, as a sentence for people.
  func end() -> String {
    kill(process, SIGKILL)
    close(socket)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7f
    guard signal == 0 else { return "cairn-watch was ended by signal \(signal)" }
    let code = status >> 8 & 0xff
    // cairn-watch(8) lists the statuses.
    return code == 69
      ? "no inotify instance is left for cairn-watch; raise fs.inotify.max_user_instances"
      : "cairn-watch ended with status \(code), as cairn-watch(8) explains"
  }

  private static func failure(_ code: Int32, _ executable: String) -> WatchError {
    WatchError(
      errorNumber: code,
      message: "cannot start \(executable): \(String(cString: strerror(code))); "
        + "without it changes are found only by scanning")
  }
}
