import CairnControl
import Glibc
import Testing

extension EndToEnd {
  /// The notifications on a desktop: a real bus, real daemons, and a program that shows
  /// notifications.
  @Suite struct NoticeTests {
    @Test func `an invitation is shown, and choosing it opens the console there`() throws {
      try TwoPeople.play { people in
        let desktop = try Desktop(of: people.bob)
        defer { desktop.end() }
        try desktop.makeChoosing()
        try desktop.startDaemon()
        try people.ana.folder.make("")
        try people.ana.cairn("share", "create", people.ana.folder.path, "--title", "a <b>& c")
        try people.ana.cairn("share", "invite", people.ana.folder.path, "bob")
        let notice = try desktop.awaitNotice(1)
        #expect(notice.title == "You are invited to a share")
        #expect(notice.text.contains("“a &lt;b&gt;&amp; c” from Ana Äpfel (ana)"))
        #expect(notice.actions == ["default", "Show invitation", "show", "Show invitation"])
        #expect(notice.icon == "cairn" && notice.urgency == 1)
        #expect(try desktop.awaitOpened().contains("/people\""))
      }
    }

    @Test func `one of many conflicts, an ended share and held deletions are shown`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let desktop = try Desktop(of: bob)
        defer { desktop.end() }
        try desktop.startDaemon()
        for number in 0..<6 { try ana.folder.write("both", to: "\(number)") }
        try people.settle()
        try bob.cairn("pause")
        for number in 0..<6 {
          try ana.folder.write("hers", to: "\(number)")
          try bob.folder.write("his, and longer", to: "\(number)")
        }
        try ana.wait()
        try bob.cairn("resume")
        try people.settle()
        #expect(try bob.count(of: "conflict") + ana.count(of: "conflict") >= 6)
        try ana.cairn("share", "remove", ana.folder.path, "bob")
        try bob.awaits("share.revoked")
        try bob.stopDaemon()
        let titles = try desktop.notices().map(\.title)
        #expect(titles.filter { $0 == "A file has two versions" }.count <= 1)
        #expect(titles.last == "You were removed from a share")
        let text = try desktop.notices().last?.text
        #expect(text?.contains("you were removed by Ana Äpfel (ana)") == true)
        #expect(titles.count <= NoticeRule.mostAnHour)
      }
    }

    @Test func `notifications are off if the configuration says so`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let desktop = try Desktop(of: bob)
        defer { desktop.end() }
        try bob.stopDaemon()
        let text = try bob.home.text("cairn.conf")
        try bob.home.write(text + "\n[desktop]\nnotices = false\n", to: "cairn.conf")
        try desktop.startDaemon()
        #expect(try bob.answer(Control.StatusReply.self, "status").problems.isEmpty)
        try ana.folder.make("")
        try ana.cairn("share", "create", ana.folder.path)
        try ana.cairn("share", "invite", ana.folder.path, "bob")
        try bob.awaits("invitation.received")
        try bob.stopDaemon()
        #expect(try desktop.notices().isEmpty)
      }
    }

    @Test func `a person without a desktop reads the notifications on a terminal`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try bob.startDaemon()
        try ana.folder.make("")
        try ana.cairn("share", "create", ana.folder.path)
        try ana.cairn("share", "invite", ana.folder.path, "bob")
        try bob.awaits("invitation.received")
        let script = """
          mkfifo told && { "$0" events --notify --since 0 > told & } && process=$!
          head -n 1 told; kill $process; wait $process; rm told; exit 0
          """
        let outcome = try bob.run(
          program: "/bin/sh", "-c", "cd \"$HOME\"; " + script, bob.program)
        #expect(outcome.text.hasPrefix("You are invited to a share: “A” from Ana Äpfel (ana)"))
        #expect(outcome.text.hasSuffix("(`cairn share invitations`)\n"))
        #expect(try bob.run("doctor").text.contains("bus") == false)
      }
    }
  }
}

/// The session of a person's desktop: a bus, a program that shows notifications, and one that opens
/// pages.
private struct Desktop {
  /// A notification as it was shown.
  struct Notice: Decodable {
    var icon: String
    var title: String
    var text: String
    var actions: [String]
    var urgency: Int
  }

  let person: Person
  private var folder: Folder { person.scratch }
  private let processes: [pid_t]

  init(of person: Person) throws {
    self.person = person
    let place = person.scratch
    try place.make("bin")
    try place.write(
      "#!/bin/sh\ncp \"$1\" \"$HOME/opened.new\" && mv \"$HOME/opened.new\" \"$HOME/opened\"\n",
      to: "bin/xdg-open")
    try place.change(mode: 0o755, of: "bin/xdg-open")
    let bus = "unix:path=\(place.path)/bus"
    let first = try Self.start(
      "/usr/bin/dbus-daemon",
      ["--session", "--nofork", "--nopidfile", "--print-address", "--address=" + bus], person, [])
    let here = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let second = try Self.start(
      "/usr/bin/python3", ["/\(here)/Desktop/notifications.py", place.path + "/notices"], person,
      ["DBUS_SESSION_BUS_ADDRESS=" + bus])
    processes = [second, first]
  }

  /// Starts a program, and returns when it has printed its first line.
  private static func start(
    _ program: String, _ arguments: [String], _ person: Person, _ more: [String]
  ) throws -> pid_t {
    var ends: [CInt] = [0, 0]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    let process = try Program.start(
      program, arguments, environment: person.environment + more, output: ends[1])
    close(ends[1])
    var byte: UInt8 = 0
    while read(ends[0], &byte, 1) == 1, byte != UInt8(ascii: "\n") {}
    try #require(byte == UInt8(ascii: "\n"), "\(program) says nothing")
    return process
  }

  func end() {
    for process in processes {
      kill(process, SIGKILL)
      var status: CInt = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
  }

  /// Chooses every notification from here on.
  func makeChoosing() throws { try folder.write("", to: "notices.choose") }

  /// Starts the daemon in this session.
  func startDaemon() throws {
    try person.stopDaemon()
    let outcome = try person.run(
      program: "/usr/bin/env", "DBUS_SESSION_BUS_ADDRESS=unix:path=\(folder.path)/bus",
      "DISPLAY=:99", "PATH=\(folder.path)/bin:/usr/bin:/bin", person.program, "start")
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  func notices() throws -> [Notice] {
    guard folder.exists("notices") else { return [] }
    return try folder.read("notices").split(separator: UInt8(ascii: "\n")).map {
      try ControlJSON.decode(Notice.self, from: $0)
    }
  }

  /// Returns that notification when it is shown.
  func awaitNotice(_ number: Int) throws -> Notice {
    let deadline = ContinuousClock.now + .seconds(60)
    while try notices().count < number, ContinuousClock.now < deadline { sched_yield() }
    return try #require(try notices().dropFirst(number - 1).first)
  }

  /// Returns the address that a browser was told to open.
  func awaitOpened() throws -> String {
    let deadline = ContinuousClock.now + .seconds(60)
    while !folder.exists("opened"), ContinuousClock.now < deadline { sched_yield() }
    return try folder.text("opened")
  }
}
