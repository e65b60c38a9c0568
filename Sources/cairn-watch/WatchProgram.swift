// SPDX-License-Identifier: GPL-2.0-only
import CairnSystem
import Glibc

/// The reason why the program ends although its standard input is still open.
struct EarlyExit: Error {
  /// The exit status, one of those that cairn-watch(8) lists.
  let status: Int32
  /// A sentence for people, on standard error.
  let message: String

  static func startOver(_ reason: String) -> EarlyExit {
    EarlyExit(status: 75, message: "\(reason); it must be started again")
  }
}

/// The life of the program: it prepares the process, then waits for commands and for inotify events
/// only. It must not know the meaning of an event.
enum WatchProgram {
  /// The version for `--version`. All programs have one version.
  private static let version = "0.1.0"

  /// Runs until standard input ends. Returns the exit status.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.isEmpty else { return explain(arguments) }
    _ = cairn_close_range_from(3)
    _ = cairn_set_parent_death_signal(SIGTERM)
    signal(SIGPIPE, SIG_IGN)
    raiseDescriptorLimit()
    do {
      // Before anything else is open: the library calls select(2), which aborts above 1023.
      let library = try InotifyLibrary()
      try serve(library)
      return 0
    } catch let exit as EarlyExit {
      complain(exit.message)
      return exit.status
    } catch {
      complain("\(error)")
      return 70
    }
  }

  private static func serve(_ library: InotifyLibrary) throws {
    let writer = EventWriter(descriptor: 1)
    let watcher = Watcher(library: library, writer: writer)
    var reader = CommandReader(descriptor: 0)
    var waits = [
      pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
      pollfd(fd: library.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      try watcher.tryAgain()
      let ready = poll(&waits, nfds_t(waits.count), watcher.patience ?? -1)
      guard ready >= 0 || errno == EINTR else {
        throw EarlyExit(status: 71, message: "poll: \(String(cString: strerror(errno)))")
      }
      if ready > 0, waits[0].revents != 0 {
        for command in try reader.read() {
          try watcher.obey(command)
          try writer.flush()
        }
        if reader.isAtEnd { return }
      }
      if ready > 0, waits[1].revents != 0 { try watcher.drain() }
    }
  }

  /// Answers a person, who has no need to start this program.
  private static func explain(_ arguments: [String]) -> Int32 {
    switch arguments {
    case ["--help"], ["-h"]:
      print(
        "cairn-watch takes commands on standard input and writes what changes below folders to "
          + "standard output, as cairn-watch(8) says. cairnd runs it.")
    case ["--version"]: print(version)
    default:
      complain("no such arguments: \(arguments.joined(separator: " ")); see cairn-watch(8)")
      return 64
    }
    return 0
  }

  /// Raises the limit of descriptors. A walk holds one descriptor per level, so the limit is its
  /// depth.
  private static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  private static func complain(_ message: String) {
    let line = Array("cairn-watch: \(message)\n".utf8)
    _ = write(2, line, line.count)
  }
}
