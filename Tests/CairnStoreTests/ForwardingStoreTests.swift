import Synchronization
import Testing

@testable import CairnStore

/// Stores in front of other stores.
struct ForwardingStoreTests {
  /// Counts the requests that it passes on.
  private final class CountingStore: ForwardingStore {
    let store: any ObjectStore = MemoryStore()
    let admitted = Mutex(0)

    func admit() throws(StoreError) -> any ObjectStore {
      admitted.withLock { $0 += 1 }
      return store
    }
  }

  private static let key = ObjectKey(checked: "a/b")

  /// Each request of the protocol that a store can send.
  private static let requests: [@Sendable (any ObjectStore) throws -> Void] = [
    { _ = try $0.put(key, [1]) }, { _ = try $0.get(key) }, { _ = try $0.get(key, range: 0..<1) },
    { _ = try $0.size(of: key) }, { _ = try $0.list("a/", after: nil, limit: 1) },
    { _ = try $0.listed("a/", after: nil, limit: 1) }, { _ = try $0.folders(in: "") },
    { try $0.remove(key, ifIts: [1], upTo: 1) }, { try $0.mend(key, [1]) },
    { try $0.claim("a") }, { try $0.prune("a/") }, { try $0.delete(key) },
    { _ = $0.get(each: [key], range: 0..<1) },
    { _ = $0.look(at: [key], range: 0..<1, in: [], limit: 1) },
  ]

  @Test(arguments: requests.indices)
  func `each request to a forwarding store passes through its own step`(_ number: Int) throws {
    let store = CountingStore()
    try Self.requests[number](store)
    #expect(store.admitted.withLock { $0 } == 1)
  }

  @Test func `a read-only view changes nothing in the store behind`() throws {
    let store = MemoryStore()
    let view = ReadingStore(store)
    _ = try store.put(Self.key, [1])
    let acts: [@Sendable (any ObjectStore) throws -> Void] = [
      { _ = try $0.put(ObjectKey(checked: "a/c"), [1]) }, { try $0.delete(Self.key) },
      { try $0.remove(Self.key, ifIts: [1], upTo: 1) },
      { try $0.remove(Self.key, ifIts: nil, upTo: 1) }, { try $0.mend(Self.key, [2]) },
    ]
    for act in acts {
      for view in [view as any ObjectStore, view.part("x")] {
        let error = try #require(throws: StoreError.self) { try act(view) }
        #expect(error.code == .denied)
      }
    }
    try view.claim("d")
    try view.prune("a/")
    #expect(try store.list("", after: nil, limit: 9) == [Self.key])
    #expect(try view.get(Self.key) == [1])
  }
}
