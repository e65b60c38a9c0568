import CairnConsole
import CairnControl
import Foundation
import Glibc
import Testing

@testable import CairnDaemon

/// The console's access control over a real port: who gets in, what a page may request, and how
/// long the port is open.
@Suite struct ConsoleTests {
  private static func routes() -> ControlRoutes {
    var routes = ControlRoutes()
    routes.on(Control.Ping.self) { _, _ in Control.PingReply(pid: 7, version: "1") }
    return routes
  }

  /// Plays a test with an open port.
  private func play(
    _ routes: ControlRoutes = routes(), _ body: (OpenConsole) throws -> Void
  ) throws {
    let console = try OpenConsole(routes)
    defer { console.port.stop() }
    try body(console)
  }

  // MARK: Access

  @Test func `a secret lets one page in, once`() throws {
    try play { console in
      let (answer, token) = console.enter()
      #expect(answer.status == "200")
      let first = try #require(token)
      #expect(console.request("/v1/ping", token: first).body.contains("\"pid\":7"))
      let (again, none) = console.enter()
      #expect(again.status == "403")
      #expect(none == nil)
      // The page that is already in stays in.
      #expect(console.request("/v1/ping", token: first).status == "200")
    }
  }

  @Test func `only a secret of this port gives access`() throws {
    try play { console in
      for secret in ["", "0", String(repeating: "0", count: 64), "null", "\\u0000"] {
        let (answer, token) = console.enter(secret)
        #expect(answer.status == "403")
        #expect(token == nil)
      }
      for body in ["", "{}", "[]", "{\"secret\":7}", "{"] {
        #expect(console.request("/enter", body).status == "403")
      }
    }
  }

  @Test func `an expired secret gives no access`() {
    var keys = ConsoleKeys()
    let secret = keys.makeSecret(until: Control.Time(nanoseconds: 10))
    #expect(keys.enter(secret, at: Control.Time(nanoseconds: 11)) == nil)
    #expect(keys.enter(secret, at: Control.Time(nanoseconds: 9)) == nil)
  }

  @Test func `secrets and tokens are long and different, and their number is limited`() {
    var keys = ConsoleKeys()
    let end = Control.Time(nanoseconds: 10)
    let secrets = (0..<100).map { _ in keys.makeSecret(until: end) }
    #expect(Set(secrets).count == 100)
    #expect(secrets.allSatisfy { $0.count == 64 })
    let tokens = secrets.map { keys.enter($0, at: end) }
    #expect(tokens.compactMap { $0 }.count == ConsoleKeys.limit)
    #expect(Set(tokens.compactMap { $0 }).isDisjoint(with: secrets))
    #expect(keys.isToken(tokens.last.flatMap { $0 } ?? ""))
    #expect(!keys.isToken(secrets.last ?? ""))
  }

  @Test func `without a token nothing is answered, and nothing is revealed`() throws {
    try play { console in
      let token = try #require(console.enter().token)
      let strangers: [[String: String]] = [
        [:], ["Authorization": "Bearer"], ["Authorization": "Bearer \(token)0"],
        ["Authorization": "Basic \(token)"], ["Authorization": token],
        ["Authorization": "Bearer " + String(repeating: "0", count: 64)],
        ["Cookie": "token=\(token)"],
      ]
      for fields in strangers {
        let answers = ["/v1/ping", "/v1/nothing", "/elsewhere"].map { path in
          console.request(path, fields: fields)
        }
        #expect(answers.allSatisfy { $0.status == "401" && !$0.body.contains("pid") })
        #expect(Set(answers.map(\.body)).count == 1)
      }
      #expect(console.request("/v1/ping?token=\(token)").status == "401")
    }
  }

