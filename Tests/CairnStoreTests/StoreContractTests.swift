import CairnThreads
import Glibc
import Synchronization
import Testing

@testable import CairnStore

@Suite struct StoreContractTests {
  @Test(arguments: TestedStore.allCases)
  func `an object comes back as it was put`(_ kind: TestedStore) throws {
    let (store, folder) = kind.make()
    defer { withExtendedLifetime(folder) {} }
    let large = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    #expect(try store.put(key("a/b/empty"), []) == .stored)
    #expect(try store.put(key("large"), large) == .stored)
    #expect(try store.get(key("a/b/empty")) == [])
    #expect(try store.get(key("large")) == large)
    #expect(try store.size(of: key("large")) == large.count)
    #expect(try store.size(of: key("a/b/empty")) == 0)
  }

  @Test(arguments: TestedStore.allCases)
  func `what is not there is nil`(_ kind: TestedStore) throws {
    let (store, folder) = kind.make()
    defer { withExtendedLifetime(folder) {} }
    #expect(try store.put(key("a/b"), [1]) == .stored)
    for absent in ["c", "a/c", "c/d/e", "a/b/c"] {
      #expect(try store.get(key(absent)) == nil)
      #expect(try store.get(key(absent), range: 0..<1) == nil)
      #expect(try store.size(of: key(absent)) == nil)
      try store.delete(key(absent))
    }
    #expect(try store.get(key("a/b")) == [1])
  }

  @Test(arguments: TestedStore.allCases)
  func `a range is cut where the object ends`(_ kind: TestedStore) throws {
    let (store, folder) = kind.make()
    defer { withExtendedLifetime(folder) {} }
    let object = try key("x")
    _ = try store.put(object, bytes("0123456789"))
    #expect(try store.get(object, range: 2..<5) == bytes("234"))
    #expect(try store.get(object, range: 8..<20) == bytes("89"))
    #expect(try store.get(object, range: 10..<20) == [])
    #expect(try store.get(object, range: 50..<60) == [])
    #expect(try store.get(object, range: 0..<Int.max) == bytes("0123456789"))
    #expect(try store.get(object, range: 3..<3) == [])
  }

  @Test(arguments: TestedStore.allCases)
  func `several objects come in the order in which they were asked for`(
    _ kind: TestedStore
  ) throws {
    let (store, folder) = kind.make()
    defer { withExtendedLifetime(folder) {} }
    let keys = try (0..<40).map { try key("x/\($0)") }
    for (number, key) in keys.enumerated() where number % 3 != 0 {
      _ = try store.put(key, bytes("object \(number)"))
    }
    let found = store.get(each: keys, range: 0..<9)
    #expect(found.count == 40 && store.flight >= 1)
    for (number, answer) in found.enumerated() {
      let there = number % 3 == 0 ? nil : bytes("object \(number)").prefix(9).map { $0 }
      #expect(try answer.get() == there)
    }
    #expect(store.get(each: [], range: 0..<1).isEmpty)
  }

  @Test(arguments: TestedStore.allCases)
  func `put twice keeps the first bytes`(_ kind: TestedStore) throws {
    let (store, folder) = kind.make()
    defer { withExtendedLifetime(folder) {} }
    #expect(try store.put(key("zones/a"), bytes("first")) == .stored)
    #expect(try store.put(key("zones/a"), bytes("second")) == .exists)
    #expect(try store.put(key("zones/a"), bytes("first")) == .exists)
    #expect(try store.get(key("zones/a")) == bytes("first"))
    try store.delete(key("zones/a"))
    #expect(try store.get(key("zones/a")) == nil)
    #expect(try store.put(key("zones/a"), bytes("second")) == .stored)
  }

  @Test(arguments: TestedStore.withFolders)
  func `an object and a folder of one name refuse each other`(_ kind: TestedStore) throws {
    let (store, folder) = kind.make()
    defer { withExtendedLifetime(folder) {} }
    _ = try store.put(key("a/b"), [1])
    for text in ["a", "a/b/c", "a/b/c/d"] {
      let error = #expect(throws: StoreError.self) { try store.put(key(text), [2]) }
      #expect(error?.code == .unsupported)
    }
  }

  @Test(arguments: TestedStore.allCases)
  func `a list is in byte order, goes into folders, and pages`(_ kind: TestedStore) throws {
    let (store, folder) = kind.make()
    defer { withExtendedLifetime(folder) {} }
    let all = [
      "a-b", "a.c/x", "a/0", "a/00/1", "a/00/2", "a/1", "a0", "ab/c/d/e", "b", "zones/1/log/1",
    ]
    for text in all.shuffled() { _ = try store.put(key(text), bytes(text)) }
    func list(_ prefix: String, _ after: String? = nil, _ limit: Int = 100) throws -> [String] {
      try store.list(prefix, after: after.map(key), limit: limit).map(\.description)
    }
    #expect(try list("") == all)
    #expect(try list("a/") == ["a/0", "a/00/1", "a/00/2", "a/1"])
    #expect(try list("a/0") == ["a/0", "a/00/1", "a/00/2"])
    #expect(try list("a") == Array(all.prefix(8)))
    #expect(try list("b") == ["b"])
    #expect(try list("b/") == [])
    #expect(try list("nothing/here/") == [])
    #expect(try list("Not/a/key/") == [])
    #expect(try list("", "a/00/1") == Array(all[4...]))
    #expect(try list("", "a/00") == Array(all[3...]))
    #expect(try list("a/", "a/05") == ["a/1"])
    #expect(try list("", "zz") == [])
    #expect(try list("", nil, 0) == [])
    var paged: [String] = []
    while case let page = try list("", paged.last, 3), !page.isEmpty {
      #expect(page.count <= 3)
      paged += page
    }
    #expect(paged == all)
  }

