import CairnControl
import Glibc
import Testing

extension EndToEnd {
  /// Programs that use a person's zones through the daemon, as processes of their own.
  @Suite struct ProgramTests {
    @Test func `a person sees who asks, and answers`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        #expect(try ana.cairn("program", "list").text.contains("No program"))
        let asking = try ana.run(program: Writers.program(), "ask", "Shelf", secrets(ana), "Books")
        #expect(asking.status == 1 && asking.errors.contains("notAuthenticated"))
        #expect(try ana.cairn("status").text.contains("\"Shelf\""))
        #expect(try ana.cairn("program", "list").text.contains("asking"))
        try ana.fails(.unknownItem, "program", "allow", "Nobody")
        try ana.fails(.unknownItem, "program", "revoke", "Nobody")
        try ana.folder.make("")
        try ana.cairn("add", ana.folder.path)
        let zones = try ana.answer(Control.ZonesReply.self, "zones").zones
        let zone = try #require(zones.first { $0.scope == .private }).zone
        let text = try ana.cairn("program", "allow", "Shelf", "--zone", zone).text
        #expect(text.contains("allowed") && text.contains("Books"))
        let allowed = try ana.run(program: Writers.program(), "ask", "Shelf", secrets(ana), "Books")
        #expect(allowed.status == 0, "\(allowed.errors)")
        // A program is no device.
        #expect(try ana.answer(Control.DeviceListReply.self, "device", "list").devices.count == 1)
        try ana.cairn("program", "revoke", "Shelf")
        let revoked = try ana.run(
          program: Writers.program(), "list", "Shelf", secrets(ana), "Books")
        #expect(revoked.status == 1 && revoked.errors.contains("permissionFailure"))
      }
    }

    @Test func `acknowledged changes of programs survive kill -9`() throws {
      let rounds = getenv("PROGRAM_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 3
      try TwoPeople.play { people in
        let ana = people.ana
        try ana.startDaemon()
        for name in ["Shelf", "Notes"] {
          _ = try ana.run(program: Writers.program(), "ask", name, secrets(ana), "Books")
          try ana.cairn("program", "allow", name)
        }
        var writers = Writers()
        defer { writers.end() }
        for name in ["Shelf", "Shelf", "Notes"] { try writers.start(name, of: ana) }
        for round in 0..<rounds {
          try writers.read(6)
          try ana.killDaemon()
          try ana.startDaemon()
          // One of the programs ends in the middle, too.
          if round % 2 == 1 { try writers.replace(round / 2 % 3) }
        }
        try writers.read(6)
        writers.end()
        try writers.compare(with: ana)
      }
    }

    /// Two processes of Ana's, one of Bob's and one of Cleo's write into one zone. In each round
    /// one of the three daemons is killed, and in every second one a process, too.
    @Test func `acknowledged changes of three people survive kill -9, and all see them`() throws {
      let rounds = getenv("PROGRAM_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 2
      try TwoPeople.play { people in
        let cleo = try Person("cleo", in: people.root, folder: "D")
        let everybody = [people.ana, people.bob, cleo]
        try cleo.cairn(
          "init", "--container", people.container.path, "--name", "Cleo", "--handle", "cleo")
        defer { end(cleo) }
        for person in everybody {
          _ = try person.run(program: Writers.program(), "ask", "Shelf", secrets(person), "Books")
          try person.cairn("program", "allow", "Shelf")
        }
        for (person, act) in zip(everybody, [["share", "bob", "cleo"], ["join"], ["join"]]) {
          let words = [act[0], "Shelf", secrets(person), "Books"] + act.dropFirst()
          let outcome = try Program.run(
            Writers.program(), words, environment: person.environment, scratch: person.scratch)
          try #require(outcome.status == 0, "\(outcome.errors)")
        }
        var writers = Writers()
        defer { writers.end() }
        for person in [people.ana] + everybody { try writers.start("Shelf", of: person) }
        for round in 0..<rounds {
          try writers.read(3)
          try everybody[round % 3].killDaemon()
          try everybody[round % 3].startDaemon()
          if round % 2 == 1 { try writers.replace(round / 2 % 4) }
        }
        try writers.read(3)
        writers.end()
        for person in everybody { try writers.compare(with: person) }
      }
    }

    private func secrets(_ person: Person) -> String { Writers.secrets(person) }

    private func end(_ person: Person) {
      do {
        _ = try person.run("stop")
        try person.killDaemon()
      } catch {
        Issue.record("\(person.handle)'s daemon can't be ended: \(error)")
      }
    }
  }
}