  @Test func `metrics are given to a client with a token, and to nobody else`() throws {
    var routes = ControlRoutes()
    routes.document("/metrics", type: "text/plain") { Array("a 1\n".utf8) }
    let console = try OpenConsole(routes)
    defer { console.port.stop() }
    let token = try #require(console.enter().token)
    let plain = ["Origin": ""]
    let answer = console.request("/metrics", method: "GET", token: token, fields: plain)
    #expect(answer.status == "200" && answer.body == "a 1\n")
    for other in [nil, token + "0"] {
      let refused = console.request("/metrics", method: "GET", token: other, fields: plain)
      #expect(refused.status == "404" && !refused.body.contains("a 1"))
    }
    let evil = ["Origin": "http://evil.example"]
    #expect(
      console.request("/metrics", method: "GET", token: token, fields: evil).status == "403")
  }

  @Test func `a request for another host is refused, whatever it contains`() throws {
    try play { console in
      let token = try #require(console.enter().token)
      let number = String(console.host.split(separator: ":")[1])
      // A request by a name that a stranger controls (DNS rebinding) contains that name.
      let others = ["evil.example", "evil.example:\(number)", "localhost:\(number)", "127.0.0.1"]
      for host in others {
        let fields = ["Host": host, "Origin": "http://\(host)"]
        #expect(console.request("/v1/ping", token: token, fields: fields).status == "421")
        #expect(console.request("/", method: "GET", fields: fields).status == "421")
        #expect(console.enter(fields: fields).token == nil)
      }
      let twice = "GET / HTTP/1.1\r\nHost: \(console.host)\r\nHost: evil.example\r\n"
      #expect(console.exchange(twice + "Connection: close\r\n\r\n").status != "200")
      #expect(console.exchange("GET / HTTP/1.0\r\n\r\n").status != "200")
    }
  }

  @Test func `a request of another page is refused, whatever it contains`() throws {
    try play { console in
      let token = try #require(console.enter().token)
      let others = [
        "http://evil.example", "null", "https://\(console.host)", "http://127.0.0.1",
        "http://localhost:\(console.host.split(separator: ":")[1])",
      ]
      for origin in others {
        let fields = ["Origin": origin]
        #expect(console.request("/v1/ping", token: token, fields: fields).status == "403")
        #expect(console.request("/", method: "GET", fields: fields).status == "403")
      }
      // A request from a form, a link or a picture elsewhere has no origin, and gets nothing.
      let none = ["Origin": ""]
      #expect(console.request("/v1/ping", token: token, fields: none).status == "404")
      #expect(console.request("/v1/ping", method: "GET", token: token).status == "404")
      #expect(console.request("/v1/ping", method: "OPTIONS", token: token).status == "404")
    }
    try play { console in
      #expect(console.enter(fields: ["Origin": "http://evil.example"]).token == nil)
      #expect(console.enter(fields: ["Origin": ""]).token == nil)
      // None of these requests used the secret up.
      #expect(console.enter().token != nil)
    }
  }

  // MARK: Answers

  @Test func `every answer forbids what the page doesn't need`() throws {
    try play { console in
      let token = try #require(console.enter().token)
      let answers = [
        console.request("/", method: "GET", fields: ["Origin": ""]),
        console.request("/console.js", method: "GET"), console.request("/v1/ping", token: token),
        console.request("/v1/nothing", token: token), console.request("/v1/ping"),
        console.request("/nothing", method: "GET"), console.enter("x").0,
      ]
      #expect(answers.map(\.status) == ["200", "200", "200", "404", "401", "404", "403"])
      for answer in answers {
        let policy = try #require(answer.header("content-security-policy"))
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; "))
        #expect(!policy.contains("unsafe") && !policy.contains("http") && !policy.contains("*"))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(answer.header("x-content-type-options") == "nosniff")
        #expect(answer.header("referrer-policy") == "no-referrer")
        #expect(answer.header("cache-control") == "no-store")
        #expect(answer.header("cross-origin-resource-policy") == "same-origin")
        #expect(answer.header("access-control-allow-origin") == nil)
        #expect(answer.header("set-cookie") == nil)
      }
    }
  }

  /// The folder of the page's files in the sources.
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/CairnConsole/Page")

  private static func sources() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: folder.appending(path: $0))) })
  }

  @Test func `the page is small, whole, and asks for nothing from elsewhere`() throws {
    let sources = try Self.sources()
    #expect(Set(sources.keys) == Set(ConsolePage.names.map { $0.isEmpty ? "console.html" : $0 }))
    #expect(sources.values.map(\.count).reduce(0, +) < 250_000)
    try play { console in
      for name in ConsolePage.names {
        let answer = console.request("/" + name, method: "GET")
        #expect(answer.status == "200")
        let type = try #require(answer.header("content-type"))
        let isModule = name.hasSuffix(".js")
        #expect(type.hasPrefix(name.isEmpty ? "text/html" : isModule ? "text/javascript" : ""))
        let source = try #require(sources[name.isEmpty ? "console.html" : name])
        #expect(answer.body == String(decoding: source, as: UTF8.self))
      }
      for name in ["console.html", "../console.js", "//console.js", "console.js/", "%2e", "Page"] {
        #expect(console.request("/" + name, method: "GET").status == "404")
      }
    }
    for (name, bytes) in sources {
      let text = String(decoding: bytes, as: UTF8.self)
        .replacing("xmlns=\"http://www.w3.org/2000/svg\"", with: "")
      #expect(!text.contains("://"), "\(name) names an address")
      let ways = ["innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "style="]
      for way in ways {
        #expect(!text.contains(way), "\(name) has \(way)")
      }
    }
    let page = String(decoding: sources["console.html"] ?? Data(), as: UTF8.self)
    let scripts = page.matches(of: /<script/).count
    #expect(scripts == page.matches(of: /<script type="module" src=/).count)
  }

  @Test func `a page may send the requests of its own modules, and nothing else`() throws {
    let modules = try Self.sources().filter { $0.key.hasSuffix(".js") }.values
      .map { String(decoding: $0, as: UTF8.self) }.joined()
    for name in ConsoleOperations.all {
      #expect(modules.contains("\"\(name)\""), "nothing asks for \(name)")
    }
    let asked = modules.matches(of: /ask\("([a-zA-Z]+)"/).map { String($0.output.1) }
    #expect(asked.count > 50)
    for name in asked { #expect(ConsoleOperations.all.contains(name), "\(name) isn't allowed") }
    // Operations that would keep the port open, end the daemon, or copy files.
    let kept: Set<String> = [
      Control.Join.name, Control.Setup.name, Control.Console.name, Control.Stop.name,
      Control.Fetch.name, Control.PublicPut.name, Control.Recover.name,
      Control.DeviceRecovery.name, Control.DeviceRecoveryTest.name,
      Control.PublicGet.name, Control.PublicExport.name, Control.Purge.name,
    ]
    #expect(ConsoleOperations.all.isDisjoint(with: kept))
    var all = Self.routes()
    all.on(Control.Stop.self) { _, _ in Control.StopReply(pid: 1) }
    #expect(all.only(ConsoleOperations.all).operations.isEmpty)
    #expect(all.only([Control.Ping.name]).work(for: Control.Stop.name) == nil)
  }

  @Test(arguments: HostileClientTests.requests)
  func `half a request and garbage leave the console's port as it was`(request: String) throws {
    try play { console in
      let stranger = try #require(console.connected())
      let bytes = Array(request.utf8)
      // The server may close before it has read everything. A signal must not end the client.
      _ = send(stranger, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      #expect(console.request("/", method: "GET").status == "200")
      close(stranger)
      #expect(console.enter().token != nil)
    }
  }

  // MARK: The port's lifetime

  @Test func `the port closes when nobody uses it, and not before`() async throws {
    let (begun, goOn) = (Signal(), Signal())
    var routes = Self.routes()
    routes.on(Control.Verify.self) { _, _ in
      begun.send()
      _ = goOn.arrives()
      return Control.VerifyReply(zones: 0, commits: 0, chunks: 0, bytes: 0, damage: [])
    }
    let console = try OpenConsole(routes)
    await console.pass(seconds: 299)
    let token = try #require(console.enter().token)
    let waiting = try #require(console.connected())
    let fields = "Host: \(console.host)\r\nOrigin: http://\(console.host)\r\n"
    let request = Array(
      "POST /v1/verify HTTP/1.1\r\n\(fields)Authorization: Bearer \(token)\r\n\r\n".utf8)
    try #require(send(waiting, request, request.count, Int32(MSG_NOSIGNAL)) == request.count)
    try #require(begun.arrives())
    // The page stays open however long an answer takes.
    await console.pass(seconds: 86_400)
    #expect(console.request("/v1/ping", token: token).status == "200")
    goOn.send()
    close(waiting)
    #expect(await console.closesInTime())
    #expect(console.port.invite() == nil)
  }

  @Test func `strangers don't keep the port open, and don't keep others out`() async throws {
    let console = try OpenConsole(Self.routes())
    var strangers: [CInt] = []
    for _ in 0..<64 { strangers.append(try #require(console.connected())) }
    // They are silent. The oldest one makes room for each new connection.
    #expect(console.request("/", method: "GET").status == "200")
    let token = try #require(console.enter().token)
    #expect(console.request("/v1/ping", token: token).status == "200")
    #expect(ServerHome.rest(of: strangers[0]).isEmpty)
    for _ in 0..<64 { strangers.append(try #require(console.connected())) }
    #expect(console.request("/v1/ping", token: token).status == "200")
    for stranger in strangers { close(stranger) }
    #expect(await console.closesInTime())
  }

  @Test func `each time the port is another one, which knows no earlier token`() throws {
    let console = Console(routes: Self.routes())
    defer { console.stop() }
    let (first, second) = (try console.open(), try console.open())
    // While the port is open, each caller gets a secret of their own for the same port.
    #expect(first.port == second.port)
    #expect(OpenConsole.secret(in: first) != OpenConsole.secret(in: second))
    #expect(first.url.hasPrefix("http://127.0.0.1:\(first.port)/#"))
    let other = try OpenConsole(Self.routes())
    defer { other.port.stop() }
    #expect(other.enter(OpenConsole.secret(in: first)).token == nil)
  }
}
