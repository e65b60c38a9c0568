import CairnThreads
import Synchronization
import Testing

@testable import CairnStore

/// Requests that are under way together.
struct FlightTests {
  /// Answers nobody before eight ask at the same time, and then fails for one of them.
  private final class FarStore: StoreAround {
    let flight = 8
    let inner = MemoryStore()
    private let asking = Monitor(0)
    private static let patience: Int64 = 30_000_000_000

    func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
      asking.change { $0 += 1 }
      let deadline = Monotonic.now + Self.patience
      guard asking.wait(until: deadline, for: { $0 >= 8 ? true : nil }) != nil else {
        throw StoreError(code: .unreachable, key: key, cause: "asked one after the other")
      }
      if key.description == "x/5" { throw StoreError(code: .denied, key: key, cause: "not this") }
      return try inner.get(key, range: range)
    }
    func get(each keys: [ObjectKey], range: Range<Int>) -> [Result<[UInt8]?, StoreError>] {
      getInFlights(keys, range: range)
    }
  }

  /// Deletes nothing before eight ask for that at the same time, and lets nobody race before four
  /// do.
  private final class WideStore: StoreAround {
    let flight = 8
    let widest = Mutex(0)
    let inner = MemoryStore()
    private let racing = Monitor(0)
    private let asking = Monitor(0)

    func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
      // The first one is put twice, by one.
      if !key.description.hasSuffix("-0") { try wait(racing, 4, key) }
      return try inner.put(key, bytes)
    }

    func get(each keys: [ObjectKey], range: Range<Int>) -> [Result<[UInt8]?, StoreError>] {
      widest.withLock { $0 = max($0, keys.count) }
      return inner.get(each: keys, range: range)
    }
    func delete(_ key: ObjectKey) throws(StoreError) {
      try wait(asking, 8, key)
      try inner.delete(key)
    }

    private func wait(
      _ crowd: Monitor<Int>, _ count: Int, _ key: ObjectKey
    ) throws(StoreError) {
      crowd.change { $0 += 1 }
      let deadline = Monotonic.now + 30_000_000_000
      guard crowd.wait(until: deadline, for: { $0 >= count ? true : nil }) != nil else {
        throw StoreError(code: .unreachable, key: key, cause: "one after the other")
      }
    }
  }

  @Test func `a probe races for two keys at a time, and reads and deletes in flights`() throws {
    let store = WideStore()
    try StoreProbe.check(store, writers: 2, keys: 10)
    #expect(store.widest.withLock { $0 } == 10)
    #expect(try store.list("", after: nil, limit: 1).isEmpty)
  }

  @Test func `a file system of another machine has room for several calls`() {
    // linux/magic.h: NFS, SMB, FUSE; ext4, tmpfs.
    for magic in [0x6969, 0xFE53_4D42, 0x6573_5546] as [UInt64] {
      #expect(FileSystemName(magic: magic).flight >= 8)
    }
    for magic in [0xEF53, 0x0102_1994] as [UInt64] {
      #expect(FileSystemName(magic: magic).flight == 1)
    }
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    #expect(DirectoryStore(root: folder.path + "/away").flight == 1)
    #expect(DirectoryStore(root: folder.path).flight >= 1)
  }

  @Test func `eight are under way together, and one that fails is one`() throws {
    let traffic = Traffic(date: { 5 })
    // A layer in front of a store passes on its number of parallel requests; so do all of them
    // together, as in a daemon.
    let fronts: [(any ObjectStore) -> any ObjectStore] = [
      { ReadingStore($0) },
      { AskingStore($0, owner: nil, isTold: true, isFolder: true, longest: 60) },
      { TrafficStore($0, traffic, .line) },
      { TrafficStore($0, traffic, .parts).part("one") },
      { far in
        let line = TrafficStore(far, traffic, .line)
        let asking = AskingStore(line, owner: nil, isTold: true, isFolder: true, longest: 60)
        return TrafficStore(asking, traffic, .parts).part("one")
      },
    ]
    let keys = try (0..<20).map { try key("x/\($0)") }
    for front in fronts {
      let far = FarStore()
      for (number, key) in keys.enumerated() where number % 2 == 1 {
        _ = try far.put(key, [UInt8(number)])
      }
      let store = front(far)
      #expect(store.flight == 8)
      for (number, answer) in store.get(each: keys, range: 0..<10).enumerated() {
        switch number {
        case 5: #expect(throws: StoreError.self) { try answer.get() }
        case _ where number % 2 == 1: #expect(try answer.get() == [UInt8(number)])
        default: #expect(try answer.get() == nil)
        }
      }
      if let asking = store as? AskingStore { #expect(asking.requests == 20) }
    }
  }
}
