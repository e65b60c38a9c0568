import CairnControl
import Foundation
import Testing

/// A daemon that listens, and accepts no more connections for now.
struct BusyDaemonTests {
  @Test func `clients beyond the backlog are told that it is busy, not that it is gone`() throws {
    let folder = "/tmp/cairn-busy-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let home = try Home(environment: ["CAIRN_HOME": folder])
    try home.makeRuntimeFolder()
    let absent = #expect(throws: ControlError.self) {
      try ControlClient(home: home).call(Control.Status())
    }
    #expect(absent?.code == .notRunning)

    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: home.socket.utf8) }
    func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }
    try #require(with { bind(listener, $0, $1) } == 0 && listen(listener, 0) == 0)
    // As many connections as the system lets wait.
    var waiting: [Int32] = []
    defer { for client in waiting { close(client) } }
    var isFull = false
    while !isFull, waiting.count < 100 {
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
      let client = socket(AF_UNIX, kind, 0)
      waiting.append(client)
      isFull = with { connect(client, $0, $1) } != 0 && errno == EAGAIN
    }
    try #require(isFull)
    let busy = #expect(throws: ControlError.self) {
      try ControlClient(home: home).call(Control.Status())
    }
    #expect(busy?.code == .serviceUnavailable)
    #expect(busy?.message.contains("too busy") == true)
  }
}
