import CairnControl
import Glibc
import Testing

extension EndToEnd {
  /// Commands that keep running, and their ends.
  @Suite struct WatchTests {
    /// A command that runs beside the test, and its output.
    private struct Running {
      let process: pid_t
      let output: CInt

      /// Both of its outputs are read. An interruption ends it, whatever this test ignores.
      init(_ person: Person, _ words: String...) throws {
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        process = try Program.start(
          "/bin/sh",
          ["-c", "exec env --default-signal=INT \"$0\" \"$@\" 2>&1", person.program] + words,
          environment: person.environment, output: ends[1])
        close(ends[1])
        output = ends[0]
      }

      /// Reads lines up to one for which `isLast` is true, or to the end.
      func lines(until isLast: (String) throws -> Bool = { _ in false }) throws -> [String] {
        var lines: [String] = []
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
          var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
          try #require(poll(&waiting, 1, 60_000) != 0, "nothing more came after \(lines)")
          guard read(output, &byte, 1) == 1 else { return lines }
          guard byte == UInt8(ascii: "\n") else {
            line.append(byte)
            continue
          }
          lines.append(String(decoding: line, as: UTF8.self))
          line = []
          if try isLast(lines.last ?? "") { return lines }
        }
      }

      /// Sends it a signal, and waits for its end.
      func end(_ signal: CInt) -> CInt {
        kill(process, signal)
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
      }
    }

    @Test func `status keeps running, and shows events as they happen`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let watching = try Running(ana, "status", "--watch", "--json")
        defer { close(watching.output) }
        func reply(_ line: String) throws -> Control.StatusReply {
          try ControlJSON.decode(Control.StatusReply.self, from: Array(line.utf8))
        }
        let first = try watching.lines { _ in true }
        #expect(try reply(first.last ?? "").mounts.map(\.files) == [0])
        // Another person's changes are shown, too.
        try bob.folder.write("new", to: "file")
        let next = try watching.lines { line in
          let mount = try reply(line).mounts.first
          return mount?.files == 1 && mount?.phase == .idle
        }
        try ana.cairn("pause")
        let paused = try watching.lines { try reply($0).container.traffic?.paused != nil }
        _ = watching.end(SIGKILL)
        let all = (first + next + paused).joined(separator: "\n")
        AnswerBook.shared.take(
          Program.Outcome(status: 0, output: Array(all.utf8), errors: ""), of: ["status"])
        try ana.cairn("resume")
      }
    }

    @Test func `for people it is text, one screen after the other without a terminal`() throws {
      try TwoPeople.playSharing { people in
        let watching = try Running(people.ana, "status", "-w", people.ana.folder.path)
        defer { close(watching.output) }
        let first = try watching.lines { $0.contains("  0      0 B  ") }
        #expect(first.first?.hasPrefix("Ana") == true)
        try people.bob.folder.write("new", to: "file")
        let next = try watching.lines { $0.contains("  1      3 B  ") }
        #expect(next.contains("") && !next.joined().contains("\u{1B}"))
        _ = watching.end(SIGKILL)
      }
    }

    @Test func `the status of all containers is shown together`() throws {
      try TwoPeople.playSharing { people in
        let (ana, root) = (people.ana, people.root)
        try ana.cairn(
          "init", "--container", root.path + "/second", "--as", "office", "--name", "At work",
          "--handle", "ana")
        let watching = try Running(ana, "status", "-w")
        defer { close(watching.output) }
        let first = try watching.lines { $0.hasPrefix("No folder is mirrored.") }
        #expect(first.first == "default:" && first.contains("office:"), "\(first)")
        #expect(first.contains { $0.contains(ana.folder.path) }, "\(first)")
        try people.bob.folder.write("new", to: "file")
        let next = try watching.lines { $0.contains("  1      3 B  ") }
        #expect(next.contains("default:"), "\(next)")
        _ = watching.end(SIGKILL)
        let one = try Running(ana, "--container", "office", "status", "-w")
        defer { close(one.output) }
        let only = try one.lines { $0.hasPrefix("No folder is mirrored.") }
        #expect(!only.contains("default:") && only.first?.hasPrefix("At work") == true, "\(only)")
        _ = one.end(SIGKILL)
      }
    }

    @Test func `an interrupted wait reports that the work goes on, and it does`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        // A file that a program writes to waits.
        let file = open(ana.folder.path + "/open", O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
        try #require(file >= 0 && write(file, "x", 1) == 1)
        defer { close(file) }
        let waiting = try Running(ana, "wait", "--progress")
        defer { close(waiting.output) }
        let told = try waiting.lines { _ in true }
        #expect(told.first?.contains(ana.folder.path) == true)
        let status = waiting.end(SIGINT)
        #expect(status == 130 << 8, "\(status)")
        let text = try waiting.lines().joined(separator: "\n")
        #expect(
          text.hasSuffix("Work continues in the background; `cairn status` shows it."), "\(text)")
        try ana.cairn("ls", ana.folder.path)
      }
    }

    @Test func `status shows the number of ignored names, and why shows the rule`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        try ana.folder.write("*.log\n", to: ".cairnignore")
        try ana.folder.make("d")
        for name: Name in ["a.log", "d/b.log", "c~"] { try ana.folder.write("x", to: name) }
        try ana.wait()
        let ignored = try ana.mount().ignored
        #expect(ignored.names == 3 && ignored.rules.map(\.names) == [2, 1])
        #expect(ignored.rules.first?.file?.text == ana.folder.path + "/.cairnignore")
        let text = try ana.cairn("status", "--verbose").text
        #expect(text.contains("ignored: 3 names: `*.log` in .cairnignore 2, `*~` 1"), "\(text)")
        let why = try ana.cairn("why", ana.folder.path + "/d/b.log").text
        #expect(why.contains("The pattern `*.log` in .cairnignore keeps it out"), "\(why)")
        try ana.folder.remove("d/b.log")
        try ana.folder.write("", to: ".cairnignore")
        try people.settle()
        #expect(try ana.mount().ignored.names == 1 && people.bob.folder.exists("a.log"))
      }
    }
  }
}
