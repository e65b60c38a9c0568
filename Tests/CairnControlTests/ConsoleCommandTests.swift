import BuiltPrograms
import CairnControl
import CairnDaemon
import Foundation
import Testing

/// `cairn console`: the address reaches its person, and nobody else.
@Suite struct ConsoleCommandTests {
  /// Plays a test with the command and a daemon's console.
  private func play(_ body: (CairnProgram) throws -> Void) throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    try program.setUp()
    let console = Console(routes: ControlRoutes())
    defer { console.stop() }
    var routes = ControlRoutes()
    routes.on(Control.Ping.self) { _, _ in Control.PingReply(pid: 7, version: "1") }
    routes.on(Control.Console.self) { _, _ in try console.open() }
    let home = try Home(environment: [
      "CAIRN_HOME": program.folder.appending(path: "home").path
    ])
    let server = try ControlServer(home: home, responder: routes)
    try server.start()
    defer { server.stop() }
    try body(program)
  }

  /// A stand-in for a browser. The program that opens files keeps the name and the content of its
  /// file.
  private func desktop(_ program: CairnProgram) throws -> [String: String] {
    let folder = program.folder.path
    let script = "#!/bin/sh\necho \"$@\" > \(folder)/given\ncp -p \"$1\" \(folder)/page\n"
    try installScript(script, at: folder + "/xdg-open")
    return ["DISPLAY": ":0", "PATH": "\(folder):/usr/bin:/bin"]
  }

  private func text(_ name: String, of program: CairnProgram) throws -> String {
    try String(contentsOf: program.folder.appending(path: name), encoding: .utf8)
  }

  private let address = /http:\/\/127\.0\.0\.1:(\d+)\/#([0-9a-f]{64})/

  @Test func `the address is printed if there is no desktop`() throws {
    try play { program in
      let outcome = try program.run(["console"])
      #expect(outcome.status == 0)
      #expect(outcome.text.contains(address))
      let again = try program.run(["console"])
      #expect(try address.firstMatch(in: again.text)?.2 != address.firstMatch(in: outcome.text)?.2)
      let json = try program.run(["console", "--json"], variables: try desktop(program))
      let reply = try ControlJSON.decode(Control.ConsoleReply.self, from: json.output)
      #expect(reply.url.wholeMatch(of: address)?.1 == "\(reply.port)")
      #expect(!FileManager.default.fileExists(atPath: program.folder.path + "/given"))
    }
  }

  @Test func `a browser is led to the console by a file that only its person can read`() throws {
    try play { program in
      let outcome = try program.run(["console"], variables: try desktop(program))
      #expect(outcome.status == 0)
      let secret = try #require(try address.firstMatch(in: outcome.text)).2
      let given = try text("given", of: program)
      #expect(given == program.folder.path + "/home/console.html\n")
      #expect(!given.contains(secret))
      #expect(try text("page", of: program).contains(secret))
      let attributes = try FileManager.default.attributesOfItem(
        atPath: program.folder.path + "/page")
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      // A link that somebody put there isn't written through.
      let link = program.folder.appending(path: "home/console.html")
      try FileManager.default.removeItem(at: link)
      let other = program.folder.appending(path: "other")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: other)
      #expect(try program.run(["console"], variables: try desktop(program)).status == 0)
      #expect(!FileManager.default.fileExists(atPath: other.path))
      #expect(
        try program.run(["console", "--no-open"], variables: try desktop(program)).status == 0)
    }
  }

  @Test(arguments: [
    (["people"], "/people"), (["conflicts", "/a/b c"], "/conflicts/a/b%20c"),
    (["/tmp"], "/files/tmp/"), (["/tmp/m\u{fc}ll"], "/files/tmp/m%c3%bcll"),
    (["/a'\"<b>&#;\n%"], "/files/a%27%22%3cb%3e%26%23%3b%0a%25"),
  ]) func `the page opens at the requested place`(show: [String], end: String) throws {
    try play { program in
      let outcome = try program.run(["console", "--show"] + show)
      let match = try #require(outcome.text.firstMatch(of: /#[0-9a-f]{64}(\/\S*)\n/))
      #expect(match.1 == end)
      let json = try program.run(["console", "--json", "--show"] + show)
      #expect(
        try ControlJSON.decode(Control.ConsoleReply.self, from: json.output).url
          .hasSuffix(end))
      #expect(try program.run(["console", "/tmp"]).status != 0)
      #expect(try program.run(["console", "--show", "/tmp", "/tmp"]).status != 0)
    }
  }

  @Test(arguments: [
    ("10.0.0.2 50000 10.0.0.1 22", "10.0.0.1", ""),
    ("fe80::1 5 fe80::2 2222", "fe80::2", " -p 2222"),
  ]) func `over ssh the line for a tunnel is printed, and nothing is opened`(
    connection: String, host: String, port: String
  ) throws {
    try play { program in
      var variables = try desktop(program)
      variables["SSH_CONNECTION"] = connection
      let outcome = try program.run(["console"], variables: variables)
      let number = try #require(try address.firstMatch(in: outcome.text)).1
      #expect(
        outcome.text.contains("ssh -N -L 127.0.0.1:\(number):127.0.0.1:\(number)\(port) "))
      #expect(outcome.text.contains("@\(host)\n"))
      #expect(!FileManager.default.fileExists(atPath: program.folder.path + "/given"))
    }
  }

  @Test func `a port that nobody here can reach is reported`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    try program.setUp()
    var routes = ControlRoutes()
    routes.on(Control.Ping.self) { _, _ in Control.PingReply(pid: 7, version: "1") }
    routes.on(Control.Console.self) { _, _ in
      // Nobody listens at the lowest port.
      Control.ConsoleReply(url: "http://127.0.0.1:1/#x", port: 1, expires: .now())
    }
    let home = try Home(environment: [
      "CAIRN_HOME": program.folder.appending(path: "home").path
    ])
    let server = try ControlServer(home: home, responder: routes)
    try server.start()
    defer { server.stop() }
    let outcome = try program.run(["console"])
    #expect(outcome.status == Control.ErrorCode.networkUnavailable.exitStatus)
    #expect(!outcome.text.contains("#x"))
  }
}
