import CairnControl
import Foundation
import Testing

/// The program `cairn` without a daemon, or with a stand-in for one.
@Suite struct LaunchTests {
  @Test(arguments: [
    ["nonsense"], ["status", "--nonsense"], ["share", "invite", "x"], ["wait", "--timeout", "-1"],
    ["share", "invite", "x", "bob", "--permission", "all"],
    ["init"],
  ]) func `a mistake in the arguments exits with 64`(arguments: [String]) throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    let outcome = try program.run(arguments)
    #expect(outcome.status == 64)
    #expect(outcome.text.isEmpty)
    #expect(outcome.errors.hasPrefix("Error: ") || outcome.errors.hasPrefix("cairn: "))
  }

  @Test func `a mistake beside --json is reported in JSON`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    let outcome = try program.run(["ls", "-0", "--json"])
    #expect(outcome.status == 64 && outcome.errors.isEmpty)
    #expect(outcome.text.hasPrefix(#"{"error":{"code":"invalidArguments","#))
    #expect(outcome.text.contains("exclude each other"))
  }

  @Test func `the version is printed`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    #expect(try program.run(["--version"]).text == Control.version + "\n")
  }

  @Test func `stopping a daemon that doesn't run succeeds`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    #expect(try program.run(["stop"]).status == 0)
    #expect(try program.run(["stop", "--json"]).text == "{}\n")
  }

  @Test func `a missing cairnd is reported with a remedy`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    try program.setUp()
    let outcome = try program.run(["status"])
    #expect(outcome.status == Control.ErrorCode.notRunning.exitStatus)
    #expect(outcome.errors.contains("[notRunning]\n  "))
    let json = try program.run(["status", "--json"])
    #expect(json.status == Control.ErrorCode.notRunning.exitStatus)
    #expect(json.text.hasPrefix(#"{"error":{"code":"notRunning","#))
    #expect(json.errors.isEmpty)
  }

  @Test func `a daemon that ends at once is reported with its last words and its code`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    try program.setUp()
    try program.standIn(
      "echo first >&2; echo 'cairnd: There is no identity. [notAuthenticated]' >&2; exit 9")
    let outcome = try program.run(["start"])
    #expect(outcome.status == Control.ErrorCode.notAuthenticated.exitStatus)
    #expect(
      outcome.errors.contains(
        "as soon as it was started: There is no identity. [notAuthenticated]\n"))
    #expect(outcome.errors.contains("cairnd.log"))
    #expect(!outcome.errors.contains("first"))
  }

  @Test(arguments: [["status"], ["start"], ["ls"]])
  func `a newcomer is told once how to begin, and nothing is created`(arguments: [String]) throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    try program.standIn("echo 'cairnd: It was started. [notAuthenticated]' >&2; exit 9")
    let outcome = try program.run(arguments)
    #expect(outcome.status == Control.ErrorCode.notAuthenticated.exitStatus)
    #expect(
      outcome.errors == "cairn: There is no account in this home yet. [notAuthenticated]\n"
        + "  Run `cairn init --container DIR --name NAME --handle HANDLE` first.\n")
    let home = program.folder.appending(path: "home").path
    #expect(!FileManager.default.fileExists(atPath: home))
  }

  @Test func `a daemon has a session of its own, and no descriptors but its own`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    try program.setUp()
    try program.standIn(
      "cut -d' ' -f6 /proc/self/stat > session; echo $$ > process; ls /proc/$$/fd > open\n"
        + "echo \"$@\" > arguments; exit 1")
    let outcome = try program.run(["start"])
    #expect(outcome.status == Control.ErrorCode.notRunning.exitStatus)
    func file(_ name: String) throws -> String {
      try String(contentsOf: program.folder.appending(path: name), encoding: .utf8)
    }
    #expect(try file("session") == file("process"))
    #expect(try file("arguments") == "--ready-fd 3\n")
    // From 10 on the shell has its own descriptors, for the script.
    let open = try file("open").split(separator: "\n").filter { $0.utf8.count == 1 }
    #expect(open == ["0", "1", "2", "3"])
  }

  @Test func `a daemon reports that it is ready by one byte, and closes`() throws {
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    Readiness(descriptor: ends[1]).announce()
    var bytes: [UInt8] = [0, 0]
    #expect(read(ends[0], &bytes, 2) == 1)
    #expect(read(ends[0], &bytes, 2) == 0)
  }

  @Test func `init sends its request to cairnd setup and shows the answer`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    let reply = Control.SetupReply(
      dryRun: false,
      container: Control.ContainerStatus(id: "1", path: "/c", fileSystem: "ext4", reachable: true),
      containerCreated: true,
      account: Control.AccountStatus(
        user: "2", handle: "ana", name: "Ana", device: "3", deviceName: "laptop"),
      home: "/h", probes: [Control.Probe(name: "link", works: true, note: "atomic")],
      steps: ["Made the container."],
      warnings: [
        Control.Problem(
          path: "/c", code: .permissionFailure, message: "Only you can use it.",
          remedy: "Run `chmod`.")
      ])
    let line = try ControlJSON.encode(Control.Line<Control.SetupReply>.reply(reply))
    try Data(line + [0x0A]).write(to: program.folder.appending(path: "answer"))
    try program.standIn("echo $1 > command; cat > request; cat answer")
    let arguments = ["init", "--container", "cloud/../c", "--name", "Ana", "--handle", "ana"]
    let outcome = try program.run(arguments)
    #expect(outcome.status == 0)
    #expect(outcome.text.hasPrefix("storage: ok (ext4, reliable, checked regularly)\n"))
    #expect(!outcome.text.contains("Made the container."))
    #expect(outcome.errors.contains("warning: Only you can use it.\n  Run `chmod`."))
    #expect(outcome.text.contains("Ana (ana)"))
    let details = try program.run(arguments + ["--verbose"]).text
    #expect(details.contains("Made the container.") && details.contains("link  yes  atomic"))
    let request = try ControlJSON.decode(
      Control.Setup.self, from: Data(contentsOf: program.folder.appending(path: "request")))
    #expect(request.container == Control.Path(program.folder.path + "/c"))
    #expect(request.handle == "ana")
    #expect(!request.dryRun)
    let json = try program.run(arguments + ["--json", "--dry-run"])
    #expect(json.output == Data(try ControlJSON.encode(reply) + [0x0A]))
  }

  @Test func `a setup that fails gives its own error`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    try program.standIn(
      #"echo '{"error":{"code":"alreadyExists","message":"It is.","remedy":"Use it."}}'; exit 45"#)
    let arguments = ["init", "--container", "/c", "--name", "A", "--handle", "a"]
    let outcome = try program.run(arguments)
    #expect(outcome.status == 45)
    #expect(outcome.errors == "cairn: It is. [alreadyExists]\n  Use it.\n")
    try program.standIn("exit 3")
    #expect(try program.run(arguments).status == Control.ErrorCode.interrupted.exitStatus)
  }
}