/// Processes that save records through the daemons of people, and what was acknowledged to them.
private struct Writers {
  private struct Running {
    var name: String
    var person: Person
    var process: pid_t
    var output: UnsafeMutablePointer<FILE>
  }

  private var running: [Running] = []
  /// The lines about saved records.
  private(set) var saved: Set<String> = []
  /// The number of acknowledged counts.
  private(set) var counted = 0
  /// The number of processes that were ended.
  private(set) var ended = 0

  static func program() throws -> String { try Program.built("cairn-writer") }

  /// The folder of the secrets of a person's programs.
  static func secrets(_ person: Person) -> String { person.scratch.path + "/secrets" }

  /// Expects that a person's daemon has every acknowledged change, and none twice.
  func compare(
    with person: Person, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let listed = try person.run(
      program: Self.program(), "list", "Shelf", Self.secrets(person), "Books")
    let lines = Set(listed.text.split(separator: "\n").map(String.init))
    let missing = saved.subtracting(lines)
    #expect(
      missing.isEmpty, "\(missing.count) of \(saved.count) are missing",
      sourceLocation: sourceLocation)
    let count = lines.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.max() ?? 0
    // A program that was ended may have counted once more than it could say.
    let most = counted + ended
    #expect(
      counted <= count && count <= most, "\(counted), \(count), \(most)",
      sourceLocation: sourceLocation)
    #expect(
      listed.status == 0 && !saved.isEmpty, "\(listed.errors)", sourceLocation: sourceLocation)
  }

  mutating func start(_ name: String, of person: Person) throws {
    var ends: [CInt] = [0, 0]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process = try Program.start(
      Self.program(), ["write", name, Self.secrets(person), "Books"],
      environment: person.environment, output: ends[1])
    close(ends[1])
    let output = try #require(fdopen(ends[0], "r"))
    running.append(Running(name: name, person: person, process: process, output: output))
  }

  /// Reads lines of each process.
  mutating func read(_ count: Int) throws {
    for writer in running {
      for _ in 0..<count {
        let isThere = take(writer)
        try #require(isThere, "\(writer.name) of \(writer.person.handle) has ended")
      }
    }
  }

  /// Ends a process, and starts another one instead.
  mutating func replace(_ index: Int) throws {
    let writer = running.remove(at: index)
    finish(writer)
    try start(writer.name, of: writer.person)
  }

  mutating func end() {
    for writer in running { finish(writer) }
    running = []
  }

  /// Ends a process, and reads the rest of its lines.
  private mutating func finish(_ writer: Running) {
    kill(writer.process, SIGKILL)
    ended += 1
    while take(writer) {}
    fclose(writer.output)
    var status: CInt = 0
    while waitpid(writer.process, &status, 0) < 0, errno == EINTR {}
  }

  /// Takes the next line of a process.
  /// - Returns: False at the end.
  private mutating func take(_ writer: Running) -> Bool {
    var buffer = [CChar](repeating: 0, count: 128)
    guard fgets(&buffer, CInt(buffer.count), writer.output) != nil else { return false }
    let bytes = buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
    let line = String(decoding: bytes, as: UTF8.self)
    if line == "counted" { counted += 1 } else { saved.insert(line) }
    return true
  }
}
