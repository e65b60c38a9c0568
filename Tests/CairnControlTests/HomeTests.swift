import CairnControl
import Foundation
import Testing

/// Where things are, and the lock that makes one daemon the only one.
@Suite struct HomeTests {
  @Test func `CAIRN_HOME puts everything under one folder`() throws {
    let home = try Home(environment: ["CAIRN_HOME": "/x/ana/", "HOME": "/home/a"])
    #expect(home.root == "/x/ana")
    #expect(home.configuration == "/x/ana/cairn.conf")
    #expect(home.keys == "/x/ana/keys")
    #expect(home.index == "/x/ana/index")
    #expect(home.log == "/x/ana/log/cairnd.log")
    #expect(home.lock == "/x/ana/cairnd.pid")
    #expect(home.socket == "/x/ana/cairnd.sock")
    #expect(home.folders == ["/x/ana", "/x/ana/keys", "/x/ana/index", "/x/ana/log"])
  }

  @Test func `without it the XDG folders hold`() throws {
    let plain = try Home(environment: ["HOME": "/home/a"])
    #expect(plain.configuration == "/home/a/.config/cairn/cairn.conf")
    #expect(plain.keys == "/home/a/.local/share/cairn/keys")
    #expect(plain.log == "/home/a/.local/state/cairn/log/cairnd.log")
    #expect(plain.socket == "/home/a/.local/share/cairn/cairnd.sock")
    let set = try Home(environment: [
      "HOME": "/home/a", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s",
      "XDG_RUNTIME_DIR": "/run/user/1",
    ])
    #expect(set.configuration == "/c/cairn/cairn.conf")
    #expect(set.index == "/d/cairn/index")
    #expect(set.logs == "/s/cairn/log")
    #expect(set.socket == "/run/user/1/cairn/cairnd.sock")
  }

  @Test(arguments: [["CAIRN_HOME": "relative"], [:], ["HOME": "x"]])
  func `no place is an error`(environment: [String: String]) {
    let error = #expect(throws: ControlError.self) { try Home(environment: environment) }
    #expect(error?.code == .invalidArguments)
  }

  @Test func `a socket's path is never longer than a Unix socket allows`() throws {
    let long = "/" + String(repeating: "a", count: 94)
    let fits = try Home(environment: ["CAIRN_HOME": long])
    #expect(fits.socket == long + "/cairnd.sock")
    let one = try Home(environment: ["CAIRN_HOME": long + "b"])
    let two = try Home(environment: ["CAIRN_HOME": long + "c"])
    #expect(one.socket.utf8.count <= 107)
    #expect(one.socket.hasPrefix("/tmp/cairn-\(getuid())/"))
    #expect(one.socket != two.socket)
    #expect(one.lock == long + "b/cairnd.pid")
  }

  @Test func `one holder at a time, and the next one after it`() throws {
    let folder = "/tmp/cairn-home-" + UUID().uuidString
    let home = try Home(environment: ["CAIRN_HOME": folder])
    try Home.makePrivateFolder(folder)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(HomeLock.holder(of: home) == nil)
    do {
      let lock = try HomeLock(home)
      #expect(HomeLock.holder(of: home) == getpid())
      let error = #expect(throws: ControlError.self) { try HomeLock(home) }
      #expect(error?.code == .alreadyRunning)
      #expect(error?.message.contains("\(getpid())") == true)
      withExtendedLifetime(lock) {}
    }
    HomeLock.waitUntilFree(home)
    #expect(HomeLock.holder(of: home) == nil)
    #expect(throws: Never.self) { _ = try HomeLock(home) }
  }

  @Test func `a folder that is open to others is closed to them`() throws {
    let folder = "/tmp/cairn-home-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    try Home.makePrivateFolder(folder)
    var status = stat()
    #expect(stat(folder, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
  }

  @Test func `a symlink in the place of a private folder is refused`() throws {
    let folder = "/tmp/cairn-home-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: "/tmp")
    let error = #expect(throws: ControlError.self) { try Home.makePrivateFolder(folder) }
    #expect(error?.code == .permissionFailure)
  }
}
