import CairnControl
import Glibc
import Testing

extension EndToEnd {
  /// Another program replaces the one that a daemon runs.
  @Suite struct UpgradeTests {
    @Test func `a daemon becomes the program that replaced its own, and refuses nothing`() throws {
      try UpgradeWorld.play { world in
        let root = world.root
        let who = ["--name", "Ana", "--handle", "ana"]
        try world.cairn(["init", "--container", root.path + "/c"] + who)
        try root.make("Trip")
        try root.write("one", to: "Trip/one")
        try world.cairn(["share", "create", root.path + "/Trip"])
        let before = try world.daemon()
        #expect(before.replacedBy == nil)
        #expect(try world.program(of: before) == root.inode("bin/cairnd"))

        // A command follows events. The daemon isn't idle, and reports what it waits for.
        let follower = try world.follow()
        try world.install()
        let waiting = try world.daemon { $0.replacedBy != nil }
        #expect(waiting.replacedBy == Control.version)
        #expect(waiting.startedAt == before.startedAt)
        #expect(try world.cairn(["status"]).contains("cairnd \(Control.version) is installed"))
        follower.end()

        // The old or the new daemon answers each of these commands.
        let after = try world.daemon { $0.startedAt != before.startedAt }
        #expect(after.pid == before.pid && after.replacedBy == nil)
        #expect(try world.program(of: after) == root.inode("bin/cairnd"))

        // It continues where the old one was, and can be ended in the same way.
        try root.write("two", to: "Trip/two")
        try world.cairn(["wait", "--timeout", "60"])
        let listed = try world.cairn(["ls", root.path + "/Trip"]).split(separator: "\n")
        #expect(listed.count == 2 && listed.allSatisfy { $0.hasPrefix("synced ") }, "\(listed)")
        try world.cairn(["stop"])
        let home = try Home(environment: ["CAIRN_HOME": root.path + "/home"])
        #expect(HomeLock.holder(of: home) == nil)
        #expect(!root.exists("home/cairnd.sock"))
      }
    }
  }
}

/// One person with programs in a folder of their own, where others may be installed.
private struct UpgradeWorld {
  let root: Folder
  private let environment: [String]
  private let scratch: Folder

  static func play(_ body: (UpgradeWorld) throws -> Void) throws {
    var template = Array("/tmp/cuXXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let path = String(decoding: template.dropLast().map { UInt8($0) }, as: UTF8.self)
    let world = try UpgradeWorld(Folder(path))
    defer {
      do {
        try world.cairn(["stop"])
        try Folder("/tmp").remove("\(path.dropFirst(5))")
      } catch {
        Issue.record("\(path): \(error)")
      }
    }
    try body(world)
  }

  private init(_ root: Folder) throws {
    self.root = root
    for name in ["out", "bin", "home"] { try root.make("\(name)") }
    try root.change(mode: 0o700, of: "home")
    scratch = Folder(root.path + "/out")
    environment = [
      "CAIRN_HOME=\(root.path)/home", "HOME=\(root.path)/out", "PATH=/usr/bin:/bin", "TZ=UTC",
      "SWIFT_BACKTRACE=enable=no",
    ]
    try root.link("bin/cairn-watch", to: Name(Array(try Program.built("cairn-watch").utf8)))
    // The command looks for the daemon in its own real folder.
    try run("ln \"$0\" \"$1\" 2>/dev/null || cp \"$0\" \"$1\"", "cairn", to: "cairn")
    try copy(to: "cairnd")
  }

  /// Installs as a package does: the new program is put beside the old one, and renamed over it.
  func install() throws {
    try copy(to: "cairnd.new")
    try root.move("bin/cairnd.new", to: "bin/cairnd")
  }

  private func copy(to name: String) throws {
    try run("cp --reflink=auto \"$0\" \"$1\"", "cairnd", to: name)
  }

  private func run(_ script: String, _ program: String, to name: String) throws {
    let outcome = try Program.run(
      "/bin/sh", ["-c", script, try Program.built(program), "\(root.path)/bin/\(name)"],
      environment: environment, scratch: scratch)
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  /// Returns the output of `cairn`, which must succeed.
  @discardableResult
  func cairn(_ arguments: [String]) throws -> String {
    let outcome = try Program.run(
      root.path + "/bin/cairn", arguments, environment: environment, scratch: scratch)
    try #require(outcome.status == 0, "\(arguments): \(outcome.text) \(outcome.errors)")
    return outcome.text
  }

  /// A command that waits for events.
  struct Follower {
    let process: pid_t
    /// The writing end of a pipe. Without an open reading end, writing would end the process.
    let output: CInt

    func end() {
      kill(process, SIGKILL)
      var status: CInt = 0
      waitpid(process, &status, 0)
      close(output)
    }
  }

  /// Starts `cairn events --follow`, and returns when it has begun.
  func follow() throws -> Follower {
    var ends: [CInt] = [0, 0]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    let process = try Program.start(
      root.path + "/bin/cairn", ["events", "--follow", "--since", "0"], environment: environment,
      output: ends[1])
    var byte: UInt8 = 0
    try #require(read(ends[0], &byte, 1) == 1)
    return Follower(process: process, output: ends[0])
  }

  /// Returns the state of the daemon as soon as it matches.
  func daemon(
    until isSo: (Control.DaemonStatus) -> Bool = { _ in true }
  ) throws -> Control.DaemonStatus {
    let patience = time(nil) + 120
    while true {
      let text = try cairn(["status", "--json"])
      let told = try ControlJSON.decode(Control.StatusReply.self, from: Array(text.utf8)).daemon
      if isSo(told) { return told }
      try #require(time(nil) < patience, "\(told)")
    }
  }

  /// Returns the inode of the program that a daemon runs.
  func program(of daemon: Control.DaemonStatus) throws -> UInt {
    var status = stat()
    try #require(stat("/proc/\(daemon.pid)/exe", &status) == 0)
    return UInt(status.st_ino)
  }
}
