import CairnThreads
import Synchronization
import Testing

@testable import CairnStore

/// Nothing passes that its person has paused.
struct TrafficStoreTests {
  private func pauses(_ change: (inout Traffic.Pauses) -> Void) -> Traffic.Pauses {
    var pauses = Traffic.Pauses()
    change(&pauses)
    return pauses
  }

  private func isRefused(_ body: () throws -> Void) throws -> Bool {
    do {
      try body()
      return false
    } catch let error as StoreError {
      return error.code == .paused && error.isWorthRetrying
    }
  }

  /// The requests to a store.
  private static let questions: [@Sendable (any ObjectStore, ObjectKey) throws -> Void] = [
    { store, key in _ = try store.put(key, [1]) },
    { store, key in _ = try store.get(key) },
    { store, key in _ = try store.get(key, range: 0..<1) },
    { store, key in
      for answer in store.get(each: [key, key], range: 0..<1) { _ = try answer.get() }
    },
    { store, key in _ = try store.size(of: key) },
    { store, key in _ = try store.list("", after: nil, limit: 1) },
    { store, key in _ = try store.folders(in: "a/") },
    { store, key in try store.delete(key) },
    { store, key in try store.remove(key, ifIts: nil, upTo: 1) },
    { store, key in try store.mend(key, [2]) },
    { store, key in try store.claim("a") },
    { store, key in try store.prune("a/") },
  ]

  @Test func `while all is paused nothing is asked of the store, and then everything is`() throws {
    let inner = MemoryStore()
    let object = try key("a/b")
    let traffic = Traffic(
      pauses: pauses { $0.all = Traffic.Pause(since: 1, until: nil) }, date: { 5 })
    let store = TrafficStore(inner, traffic, .line)
    for ask in Self.questions {
      #expect(try isRefused { try ask(store, object) })
    }
    #expect(try inner.list("", after: nil, limit: 9).isEmpty)
    traffic.set(Traffic.Pauses())
    for ask in Self.questions {
      #expect(try !isRefused { try ask(store, object) })
    }
  }

  @Test func `a part is paused by itself, with all it asks`() throws {
    let object = try key("a/b")
    let traffic = Traffic(date: { 5 })
    let line = TrafficStore(MemoryStore(), traffic, .line)
    let store = TrafficStore(line, traffic, .parts)
    traffic.set(pauses { $0.parts["one"] = Traffic.Pause(since: 1, until: nil) })
    for ask in Self.questions {
      #expect(try isRefused { try ask(store.part("one"), object) })
      #expect(try !isRefused { try ask(store.part("two"), object) })
      #expect(try !isRefused { try ask(store, object) })
    }
    #expect(traffic.pause(of: "one")?.since == 1)
    #expect(traffic.pause(of: nil) == nil && traffic.pause(of: "two") == nil)
    traffic.set(pauses { $0.all = Traffic.Pause(since: 2, until: nil) })
    #expect(try isRefused { _ = try store.part("two").get(object) })
    #expect(try isRefused { _ = try store.get(object) })
  }

  @Test func `a pause ends by the clock`() throws {
    let clock = Clock()
    var both = pauses { $0.all = Traffic.Pause(since: 1, until: 20) }
    both.parts["one"] = Traffic.Pause(since: 1, until: 30)
    #expect(both.end == 20)
    let traffic = Traffic(pauses: both, date: { clock.date.withLock { $0 } })
    #expect(traffic.pause(of: "two") != nil)
    clock.date.withLock { $0 = 20 }
    #expect(traffic.pause(of: "two") == nil && traffic.pause(of: "one") != nil)
    #expect(traffic.pauses.end == 30)
    clock.date.withLock { $0 = 30 }
    #expect(traffic.pauses.isEmpty)
  }

  private final class Clock: Sendable {
    let date = Mutex<Int64>(10)
  }

  @Test func `a small object passes the large ones that a limit holds back`() throws {
    let bulk = try key("packs/a")
    let traffic = Traffic(
      limits: .init(upload: 1_024, download: 1_024),
      isBulk: { $0.description.hasPrefix("packs/") }, date: { 5 })
    let store = TrafficStore(MemoryStore(), traffic, .line)
    let hour = [UInt8](repeating: 1, count: 1_024 * 3_600)
    #expect(try store.put(bulk, hour) == .stored)
    #expect(try store.get(bulk)?.count == hour.count)
    // Neither waits for the hour.
    #expect(try store.put(key("log/1"), [1]) == .stored)
    #expect(try store.get(key("log/1")) == [1])
    // The next large one does: also for a small one's bytes.
    traffic.end()
    for ask in [
      { _ = try store.put(key("packs/b"), [1]) }, { _ = try store.get(bulk) },
    ] {
      #expect(throws: StoreError.self) { try ask() }
    }
    // A small one waits for what other small ones sent.
    #expect(try store.put(key("log/2"), hour) == .stored)
    #expect(throws: StoreError.self) { _ = try store.put(key("log/3"), [1]) }
  }

  @Test func `a waiting object goes when its limit is taken away, and other limits stay`() throws {
    let traffic = Traffic(limits: .init(upload: 1_024, download: 1_024), date: { 5 })
    let store = TrafficStore(MemoryStore(), traffic, .line)
    let hour = [UInt8](repeating: 1, count: 1_024 * 3_600)
    let object = try key("a/b")
    #expect(try store.put(object, hour) == .stored)
    #expect(try store.get(object)?.count == hour.count)
    let next = BackgroundTask<StoreError?> {
      do throws(StoreError) { _ = try store.put(ObjectKey(checked: "c"), [1]) } catch {
        return error
      }
      return nil
    }
    traffic.set(Traffic.Limits(download: 1_024))
    #expect(try next.wait() == nil)
    #expect(traffic.limits == Traffic.Limits(download: 1_024))
    traffic.end()
    #expect(throws: StoreError.self) { _ = try store.get(object) }
  }

  @Test func `who waits for their turn is let go when it is paused, and when it ends`() throws {
    let object = try key("a/b")
    for isPaused in [true, false] {
      let traffic = Traffic(limits: .init(upload: 1_024, download: 1_024), date: { 5 })
      let store = TrafficStore(MemoryStore(), traffic, .line)
      // An hour's worth, which is paid for by what comes next.
      #expect(try store.put(object, [UInt8](repeating: 1, count: 1_024 * 3_600)) == .stored)
      let next = BackgroundTask<StoreError?> {
        do throws(StoreError) { _ = try store.put(ObjectKey(checked: "c"), [1]) } catch {
          return error
        }
        return nil
      }
      if isPaused {
        traffic.set(pauses { $0.all = Traffic.Pause(since: 1, until: nil) })
      } else {
        traffic.end()
      }
      #expect(try next.wait()?.code == (isPaused ? .paused : .unreachable))
      // The other way is another one.
      traffic.set(Traffic.Pauses())
      #expect(try store.get(object)?.count == 1_024 * 3_600)
      traffic.end()
      #expect(throws: StoreError.self) { _ = try store.get(object) }
    }
  }
}
