import Foundation
import Synchronization
import Testing

@testable import CairnControl

/// A stranger listens in the place of this user's daemon, and gets nothing.
struct StrangersDaemonTests {
  /// A socket at a home's place. It accepts all connections on a thread of its own, and counts the
  /// bytes that each one sends before it ends.
  private final class Listener: Sendable {
    private let descriptor: CInt
    private let received = Mutex<[Int]>([])
    private let done = DispatchSemaphore(value: 0)

    init(at path: String) throws {
      descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(result == 0 && listen(descriptor, 8) == 0)
      Thread.detachNewThread { [self] in
        while true {
          let connection = accept(descriptor, nil, nil)
          guard connection >= 0 else { break }
          var buffer = [UInt8](repeating: 0, count: 4_096)
          let count = read(connection, &buffer, buffer.count)
          close(connection)
          received.withLock { $0.append(count) }
        }
        done.signal()
      }
    }

    /// Ends the listener. Returns the number of bytes from each connection.
    func end() -> [Int] {
      shutdown(descriptor, Int32(SHUT_RDWR))
      done.wait()
      close(descriptor)
      return received.withLock { $0 }
    }
  }

  private func inFolder(_ mode: Int, _ body: (String) throws -> Void) throws {
    let folder = "/tmp/cairn-stranger-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: mode])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try #require(chmod(folder, mode_t(mode)) == 0)
    try body(folder)
  }

  private let secret = Control.ShareAccept(invitation: "cairn:share/secret")

  @Test func `a link isn't sent to a daemon of another user`() throws {
    try inFolder(0o700) { folder in
      let home = try Home(environment: ["CAIRN_HOME": folder])
      let listener = try Listener(at: home.socket)
      let error = #expect(throws: ControlError.self) {
        try ControlClient(home: home, user: geteuid() + 1).call(secret)
      }
      #expect(error?.code == .permissionFailure)
      #expect(error?.message.contains("user \(geteuid())") == true)
      #expect(listener.end() == [0])
    }
  }

  @Test func `no daemon is asked in a folder that others may write to`() throws {
    try inFolder(0o777) { folder in
      let home = try Home(environment: ["CAIRN_HOME": folder])
      let listener = try Listener(at: home.socket)
      let error = #expect(throws: ControlError.self) { try ControlClient(home: home).call(secret) }
      #expect(error?.code == .permissionFailure)
      let launching = #expect(throws: ControlError.self) {
        try DaemonLauncher.ensureRunning(home)
      }
      #expect(launching?.code == .permissionFailure)
      #expect(listener.end() == [])
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(names == ["cairnd.sock"])
    }
  }

  @Test func `no daemon is asked through a link in the place of the socket's folder`() throws {
    try inFolder(0o700) { folder in
      let own = folder + "/own"
      try Home.makePrivateFolder(own)
      let listener = try Listener(at: own + "/cairnd.sock")
      let runtime = folder + "/run"
      try Home.makePrivateFolder(runtime)
      try FileManager.default.createSymbolicLink(
        atPath: runtime + "/cairn", withDestinationPath: own)
      let home = try Home(environment: ["HOME": folder, "XDG_RUNTIME_DIR": runtime])
      let error = #expect(throws: ControlError.self) { try ControlClient(home: home).call(secret) }
      #expect(error?.code == .permissionFailure)
      #expect(listener.end() == [])
    }
  }
}
