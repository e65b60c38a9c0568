import CairnControl
import CairnThreads
import Foundation
import Glibc
import NIOCore
import NIOEmbedded
import NIOPosix

@testable import CairnDaemon

/// A port of the console with closures in place of a daemon. Time passes only when a test says so.
struct OpenConsole {
  let port: ConsolePort
  let time = NIOAsyncTestingEventLoop()
  /// The host in the form `host:port`.
  let host: String
  private let number: UInt16
  private let secret: String

  init(_ routes: ControlRoutes) throws {
    // On a busy machine, too, a secret only gets as old as a test says.
    let begun = Control.Time.now()
    port = ConsolePort(responder: routes, loop: time, idle: .seconds(300)) { begun }
    guard let pool = BlockingPool() else {
      throw ControlError(.limitExceeded, "There are no threads.")
    }
    try port.open(on: Self.group, pool)
    guard let reply = port.invite() else {
      throw ControlError(.interrupted, "The port closed at once.")
    }
    number = reply.port
    host = "127.0.0.1:\(number)"
    secret = Self.secret(in: reply)
  }

  private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  /// Returns the fragment of an address.
  static func secret(in reply: Control.ConsoleReply) -> String {
    String(reply.url.drop { $0 != "#" }.dropFirst())
  }

  // MARK: Requests of a browser

  /// Sends a request as the page makes it. `fields` replace those of the page. An empty field is
  /// left out.
  func request(
    _ path: String, _ body: String = "{}", method: String = "POST", token: String? = nil,
    fields: [String: String] = [:]
  ) -> Answer {
    var all = [
      "Host": host, "Origin": "http://\(host)", "Connection": "close",
      "Content-Length": "\(body.utf8.count)",
    ]
    if let token { all["Authorization"] = "Bearer \(token)" }
    all.merge(fields) { $1 }
    let head = all.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)\r\n" }.joined()
    return exchange("\(method) \(path) HTTP/1.1\r\n\(head)\r\n\(body)")
  }

  /// The response.
  struct Answer {
    var text: String
    var status: String { String(text.dropFirst("HTTP/1.1 ".count).prefix(3)) }
    var body: String { text.components(separatedBy: "\r\n\r\n").dropFirst().joined() }

    /// Returns the value of a header, or nil if it is missing.
    func header(_ name: String) -> String? {
      let lines = text.components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n")
      return lines.first { $0.lowercased().hasPrefix(name + ":") }
        .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }
  }

  /// Exchanges a secret for a token. The default is the port's own first secret.
  func enter(_ secret: String? = nil, fields: [String: String] = [:]) -> (Answer, token: String?) {
    let answer = request(
      "/enter", "{\"secret\":\"\(secret ?? self.secret)\"}", fields: fields)
    let parts = answer.body.components(separatedBy: "\"token\":\"")
    return (answer, parts.count == 2 ? String(parts[1].prefix(64)) : nil)
  }

  /// Sends these bytes and reads until the server closes.
  func exchange(_ request: String) -> Answer {
    guard let descriptor = connected() else { return Answer(text: "") }
    defer { Glibc.close(descriptor) }
    let bytes = Array(request.utf8)
    _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    return Answer(text: ServerHome.rest(of: descriptor))
  }

  /// Returns a connection that gives up reading after 30 seconds, or nil if nobody listens.
  func connected() -> CInt? {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var patience = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = number.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if isConnected { return descriptor }
    Glibc.close(descriptor)
    return nil
  }

  /// Waits until other threads have reached a condition, for five minutes at most, because a busy
  /// machine may stop them for long. Returns false if the time is over.
  func comesAbout(_ isSo: () async -> Bool) async -> Bool {
    let begun = ContinuousClock.now
    var tries = 0
    repeat {
      if await isSo() { return true }
      tries += 1
      // On a busy machine one try may take minutes, and proves nothing.
    } while tries < 100 || begun.duration(to: .now) < .seconds(300)
    return false
  }

  /// Lets time pass.
  func pass(seconds: Int64) async { await time.advanceTime(by: .seconds(seconds)) }

  /// Lets time pass until nobody listens any more. Returns false if the port stays open.
  func closesInTime() async -> Bool {
    await comesAbout {
      await pass(seconds: 301)
      guard let descriptor = connected() else { return true }
      Glibc.close(descriptor)
      return false
    }
  }
}
