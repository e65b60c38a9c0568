import CairnStore
import CairnZone
import Testing

@testable import CairnReplica

/// Requests that are made ahead. No old answer is used.
struct PrefetchTests {
  private let inner = MemoryStore()
  private let counting: CountingStore
  private let keys: [ObjectKey]

  init() throws {
    counting = CountingStore(DistantStore(inner))
    keys = try (0..<4).map { try #require(ObjectKey("x/\($0)")) }
    _ = try inner.put(keys[0], [1, 2, 3])
    _ = try inner.put(keys[1], ContentPieces.noise(Prefetch.portion))
  }

  @Test func `an answer is given once, and the next look makes a request`() throws {
    var ahead = Prefetch(counting)
    ahead.ask(keys)
    #expect(counting.gets == 4)
    #expect(ahead.take(keys[0]) == .bytes([1, 2, 3]) && ahead.take(keys[2]) == .nothing)
    #expect(ahead.take(keys[0]) == nil && ahead.take(keys[2]) == nil)
    // A beginning is no answer.
    #expect(!ahead.knows(keys[1]) && ahead.take(keys[1]) == nil)
    #expect(ahead.knows(keys[3]))
    // Known objects aren't requested again, and one key alone isn't requested ahead.
    ahead.ask([keys[3], keys[0]])
    #expect(counting.gets == 4 && !ahead.knows(keys[0]))
  }

  @Test func `the oldest answers are dropped, and empty places before taken ones`() throws {
    var ahead = Prefetch(counting)
    ahead.ask(keys)
    ahead.dropFree(except: keys[3])
    #expect(ahead.knows(keys[0]) && !ahead.knows(keys[2]) && ahead.knows(keys[3]))
    ahead.drop([keys[0]])
    #expect(!ahead.knows(keys[0]) && ahead.knows(keys[3]))
    ahead.giveBack(.bytes([1]), keys[0])
    #expect(ahead.take(keys[0]) == .bytes([1]))
    ahead.drop()
    #expect(!ahead.knows(keys[3]))
  }

  @Test func `a failed read is no answer, and a missing object is one`() throws {
    let faulty = FaultyStore(DistantStore(inner))
    var ahead = Prefetch(faulty)
    faulty.fail(call: 1, .before)
    ahead.ask([keys[0], keys[2]])
    #expect(faulty.isSpent && !ahead.knows(keys[0]) && ahead.take(keys[2]) == .nothing)
    let folder = try TemporaryContainer()
    let store = DirectoryStore(root: folder.path)
    _ = try store.put(try #require(ObjectKey("x/0/inside")), [1])
    ahead = Prefetch(DistantStore(store))
    ahead.ask([keys[0], keys[2]])
    guard case .rubbish? = ahead.take(keys[0]) else {
      Issue.record("a folder isn't rubbish")
      return
    }
  }

  @Test func `nothing is requested ahead from a store that answers at once`() throws {
    let near = CountingStore(inner)
    var ahead = Prefetch(near)
    ahead.ask(keys)
    ahead.giveBack(.nothing, keys[2])
    #expect(near.gets == 0 && ahead.width == 1)
    #expect(keys.allSatisfy { !ahead.knows($0) })
  }
}
