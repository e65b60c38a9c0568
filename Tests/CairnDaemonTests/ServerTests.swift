import CairnControl
import CairnDaemon
import Glibc
import Synchronization
import Testing

/// Server and client over a real socket, with closures in place of a daemon.
@Suite struct ServerTests {
  private let ping = Control.PingReply(pid: 7, version: "1")

  private func event(_ number: UInt64) -> Control.Event {
    Control.Event(
      number: number, time: Control.Time(nanoseconds: 5), kind: "export.end", mount: nil,
      path: Control.Path([0x2F, 0xFF]), text: "Sent.")
  }

  @Test func `a reply arrives as it was given`() throws {
    var routes = ControlRoutes()
    routes.on(Control.Ping.self) { _, _ in self.ping }
    let served = try ServerHome(routes)
    defer { served.close() }
    let answer = try served.client.call(Control.Ping())
    #expect(answer.reply == ping)
    #expect(String(decoding: answer.json, as: UTF8.self) == #"{"pid":7,"version":"1"}"#)
  }

  @Test func `requests carry names that are not UTF-8`() throws {
    var routes = ControlRoutes()
    routes.on(Control.Remove.self) { request, _ in
      Control.RemoveReply(path: request.path, zone: "z", pendingLocal: 0)
    }
    let served = try ServerHome(routes)
    defer { served.close() }
    let path = Control.Path([0x2F, 0xFF, 0x0A, 0x22])
    #expect(try served.client.call(Control.Remove(path: path)).reply.path == path)
  }

  @Test func `progress and events come before the reply, in order`() throws {
    var routes = ControlRoutes()
    routes.on(Control.Events.self) { _, stream in
      stream.progress(Control.Progress(done: 1, total: 2, unit: "files", what: "Reading"))
      for number in 1...100 { stream.event(self.event(UInt64(number))) }
      return Control.EventsReply(last: 100)
    }
    let served = try ServerHome(routes)
    defer { served.close() }
    var numbers: [UInt64] = []
    var progress = 0
    let answer = try served.client.call(Control.Events(follow: false)) { line in
      switch line.update {
      case .progress(let amount): progress += Int(amount.done)
      case .event(let event): numbers.append(event.number)
      case .status, .problem, .items: Issue.record("nobody sent a status, a problem or a list")
      }
    }
    #expect(numbers == Array(1...100))
    #expect(progress == 1)
    #expect(answer.reply.last == 100)
  }

  @Test func `an error arrives with code, message, remedy and path`() throws {
    let failure = ControlError(
      .permissionFailure, "Bob may not.", remedy: "Ask Ana.", path: Control.Path([0x2F, 0xFE]))
    var routes = ControlRoutes()
    routes.on(Control.Ping.self) { _, _ in throw failure }
    let served = try ServerHome(routes)
    defer { served.close() }
    #expect(throws: failure) { try served.client.call(Control.Ping()) }
  }

  @Test func `an error of another type becomes internalError`() throws {
    struct Odd: Error {}
    var routes = ControlRoutes()
    routes.on(Control.Ping.self) { _, _ in throw Odd() }
    let served = try ServerHome(routes)
    defer { served.close() }
    let error = #expect(throws: ControlError.self) { try served.client.call(Control.Ping()) }
    #expect(error?.code == .internalError)
  }

  @Test func `an operation without a responder is refused, and the server goes on`() throws {
    var routes = ControlRoutes()
    routes.on(Control.Ping.self) { _, _ in self.ping }
    let served = try ServerHome(routes)
    defer { served.close() }
    let error = #expect(throws: ControlError.self) { try served.client.call(Control.WhoAmI()) }
    #expect(error?.code == .invalidArguments)
    #expect(try served.client.call(Control.Ping()).reply == ping)
  }

  @Test(arguments: [
    ("POST /v1/nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", "404"),
    ("POST /elsewhere HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", "404"),
    ("GET /v1/ping HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", "405"),
    ("POST /v1/ping HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", "200"),
    ("nonsense\r\n\r\n", "400"),
  ]) func `plain HTTP is understood`(request: String, status: String) throws {
    var routes = ControlRoutes()
    routes.on(Control.Ping.self) { _, _ in self.ping }
    let served = try ServerHome(routes)
    defer { served.close() }
    #expect(served.exchange(request).hasPrefix("HTTP/1.1 " + status))
  }

  @Test func `a body that is not the operation's JSON is refused with the place`() throws {
    var routes = ControlRoutes()
    routes.on(Control.Remove.self) { _, _ in
      Control.RemoveReply(path: "/", zone: "", pendingLocal: 0)
    }
    let served = try ServerHome(routes)
    defer { served.close() }
    let answer = served.exchange(
      "POST /v1/remove HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}")
    #expect(answer.contains("invalidArguments"))
    #expect(answer.contains("path"))
  }

