import CairnIndex
import CairnStore
import CairnZone
import Synchronization
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// A store may show an entry of a log before the chain of its author.
struct LateIdentityTests {
  /// Ana's view of a zone after the loss of her index, while Bob's chain is hidden.
  private final class Scene {
    let world: ZoneWorld
    let store: HidingStore
    let bob: Zone
    let replica: ZoneReplica

    init() throws {
      world = try ZoneWorld()
      let (ana, bob, accounts) = try world.shared()
      self.bob = bob
      try bob.write("from bob", [1])
      try ana.pull()
      try ana.write("from ana", [2])
      store = HidingStore(world.store, prefix: "users/\(accounts[1].user)/log/")
      replica = try ZoneReplica(
        ana.id, founder: accounts[0].user, owner: accounts[0].user, store: store,
        index: IndexFile(inMemory: .zones), account: accounts[0],
        people: People(store: store), keys: ana.keyring())
    }

    func names() throws -> Set<String> {
      try replica.read { view in
        Set(
          try view.children(of: .root).compactMap {
            try view.record($0)?.place?.name.description
          })
      }
    }

    /// Pulls. The pull has to wait for the author of an entry.
    func expectWait() {
      do {
        _ = try replica.pull()
        Issue.record("an entry by somebody unseen was passed over")
      } catch let error as CloudError {
        #expect(error.code == .zoneBusy && error.isWorthRetrying)
        #expect(error.message.contains("which is unknown"))
      } catch {
        Issue.record("\(error)")
      }
      // It may be a valid entry, so nobody is told to take it away.
      #expect(replica.trouble?.kind == .held && replica.trouble?.isRubbish == false)
    }
  }

  @Test func `an entry waits until its author can be seen, and counts then`() throws {
    let scene = try Scene()
    for _ in 0..<3 { scene.expectWait() }
    // The entries before it are replayed, and those behind it aren't.
    let before = scene.replica.header.sequence
    #expect(before > 0 && before < scene.bob.header.sequence)
    #expect(try scene.names().isEmpty)
    #expect(try LogRepairPlan(scene.replica).planRepair { _ in }.held == nil)
    scene.store.reveal()
    _ = try scene.replica.pull()
    #expect(try scene.names() == ["from bob", "from ana"])
    #expect(scene.replica.trouble == nil)
  }

  @Test func `a missing identity is reported, and no entry is to be taken away for it`() throws {
    let scene = try Scene()
    scene.expectWait()
    let place = "users/\(scene.bob.account.user)/log"
    // Others have gone on behind it, so nobody may take it away.
    let built = try #require(scene.replica.trouble)
    #expect(built.unseen == scene.bob.account.user && built.remedy.contains(place))
    #expect(!built.remedy.contains("--unread") && !built.remedy.contains("take the object away"))
    #expect(!built.remedy.contains("install"))
    #expect(try LogRepairPlan(scene.replica).planRepair(takesUnread: true) { _ in }.held == nil)
    // With nothing behind it, only a person can decide that there is no such author.
    try scene.bob.pull()
    let last = try scene.bob.place(scene.bob.header.sequence)
    try scene.world.store.delete(last)
    scene.expectWait()
    let trouble = try #require(scene.replica.trouble)
    #expect(trouble.holder == .unread && trouble.remedy.contains(place))
    #expect(trouble.remedy.contains("if there is no such person, `cairn repair --unread`"))
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

/// A store that hides some of its objects for now.
final class HidingStore: StoreAround {
  let inner: any ObjectStore
  private let prefix: String
  private let exception: String?
  private let isHiding = Mutex(true)

  /// Creates a store that hides the keys with `prefix`, except those that continue with
  /// `exception`.
  init(_ inner: any ObjectStore, prefix: String, except exception: String? = nil) {
    self.inner = inner
    self.prefix = prefix
    self.exception = exception
  }

  func reveal() { isHiding.withLock { $0 = false } }

  private func hides(_ key: ObjectKey) -> Bool {
    guard isHiding.withLock({ $0 }), key.description.hasPrefix(prefix) else { return false }
    return exception.map { key.description != prefix + $0 } ?? true
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

  func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) { try inner.mend(key, bytes) }

  func prune(_ prefix: String) throws(StoreError) { try inner.prune(prefix) }
}
