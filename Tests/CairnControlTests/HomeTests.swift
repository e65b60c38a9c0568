import CairnControl
import Foundation
import Testing

/// The places of a home's files, and the lock that admits only one daemon.
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
    #expect(home.paused == "/x/ana/paused.json")
    #expect(home.ended == "/x/ana/ended.json")
    #expect(home.mounts == "/x/ana/mounts.json")
    #expect(home.folders == ["/x/ana", "/x/ana/keys", "/x/ana/index", "/x/ana/log"])
  }

  @Test func `without CAIRN_HOME the XDG folders are used`() throws {
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
    #expect(set.paused == "/d/cairn/paused.json")
    #expect(set.logs == "/s/cairn/log")
    #expect(set.socket == "/run/user/1/cairn/cairnd.sock")
  }

  @Test(arguments: [["CAIRN_HOME": "relative"], [:], ["HOME": "x"]])
  func `an environment without any place is an error`(environment: [String: String]) {
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

  @Test func `the lock has one holder at a time, and then the next one`() throws {
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

  /// Returns a fresh folder's mode after `act`, and the error that `act` throws.
  private func mode(
    _ mode: Int, after act: (String) throws(ControlError) -> Void
  ) throws -> (left: UInt32, error: ControlError?) {
    let folder = "/tmp/cairn-home-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: mode])
    try #require(chmod(folder, mode_t(mode)) == 0)
    var failure: ControlError?
    do throws(ControlError) { try act(folder) } catch { failure = error }
    var status = stat()
    try #require(stat(folder, &status) == 0)
    return (status.st_mode & 0o7777, failure)
  }

  @Test func `a folder that is open to others is refused, and never changed`() throws {
    let found = try mode(0o755) { folder throws(ControlError) in
      try Home.makePrivateFolder(folder)
    }
    #expect(found.left == 0o755 && found.error?.code == .permissionFailure)
    #expect(found.error?.remedy.contains("chmod 700") == true)
  }

  @Test(arguments: [0o755, 0o1777]) func `the folders above a home may have any mode`(
    mode: Int
  ) throws {
    let found = try self.mode(mode) { folder throws(ControlError) in
      let home = try Home(environment: ["CAIRN_HOME": folder + "/x"])
      try home.makeRuntimeFolder()
      try home.makeFolders(withKeys: true)
      var status = stat()
      #expect(stat(home.runtime, &status) == 0 && status.st_mode & 0o7777 == 0o700)
    }
    #expect(found.left == mode && found.error == nil)
  }

  @Test(arguments: [(0o755, true), (0o700, true), (0o775, false), (0o1777, false)])
  func `a home that somebody else made may be readable, but not writable, for others`(
    mode: Int, isUsable: Bool
  ) throws {
    let found = try self.mode(mode) { folder throws(ControlError) in
      let home = try Home(environment: ["CAIRN_HOME": folder])
      try home.makeRuntimeFolder()
      try home.makeFolders(withKeys: true)
      for inner in [home.keys, home.index, home.logs] {
        var status = stat()
        #expect(stat(inner, &status) == 0 && status.st_mode & 0o7777 == 0o700)
      }
    }
    #expect(found.left == mode)
    #expect(found.error?.code == (isUsable ? nil : .permissionFailure))
  }

  @Test(arguments: [("index", true), ("log", true), ("keys", false)])
  func `a copy of a home without its modes is used, except for keys that others can read`(
    name: String, isUsable: Bool
  ) throws {
    let found = try mode(0o700) { folder throws(ControlError) in
      let home = try Home(environment: ["CAIRN_HOME": folder])
      try home.makeFolders(withKeys: true)
      #expect(chmod("\(folder)/\(name)", 0o755) == 0)
      try home.makeFolders(withKeys: true)
    }
    #expect(found.error?.code == (isUsable ? nil : .permissionFailure))
  }

  @Test func `a symlink in the place of a private folder is refused`() throws {
    let folder = "/tmp/cairn-home-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: "/tmp")
    let error = #expect(throws: ControlError.self) { try Home.makePrivateFolder(folder) }
    #expect(error?.code == .permissionFailure)
  }
}
