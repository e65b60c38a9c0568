import CairnControl
import CairnDaemon
import Foundation
import Testing

/// Commands find a daemon that was started in another session.
struct SocketPlaceTests {
  @Test func `a daemon is found without its XDG_RUNTIME_DIR, as long as it runs`() throws {
    let folder = "/tmp/cairn-place-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let session = try Home(environment: ["HOME": folder, "XDG_RUNTIME_DIR": folder + "/run"])
    let cron = try Home(environment: ["HOME": folder])
    try #require(session.socket != cron.socket)
    try session.makeFolders(withKeys: false)
    try cron.makeRuntimeFolder()
    var routes = ControlRoutes()
    routes.on(Control.Ping.self) { _, _ in Control.PingReply(pid: 7, version: "1") }
    let server = try ControlServer(home: session, responder: routes)
    do {
      let lock = try HomeLock(session)
      try server.start()
      #expect(HomeLock.socket(of: cron) == session.socket)
      #expect(try ControlClient(home: cron).call(Control.Ping()).reply.pid == 7)
      #expect(try DaemonLauncher.ensureRunning(cron) == .wasRunning)
      withExtendedLifetime(lock) {}
    }
    // The pointer that an ended daemon left there leads nowhere.
    HomeLock.waitUntilFree(session)
    #expect(HomeLock.socket(of: cron) == nil)
    let error = #expect(throws: ControlError.self) {
      try ControlClient(home: cron).call(Control.Ping())
    }
    #expect(error?.code == .notRunning && error?.message.contains(cron.socket) == true)
    server.stop()
  }
}
