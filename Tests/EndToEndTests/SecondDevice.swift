import CairnControl
import Glibc
import Testing

extension TwoPeople {
  /// Plays on with another device of a person: a home of its own, made by `device link` and `device
  /// join`. The person's mirrored folders appear in its `folder`, by their titles. Its daemon is a
  /// real process, and ends with `body`.
  func withDevice(
    of person: Person, _ options: [String] = [], named name: String = "laptop",
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (Person) throws -> Void
  ) throws {
    let home = "\(person.handle)-\(name)"
    let device = try Person(person.handle, in: root, folder: "\(home)-folders", home: home)
    let code = try person.cairn("device", "link", sourceLocation: sourceLocation).lastLine
    try device.cairn(
      ["device", "join", code, "--device-name", name, "--at", device.folder.path] + options,
      sourceLocation: sourceLocation)
    defer {
      do {
        _ = try device.run("stop")
        try device.killDaemon()
      } catch {
        Issue.record("\(home)'s daemon can't be ended: \(error)")
      }
    }
    try body(device)
  }
}

extension Person {
  /// Runs `cairn` with a file as its standard input, with any result.
  func run(typing file: String, _ arguments: [String]) throws -> Program.Outcome {
    let script = #"file=$1; shift; exec "$0" "$@" <"$file""#
    return try Program.run(
      "/bin/sh", ["-c", script, program, file] + arguments, environment: environment,
      scratch: scratch)
  }

  /// Returns when the daemon has reported an event of this kind, now or before, with these words in
  /// its text or path. The daemon must run. One that ends meanwhile is a failure, and so is a
  /// minute without the event.
  @discardableResult
  func awaitEvent(
    _ kind: Control.EventKind, _ words: String = "", after number: UInt64 = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Control.Event {
    var ends: [CInt] = [0, 0]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    let process = try Program.start(
      program, ["events", "--follow", "--json", "--since", "\(number)"],
      environment: environment, output: ends[1])
    close(ends[1])
    defer {
      kill(process, SIGKILL)
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      var waiting = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, 60_000)
      if ready < 0, errno == EINTR { continue }
      let count = ready > 0 ? read(ends[0], &buffer, buffer.count) : 0
      try #require(
        count > 0, "no event \(kind.rawValue) “\(words)” came", sourceLocation: sourceLocation)
      for byte in buffer[..<count] {
        guard byte == UInt8(ascii: "\n") else {
          line.append(byte)
          continue
        }
        let event = try ControlJSON.decode(Control.Event.self, from: line)
        if event.kind == kind.rawValue,
          (event.text + " \(event.path?.printable ?? "")").contains(words)
        {
          return event
        }
        line = []
      }
    }
  }
}
