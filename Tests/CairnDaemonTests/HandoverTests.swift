import CairnControl
import CairnThreads
import Glibc
import Synchronization
import Testing

@testable import CairnDaemon

/// A server hands its socket over to another one, here within one process.
@Suite struct HandoverTests {
  private func routes(_ pid: Int32, _ body: @escaping @Sendable () -> Void = {}) -> ControlRoutes {
    var routes = ControlRoutes()
    routes.on(Control.Ping.self) { _, _ in
      body()
      return Control.PingReply(pid: pid, version: "1")
    }
    return routes
  }

  /// Returns the socket once the server has seen that a client with its answer is gone.
  private func leaving(_ server: ControlServer) -> CInt? {
    for _ in 0..<100_000 {
      if let socket = server.handOver() { return socket }
      sched_yield()
    }
    return nil
  }

  @Test func `a client that asks in between waits, and the next server answers it`() throws {
    let served = try ServerHome(routes(1))
    defer { served.close() }
    #expect(try served.client.call(Control.Ping()).reply.pid == 1)
    let socket = try #require(leaving(served.server))
    // The client is queued. The old server no longer accepts it, and the new one isn't there yet.
    let waiting = served.connected()
    defer { Glibc.close(waiting) }
    let request = Array(
      "POST /v1/ping HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n".utf8)
    #expect(send(waiting, request, request.count, Int32(MSG_NOSIGNAL)) == request.count)
    served.server.stop()

    let next = try ControlServer(home: served.home, responder: routes(2))
    try next.start(takingOver: dup(socket))
    defer { next.stop() }
    #expect(ServerHome.rest(of: waiting).contains(#"{"reply":{"pid":2,"#))
    #expect(try served.client.call(Control.Ping()).reply.pid == 2)
  }

  @Test func `nothing is handed over while a client is answered, or about to ask`() throws {
    let (begun, go) = (Signal(), Signal())
    let served = try ServerHome(
      routes(1) {
        begun.send()
        _ = go.arrives()
      })
    defer { served.close() }
    let silent = served.connected()
    let answer = Mutex<Int32?>(nil)
    let done = Signal()
    let client = served.client
    let isAsking = PosixThread.run("asking") {
      let reply = try? client.call(Control.Ping()).reply
      answer.withLock { $0 = reply?.pid }
      done.send()
    }
    try #require(isAsking && begun.arrives())
    #expect(served.server.handOver() == nil)
    go.send()
    try #require(done.arrives())
    #expect(answer.withLock { $0 } == 1)
    #expect(served.server.handOver() == nil, "somebody is connected who has said nothing yet")
    Glibc.close(silent)
  }

  @Test func `a socket that isn't the home's isn't taken over`() throws {
    let served = try ServerHome(routes(1))
    defer { served.close() }
    let other = try ServerHome(routes(2))
    defer { other.close() }
    let socket = try #require(other.server.handOver())
    #expect(ControlSocket(served.home, takingOver: dup(socket)) == nil)
    let file = open("/dev/null", O_RDWR | O_CLOEXEC)
    #expect(ControlSocket(served.home, takingOver: file) == nil)
    #expect(fcntl(file, F_GETFD) < 0, "it is closed")
  }

  @Test func `only the owner of a lock's descriptor can take the lock over`() throws {
    let served = try ServerHome(routes(1))
    defer { served.close() }
    let lock = try HomeLock(served.home)
    let descriptor = dup(lock.descriptor)
    let next = try #require(HomeLock(served.home, takingOver: descriptor))
    #expect(throws: ControlError.self) { try HomeLock(served.home) }
    #expect(HomeLock(served.home, takingOver: open("/dev/null", O_RDWR | O_CLOEXEC)) == nil)
    withExtendedLifetime((lock, next)) {}
  }
}