  @Test func `a body over the limit is refused, and never stored`() throws {
    var routes = ControlRoutes()
    routes.on(Control.Ping.self) { _, _ in self.ping }
    let served = try ServerHome(routes)
    defer { served.close() }
    let body = String(repeating: " ", count: Control.bodyLimit + 1)
    let fields = "host: x\r\nconnection: close\r\ncontent-length: \(body.utf8.count)\r\n"
    let answer = served.exchange("POST /v1/ping HTTP/1.1\r\n" + fields + "\r\n" + body)
    #expect(answer.hasPrefix("HTTP/1.1 413"))
    #expect(answer.contains("limitExceeded"))
  }

  @Test func `two requests in turn on one connection are both answered`() throws {
    var routes = ControlRoutes()
    routes.on(Control.Ping.self) { _, _ in self.ping }
    let served = try ServerHome(routes)
    defer { served.close() }
    let descriptor = served.connected()
    defer { close(descriptor) }
    for _ in 0..<2 {
      let bytes = Array("POST /v1/ping HTTP/1.1\r\nhost: x\r\n\r\n".utf8)
      #expect(write(descriptor, bytes, bytes.count) == bytes.count)
      var answer: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while !String(decoding: answer, as: UTF8.self).hasSuffix("0\r\n\r\n") {
        let count = read(descriptor, &buffer, buffer.count)
        try #require(count > 0)
        answer += buffer[..<count]
      }
      #expect(String(decoding: answer, as: UTF8.self).contains(#"{"reply":{"pid":7"#))
    }
  }

  @Test func `a client that goes away ends the waiting`() throws {
    let began = Signal()
    let gone = Signal()
    var routes = ControlRoutes()
    routes.on(Control.Wait.self) { _, stream in
      stream.onDisconnect { gone.send() }
      began.send()
      guard gone.arrives() else { throw ControlError(.timedOut, "Nobody went away.") }
      gone.send()
      return Control.WaitReply(mounts: [])
    }
    let served = try ServerHome(routes)
    defer { served.close() }
    let descriptor = served.connected()
    let bytes = Array("POST /v1/wait HTTP/1.1\r\nhost: x\r\n\r\n".utf8)
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    #expect(began.arrives())
    close(descriptor)
    #expect(gone.arrives())
  }

  @Test func `a client that does not read is cut off, and holds nobody up`() throws {
    let gone = Signal()
    let done = Signal()
    var routes = ControlRoutes()
    routes.on(Control.Events.self) { _, stream in
      stream.onDisconnect { gone.send() }
      // About 6 MB: more than the server keeps and the socket holds.
      for number in 1...40_000 { stream.event(self.event(UInt64(number))) }
      done.send()
      return Control.EventsReply(last: 0)
    }
    let served = try ServerHome(routes)
    defer { served.close() }
    let descriptor = served.connected()
    defer { close(descriptor) }
    let body = #"{"follow":false}"#
    let length = "content-length: \(body.utf8.count)"
    let head = "POST /v1/events HTTP/1.1\r\nhost: x\r\n\(length)\r\n\r\n"
    let whole = Array((head + body).utf8)
    #expect(write(descriptor, whole, whole.count) == whole.count)
    #expect(gone.arrives())
    #expect(done.arrives())
  }

  @Test func `a list longer than a client's backlog arrives completely, in batches`() throws {
    let change = Control.LogChange(what: "created", text: String(repeating: "x", count: 1_000))
    let entries = (1...6_000).map { number in
      Control.LogEntry(
        zone: "z", title: "t", sequence: UInt64(number), time: Control.Time(nanoseconds: 0),
        changes: [change])
    }
    var routes = ControlRoutes()
    routes.on(Control.Log.self) { _, _ in Control.LogReply(entries: entries) }
    let served = try ServerHome(routes)
    defer { served.close() }
    var json = ListJSON(name: Control.LogReply.listName)
    var bytes: [UInt8] = []
    var longest = 0
    let answer = try served.client.call(Control.Log()) { line in
      longest = max(longest, line.json.count)
      bytes += json.piece(line.json)
    }
    #expect(answer.reply.entries.isEmpty)
    #expect(longest < 1 << 20)
    bytes += json.end(answer.json)
    #expect(try ControlJSON.decode(Control.LogReply.self, from: bytes).entries == entries)
  }

  @Test func `a line of any length arrives completely`() throws {
    let paths = (1...6_000).map { Control.Path("/\($0)" + String(repeating: "x", count: 1_000)) }
    var routes = ControlRoutes()
    routes.on(Control.Status.self) { _, _ in
      Control.StatusReply(
        daemon: Control.DaemonStatus(
          pid: 1, version: "1", startedAt: Control.Time(nanoseconds: 0)),
        account: Control.AccountStatus(
          user: "a1", handle: "ana", name: "Ana", device: "d1", deviceName: "desk"),
        container: Control.ContainerStatus(id: "c", path: "/c", fileSystem: "x", reachable: true),
        mounts: [],
        problems: paths.map {
          Control.Problem(path: $0, code: .quotaExceeded, message: "Full.", remedy: "")
        })
    }
    let served = try ServerHome(routes)
    defer { served.close() }
    #expect(try served.client.call(Control.Status()).reply.problems.map(\.path) == paths)
  }

