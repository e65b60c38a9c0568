import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnStore
import CairnThreads
import CairnZone
import Logging
import Testing

@testable import CairnDaemon

/// A mount as the rest of the daemon sees it.
struct MountTests {
  private func mount(at path: String = "/trip") throws -> Mount {
    try Self.mount(at: path)
  }

  /// Returns a mount of a new zone. No thread runs it.
  static func mount(at path: String) throws -> Mount {
    let store = MemoryStore()
    let root = try Container.make(in: store, note: "")
    let account = try IdentityLog.begin(
      handle: "ana", name: "Ana", deviceName: "laptop", time: 0
    ).account
    try People(store: store).publish(account)
    let container = try Container(
      store: store, id: root.id, account: account, indexes: IndexFiles(inMemory: {}))
    let zone = try container.privateDatabase.createZone(named: "Trip")
    return Mount(
      zone: zone, of: root.id,
      entry: MountEntry(zone: zone.id, device: account.device.id, path: Array(path.utf8)),
      log: Logger(label: "test"))
  }

  @Test func `a request to an ended mount fails at once`() throws {
    let mount = try mount()
    #expect(mount.mailbox.close().isEmpty)
    let over = #expect(throws: ControlError.self) { try mount.ask { _ in 1 } }
    #expect(over?.code == .operationCancelled && over?.path == Control.Path("/trip"))
    let settled = Waiter<Void>()
    mount.settle(settled)
    #expect(settled.wait(until: Monotonic.now) != nil)
    #expect(mount.stop(forget: true).wait(until: Monotonic.now) != nil)
  }

  @Test func `a request that was queued before the mount ended fails, too`() throws {
    let mount = try mount()
    let failure = Waiter<Bool>()
    #expect(
      PosixThread.run("test") {
        do { try mount.ask { _ in } } catch {
          failure.complete((error as? ControlError)?.code == .operationCancelled)
        }
      })
    for case .ask(let body) in mount.mailbox.take(until: Monotonic.now + 60_000_000_000) {
      body(nil)
    }
    #expect(failure.wait(until: Monotonic.now + 60_000_000_000) == true)
  }

  @Test func `a request with a time limit fails with the message that the engine is busy`() throws {
    let error = #expect(throws: ControlError.self) { try mount().ask(within: 0) { _ in } }
    #expect(error?.code == .timedOut)
  }

  @Test func `paths in a mount are shown from the root on`() throws {
    let mount = try mount()
    #expect(mount.absolute([]) == Control.Path("/trip"))
    #expect(mount.absolute(Array("a/b".utf8)) == Control.Path("/trip/a/b"))
  }
}
