import CairnThreads
import Glibc
import Synchronization
import Testing

/// A server on the loopback interface that answers each request with bytes without end, or reads
/// no more than the head of a request and never answers.
final class EndlessServer: Sendable {
  /// The answer of the server.
  enum Manner { case endless, deaf }

  let port: UInt16
  private let listener: Int32
  private let count = Mutex(0)
  private let begun = Waiter<Void>()

  /// The number of bytes of bodies that the server could send.
  var sent: Int { count.withLock { $0 } }

  init(_ manner: Manner) throws {
    (listener, port) = try Self.listening()
    let isStarted = PosixThread.run("endless") { [self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        _ = PosixThread.run("endless-answer") { [self] in
          answer(client, manner)
          close(client)
        }
      }
    }
    try #require(isStarted)
  }

  private static func listening() throws -> (listener: Int32, port: UInt16) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | 0o2_000_000, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(listener, raw, size) == 0 && listen(listener, 16) == 0
          && getsockname(listener, raw, &size) == 0
      }
    }
    try #require(isOpen)
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  deinit { close() }

  /// Ends the server.
  func close() { shutdown(listener, Int32(SHUT_RDWR)) }

  /// Waits for the head of a request.
  func awaitRequest() { begun.wait() }

  private func close(_ client: Int32) { _ = Glibc.close(client) }

  private func answer(_ client: Int32, _ manner: Manner) {
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while head.suffix(4) != [13, 10, 13, 10] {
      guard recv(client, &byte, 1, 0) == 1 else { return }
      head.append(byte)
    }
    begun.complete()
    guard manner == .endless else {
      // POLLRDHUP of poll(2), which Swift doesn't import.
      var ended = pollfd(fd: client, events: 0x2000, revents: 0)
      poll(&ended, 1, -1)
      return
    }
    let start = Array("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n".utf8)
    guard send(client, start, start.count, Int32(MSG_NOSIGNAL)) > 0 else { return }
    let bytes = [UInt8](repeating: 7, count: 1 << 16)
    while true {
      let count = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      guard count > 0 else { return }
      self.count.withLock { $0 += count }
    }
  }
}