  @Test func `a list without an end ends with its client`() throws {
    let done = Signal()
    var routes = ControlRoutes()
    routes.on(Control.Stat.self) { _, stream in
      defer { done.send() }
      let status = Control.PathStatus(path: "/x", shared: .no)
      while true { try stream.items([status]) }
    }
    let served = try ServerHome(routes)
    defer { served.close() }
    let descriptor = served.connected()
    let body = try ControlJSON.encode(Control.Stat(paths: []))
    let head = "POST /v1/stat HTTP/1.1\r\nhost: x\r\ncontent-length: \(body.count)\r\n\r\n"
    let whole = Array(head.utf8) + body
    #expect(write(descriptor, whole, whole.count) == whole.count)
    var byte: UInt8 = 0
    #expect(read(descriptor, &byte, 1) == 1)
    close(descriptor)
    #expect(done.arrives())
  }

  @Test func `waiting requests leave room for short ones`() throws {
    let began = Signal()
    let release = Signal()
    var routes = ControlRoutes()
    routes.on(Control.Wait.self) { _, _ in
      began.send()
      _ = release.arrives()
      return Control.WaitReply(mounts: [])
    }
    routes.on(Control.Ping.self) { _, _ in self.ping }
    let served = try ServerHome(routes)
    defer { served.close() }
    let waiting = (0..<12).map { _ in served.connected() }
    let bytes = Array("POST /v1/wait HTTP/1.1\r\nhost: x\r\n\r\n".utf8)
    for descriptor in waiting {
      #expect(write(descriptor, bytes, bytes.count) == bytes.count)
      #expect(began.arrives())
    }
    #expect(try served.client.call(Control.Ping()).reply == ping)
    for _ in waiting { release.send() }
    for descriptor in waiting { close(descriptor) }
  }

  @Test func `more waiting requests than there are threads are refused`() throws {
    let began = Signal()
    let release = Signal()
    var routes = ControlRoutes()
    routes.on(Control.Wait.self) { _, _ in
      began.send()
      _ = release.arrives()
      return Control.WaitReply(mounts: [])
    }
    let served = try ServerHome(routes)
    defer { served.close() }
    let waiting = (0..<64).map { _ in served.connected() }
    let bytes = Array("POST /v1/wait HTTP/1.1\r\nhost: x\r\n\r\n".utf8)
    for descriptor in waiting {
      #expect(write(descriptor, bytes, bytes.count) == bytes.count)
      try #require(began.arrives())
    }
    let error = #expect(throws: ControlError.self) {
      try served.client.call(Control.Wait(path: nil, timeoutSeconds: nil))
    }
    #expect(error?.code == .requestRateLimited)
    for _ in waiting { release.send() }
    for descriptor in waiting { close(descriptor) }
  }

  @Test func `waiting clients learn the end of the server, and the socket is removed`() throws {
    let began = Signal()
    let release = Signal()
    var routes = ControlRoutes()
    routes.on(Control.Wait.self) { _, _ in
      began.send()
      _ = release.arrives()
      return Control.WaitReply(mounts: [])
    }
    let served = try ServerHome(routes)
    let descriptor = served.connected()
    defer { close(descriptor) }
    let bytes = Array("POST /v1/wait HTTP/1.1\r\nhost: x\r\n\r\n".utf8)
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    #expect(began.arrives())
    served.close()
    release.send()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(descriptor, &buffer, buffer.count)
    #expect(String(decoding: buffer[..<max(0, count)], as: UTF8.self).contains("interrupted"))
    #expect(access(served.home.socket, F_OK) != 0)
    let error = #expect(throws: ControlError.self) { try served.client.call(Control.Ping()) }
    #expect(error?.code == .notRunning)
  }

  @Test func `the reply to stop is sent before stop returns`() throws {
    let asked = Signal()
    var routes = ControlRoutes()
    routes.on(Control.Stop.self) { _, _ in
      asked.send()
      return Control.StopReply(pid: 9)
    }
    let served = try ServerHome(routes)
    let descriptor = served.connected()
    defer { close(descriptor) }
    let bytes = Array("POST /v1/stop HTTP/1.1\r\nhost: x\r\n\r\n".utf8)
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    #expect(asked.arrives())
    served.close()
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      answer += buffer[..<count]
    }
    let text = String(decoding: answer, as: UTF8.self)
    #expect(text.contains(#"{"reply":{"pid":9}}"#))
  }

  @Test func `only the user can open the socket`() throws {
    let served = try ServerHome(ControlRoutes())
    defer { served.close() }
    var status = stat()
    #expect(stat(served.home.socket, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(stat(served.folder, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
  }
}
