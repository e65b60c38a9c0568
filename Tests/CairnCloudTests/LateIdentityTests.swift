import CairnStore
import CairnZone
import Synchronization
import Testing

@testable import CairnCloud

/// A store may show an entry of a log before the chain of the person who wrote it.
struct LateIdentityTests {
  /// What Ana finds in a zone whose index she lost, while Bob's chain isn't shown.
  private final class Scene {
    let world: ZoneWorld
    let store: HidingStore
    let bob: Zone
    let replica: ZoneReplica
    let clock = Clock()

    init() throws {
      world = try ZoneWorld()
      let (ana, bob, accounts) = try world.shared()
      self.bob = bob
      try bob.write("from bob", [1])
      try ana.pull()
      try ana.write("from ana", [2])
      store = HidingStore(world.store, prefix: "users/\(accounts[1].user)/log/")
      let people = People(
        store: store, memory: nil, patience: Patience(now: { [clock] in clock.now }))
      replica = try ZoneReplica(
        ana.id, owner: accounts[0].user, store: store, index: IndexFile(inMemory: {}),
        account: accounts[0], people: people, keys: ana.keyring())
    }

    func names() throws -> Set<String> {
      try replica.read { view in
        Set(
          try view.children(of: .root).compactMap {
            try view.record($0)?.place?.name.description
          })
      }
    }

    /// Pulls, which has to wait for the author of an entry.
    func expectWait() {
      do {
        _ = try replica.pull()
        Issue.record("an entry by somebody unseen was passed over")
      } catch let error as CloudError {
        #expect(error.code == .serviceUnavailable && error.isWorthRetrying)
        #expect(error.message.contains("doesn't show yet who wrote entry"))
      } catch {
        Issue.record("\(error)")
      }
    }
  }

  @Test func `an entry waits until its author can be seen, and counts then`() throws {
    let scene = try Scene()
    scene.expectWait()
    // What came before it is folded; what comes behind it isn't.
    let before = scene.replica.header.sequence
    #expect(before > 0 && before < scene.bob.header.sequence)
    scene.clock.advance(by: Patience.limit - 1)
    scene.expectWait()
    #expect(try scene.names().isEmpty)
    scene.store.reveal()
    let pulled = try scene.replica.pull()
    #expect(pulled.refused.isEmpty)
    #expect(try scene.names() == ["from bob", "from ana"])
  }

  @Test func `an author who never turns up stops nothing for long, and not twice`() throws {
    let scene = try Scene()
    scene.expectWait()
    scene.clock.advance(by: Patience.limit)
    let pulled = try scene.replica.pull()
    #expect(pulled.refused.allSatisfy { $0.code == IndexedZone.unreadable })
    #expect(pulled.refused.count == 2)
    #expect(try scene.names() == ["from ana"])
    // Another entry in the same name isn't waited for.
    try scene.bob.pull()
    try scene.bob.write("more", [3])
    #expect(try scene.replica.pull().refused.count == 1)
  }

  @Test func `strangers are waited for a few times, members once for each length of their chain`() {
    let clock = Clock()
    let patience = Patience(now: { clock.now })
    func isWaitedFor(_ number: UInt8, length: UInt64, isMember: Bool) -> Bool {
      guard let user = UserID(bytes: [UInt8](repeating: number, count: 32)) else { return false }
      guard patience.waits(for: user, length: length, isMember: isMember) else { return false }
      clock.advance(by: Patience.limit)
      #expect(!patience.waits(for: user, length: length, isMember: isMember))
      return true
    }
    let strangers = (0..<10).map { isWaitedFor($0, length: 0, isMember: false) }
    #expect(strangers.prefix { $0 }.count == Patience.strangers)
    #expect(strangers.filter { $0 }.count == Patience.strangers)
    #expect(isWaitedFor(20, length: 1, isMember: true))
    #expect(!isWaitedFor(20, length: 1, isMember: true))
    #expect(isWaitedFor(20, length: 2, isMember: true))
  }

  @Test func `verification waits for nobody`() throws {
    let world = try ZoneWorld()
    let (ana, bob, accounts) = try world.shared()
    try bob.write("from bob", [1])
    try ana.pull()
    let store = HidingStore(world.store, prefix: "users/\(accounts[1].user)/log/")
    let container = try world.open(accounts[0], store: store)
    let zone = try #require(try container.zone(ana.id))
    #expect(throws: CloudError.self) { try zone.pull() }
    let damages = try zone.verify()
    #expect(damages.allSatisfy { !$0.reason.isEmpty })
  }
}

/// A clock that a test sets.
private final class Clock: Sendable {
  private let time = Mutex<Int64>(5)
  var now: Int64 { time.withLock { $0 } }

  func advance(by nanoseconds: Int64) { time.withLock { $0 += nanoseconds } }
}

/// A store that doesn't show some of its objects for now.
private final class HidingStore: ObjectStore {
  private let inner: any ObjectStore
  private let prefix: String
  private let isHiding = Mutex(true)

  init(_ inner: any ObjectStore, prefix: String) {
    self.inner = inner
    self.prefix = prefix
  }

  func reveal() { isHiding.withLock { $0 = false } }

  private func hides(_ key: ObjectKey) -> Bool {
    isHiding.withLock { $0 } && key.description.hasPrefix(prefix)
  }

  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    try inner.put(key, bytes)
  }

  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
    hides(key) ? nil : try inner.get(key)
  }

  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    hides(key) ? nil : try inner.get(key, range: range)
  }

  func size(of key: ObjectKey) throws(StoreError) -> Int? {
    hides(key) ? nil : try inner.size(of: key)
  }

  func list(_ prefix: String, after: ObjectKey?, limit: Int) throws(StoreError) -> [ObjectKey] {
    try inner.list(prefix, after: after, limit: limit).filter { !hides($0) }
  }

  func delete(_ key: ObjectKey) throws(StoreError) { try inner.delete(key) }

  func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) { try inner.mend(key, bytes) }

  func prune(_ prefix: String) throws(StoreError) { try inner.prune(prefix) }

  func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription { try inner.follow(prefix, onHint) }
}