  @Test(arguments: TestedStore.allCases)
  func `the folders in a folder are told by their names, whatever they hold`(
    _ kind: TestedStore
  ) throws {
    let (store, folder) = kind.make()
    defer { withExtendedLifetime(folder) {} }
    let long = String(repeating: "l", count: 255)
    for text in [
      "u/a-b/x", "u/a/0", "u/a/z/z", "u/a0", "u/a00/x", "u/b.c", "u/z/y/x/w", "u/\(long)/1",
      "u/\(long)/2", "uu/c/x", "v",
    ] {
      _ = try store.put(key(text), [1])
    }
    #expect(try store.folders(in: "u/") == ["a", "a-b", "a00", long, "z"])
    #expect(try store.folders(in: "u/z/y/") == ["x"])
    #expect(try store.folders(in: "u/a0/") == [])
    #expect(try store.folders(in: "nothing/") == [])
  }

  @Test(arguments: TestedStore.allCases)
  func `of eight racing writers one wins, and nobody reads a torn object`(
    _ kind: TestedStore
  ) throws {
    let (store, folder) = kind.make()
    defer { withExtendedLifetime(folder) {} }
    let keys = try (0..<50).map { try key("race/\($0 / 10)/\($0)") }
    let wins = Mutex<[[UInt8]]>(Array(repeating: [], count: keys.count))
    let problems = Mutex<[String]>([])
    let size = 5000
    // Writers 0 to 7; 8 reads what they write, until it has seen every key.
    PosixThread.race(9) { thread in
      do throws(StoreError) {
        for (index, key) in keys.enumerated() {
          let mine = UInt8(thread)
          if thread < 8 {
            let outcome = try store.put(key, [UInt8](repeating: mine, count: size))
            if outcome == .stored { wins.withLock { $0[index].append(mine) } }
            continue
          }
          var seen: [UInt8]?
          while seen == nil { seen = try store.get(key) }
          if seen?.count != size || Set(seen ?? []).count != 1 {
            problems.withLock { $0.append("torn: \(key)") }
          }
        }
      } catch {
        problems.withLock { $0.append(error.cause) }
      }
    }
    #expect(problems.withLock { $0 } == [])
    for (index, winners) in wins.withLock({ $0 }).enumerated() {
      #expect(winners.count == 1)
      #expect(try store.get(keys[index])?.first == winners.first)
    }
    #expect(try store.list("", after: nil, limit: 1000).count == keys.count)
  }

  @Test(arguments: TestedStore.allCases.filter { $0 != .web })
  func `a list tells another object under a name from the one before`(_ kind: TestedStore) throws {
    let (store, folder) = kind.make()
    defer { withExtendedLifetime(folder) {} }
    func version() throws -> String {
      let found = try store.listed("versions/", after: nil, limit: 10)
      return try #require(found.first { $0.key.name == "one" }?.version)
    }
    var versions: Set<String> = []
    for round in 0..<4 {
      _ = try store.put(key("versions/one"), bytes("of one size \(round)"))
      versions.insert(try version())
      // It is of the object, and not of the look.
      _ = try store.put(key("versions/two-\(round)"), [1])
      versions.insert(try version())
      try store.delete(key("versions/one"))
    }
    #expect(versions.count == 4)
  }

  @Test(arguments: TestedStore.allCases)
  func `the probe trusts the store and leaves no objects`(_ kind: TestedStore) throws {
    let (store, folder) = kind.make()
    defer { withExtendedLifetime(folder) {} }
    try StoreProbe.check(store)
    #expect(try store.list("", after: nil, limit: 10) == [])
  }

  /// A proxy that sends some requests twice, and gives the answer to the second one.
  private final class DoublingStore: StoreAround {
    let inner = MemoryStore()
    /// Each n-th put is sent twice.
    private let every: Int
    /// A Boolean value that indicates whether a put replaces what is there.
    private let isUnconditional: Bool
    private let puts = Mutex(0)

    init(every: Int, isUnconditional: Bool = false) {
      (self.every, self.isUnconditional) = (every, isUnconditional)
    }

    func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
      let number = puts.withLock { puts in
        puts += 1
        return puts
      }
      guard !isUnconditional else {
        try inner.mend(key, bytes)
        return .stored
      }
      let first = try inner.put(key, bytes)
      return number.isMultiple(of: every) ? try inner.put(key, bytes) : first
    }
  }

  @Test(arguments: [1, 2, 3, 10])
  func `the probe trusts a store behind a proxy that repeats requests`(every: Int) throws {
    try StoreProbe.check(DoublingStore(every: every))
    #expect(throws: StoreError.self) {
      try StoreProbe.check(DoublingStore(every: every, isUnconditional: true))
    }
  }
}
