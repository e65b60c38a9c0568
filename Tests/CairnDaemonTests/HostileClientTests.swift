import CairnControl
import CairnDaemon
import Glibc
import Testing

/// A client that breaks the rules of HTTP, or its own announcement. It harms only itself.
@Suite struct HostileClientTests {
  private func served() throws -> ServerHome {
    var routes = ControlRoutes()
    routes.on(Control.Ping.self) { _, _ in Control.PingReply(pid: 7, version: "1") }
    routes.on(Control.Wait.self) { request, _ in
      Control.WaitReply(mounts: [])
    }
    return try ServerHome(routes)
  }

  /// The bytes that a client writes before it goes away, or waits for an answer.
  static let requests: [String] = [
    "", "\r\n", "\0", "POST", "POST /v1/ping", "POST /v1/ping HTTP/1.1\r\n",
    "POST /v1/ping HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{}",
    "POST /v1/ping HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
    "POST /v1/ping HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999999999999\r\n\r\n",
    "POST /v1/ping HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
    "POST /v1/ping HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n",
    "POST /v1/ping HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    "GET /v1/ping HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
    "CONNECT x:1 HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "POST /v1/ping HTTP/9.9\r\nhost: x\r\n\r\n",
    "POST /v1/ping HTTP/1.1\r\nhost: x\r\nx: \(String(repeating: "y", count: 200_000))\r\n\r\n",
    "POST /\(String(repeating: "y", count: 200_000)) HTTP/1.1\r\nhost: x\r\n\r\n",
    "POST /v1/ping HTTP/1.1\r\nhost: x\r\n\r\n" + String(repeating: "garbage\r\n", count: 1_000),
    "POST /v1/nothing HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n",
    String(repeating: "POST /v1/ping HTTP/1.1\r\nhost: x\r\n\r\n", count: 50),
  ]

  @Test(arguments: requests)
  func `half a request, garbage and more than was asked for leave the server as it was`(
    request: String
  ) throws {
    let served = try served()
    defer { served.close() }
    let descriptor = served.connected()
    let bytes = Array(request.utf8)
    // The server may close before it has read everything. A signal must not end the client.
    _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    // The server answers while that client is there, and when it has gone without reading anything.
    #expect(try served.client.call(Control.Ping()).reply.pid == 7)
    close(descriptor)
    #expect(try served.client.call(Control.Ping()).reply.pid == 7)
  }

  @Test func `very many silent clients hold nobody up`() throws {
    let served = try served()
    defer { served.close() }
    let descriptors = (0..<200).map { _ in served.connected() }
    defer { for descriptor in descriptors { close(descriptor) } }
    let answer = served.exchange(
      "POST /v1/ping HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
    #expect(answer.contains("\"pid\":7"))
  }

  static let bodies = [
    "", "{", "[]", "null", "{\"timeoutSeconds\":1e400}", "{\"timeoutSeconds\":\"x\"}",
    "{\"path\":{\"base64\":\"!\"}}", "{\"path\":\"a\\u0000b\"}", "\u{FEFF}{}",
    String(repeating: "[", count: 100_000), String(repeating: "{\"path\":", count: 100_000),
    "{\"path\":\"\(String(repeating: "x", count: 1_000_000))\"}",
  ]

  @Test(arguments: bodies) func `a body that is no request is refused with a sentence`(
    body: String
  ) throws {
    let served = try served()
    defer { served.close() }
    let fields = "host: x\r\nconnection: close\r\ncontent-length: \(body.utf8.count)\r\n"
    let answer = served.exchange("POST /v1/wait HTTP/1.1\r\n" + fields + "\r\n" + body)
    let isRefused =
      answer.contains("invalidArguments")
      && (answer.contains("can't be read") || answer.contains("is not an absolute path"))
    let isAnswered = answer.contains("\"reply\"")
    #expect(isRefused != isAnswered, "\(answer.prefix(300))")
    #expect(try served.client.call(Control.Ping()).reply.pid == 7)
  }
}
