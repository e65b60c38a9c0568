import Synchronization
import Testing

@testable import CairnStore

/// Copies of a store, in which each entry of a row names the one before it and some content.
@Suite struct StoreCopyTests {
  @Test(arguments: [TestedStore.memory, .directory, .bucket])
  func `only what is missing is copied, and what is there isn't read`(_ kind: TestedStore) throws {
    let (target, folder) = kind.make()
    defer { withExtendedLifetime(folder) {} }
    let world = RowStore()
    try world.write(5)
    let first = try world.copy(to: target)
    #expect(first.isNew && first.copied.objects == 12 && first.there.objects == 0)
    #expect(first.problems.isEmpty && first.unsettled.isEmpty && !first.isCut)
    for key in try world.inner.list("", after: nil, limit: 100) where key.description != "bell/x" {
      #expect(try target.get(key) == world.inner.get(key))
    }
    #expect(try target.get(key("bell/x")) == nil)

    try world.write(2)
    world.read.withLock { $0 = [] }
    let second = try world.copy(to: target)
    #expect(!second.isNew && second.copied.objects == 4 && second.there.objects == 12)
    // The names of the new entries are read for their order, and each new object for itself.
    #expect(Set(world.read.withLock { $0 }).count == 4)
    #expect(try RowStore.gaps(in: target).isEmpty)

    // What the source loses, the copy keeps.
    try world.inner.delete(key("content/3"))
    let third = try world.copy(to: target)
    #expect(third.copied.objects == 0 && third.kept.objects == 1)
    #expect(try target.size(of: key("content/3")) != nil)
  }

  @Test func `a copy that is in use has no gap wherever it is cut off`() throws {
    let world = RowStore()
    try world.write(3)
    let target = PutStore()
    _ = try world.copy(to: target)
    try world.write(6)
    var cuts = 0
    while true {
      let copy = PutStore(target.inner.copy())
      copy.left.withLock { $0 = cuts }
      do throws(StoreError) { _ = try world.copy(to: copy) } catch {
        #expect(error.code == .unreachable)
        #expect(try RowStore.gaps(in: copy).isEmpty, "after \(cuts) puts")
        copy.left.withLock { $0 = .max }
        let rest = try world.copy(to: copy)
        #expect(rest.problems.isEmpty && rest.copied.objects == 12 - cuts)
        cuts += 1
        continue
      }
      #expect(cuts == 12)
      return
    }
  }

  @Test func `a new copy is none before its end`() throws {
    let world = RowStore()
    try world.write(4)
    for cut in 0..<10 {
      let target = PutStore()
      target.left.withLock { $0 = cut }
      #expect(throws: StoreError.self) { try world.copy(to: target) }
      #expect(try target.get(key("mark")) == nil)
    }
    let target = PutStore()
    _ = try world.copy(to: target)
    #expect(target.put.withLock { $0.last } == (try key("mark")))
  }

  @Test(arguments: 1...9)
  func `others may write meanwhile`(_ rhythm: Int) throws {
    let world = RowStore(page: 2)
    try world.write(10)
    world.writeEach(rhythm, most: 60)
    let target = MemoryStore()
    let report = try world.copy(to: target)
    #expect(report.problems.isEmpty && report.unsettled.isEmpty)
    #expect(world.written > 10)
    #expect(try RowStore.gaps(in: target).isEmpty)
    #expect(try target.get(key("mark")) != nil)
  }

  @Test func `who never stops writing is told of`() throws {
    let world = RowStore(page: 2)
    try world.write(1)
    world.writeEach(4, most: .max)
    let report = try world.copy(to: MemoryStore())
    #expect(report.unsettled == ["row"])
  }

  @Test func `what differs is named, and never overwritten`() throws {
    let world = RowStore()
    try world.write(4)
    let target = MemoryStore()
    #expect(try target.put(key("content/1"), bytes("longer than it was")) == .stored)
    let swapped = [UInt8](try #require(try world.inner.get(key("content/2"))).reversed())
    #expect(try target.put(key("content/2"), swapped) == .stored)
    let report = try world.copy(to: target)
    #expect(report.problems.map(\.key.description) == ["content/1"])
    #expect(report.problems.allSatisfy { $0.kind == .differs } && report.problemCount == 1)
    #expect(report.compared.objects == 0)
    let checked = try world.copy(to: target, isChecked: true)
    #expect(Set(checked.problems.map(\.key.description)) == ["content/1", "content/2"])
    #expect(checked.compared.objects == 8 && checked.copied.objects == 0)
    #expect(try target.get(key("content/1")) == bytes("longer than it was"))
    #expect(try target.get(key("content/2")) == swapped)
  }

  @Test func `what can't be read is named, and the rest is copied`() throws {
    let world = RowStore()
    try world.write(3)
    world.closed.withLock { $0 = ["content/2"] }
    let target = MemoryStore()
    let report = try world.copy(to: target)
    #expect(report.problems.map(\.key.description) == ["content/2"])
    #expect(report.problems.first?.kind == .unreadable && report.copied.objects == 7)
    // A store that fails as a whole ends it.
    world.closed.withLock { $0 = ["*"] }
    #expect(throws: StoreError.self) { try world.copy(to: MemoryStore()) }
  }

  @Test func `what is larger than any object is named, however large it says it is`() throws {
    let source = RowStore()
    try source.write(3)
    let target = PutStore()
    let sizes = ["content/1": Int.max, "content/2": Int.max]
    source.sizes.withLock { $0 = sizes }
    target.sizes.withLock { $0 = sizes }
    let report = try source.copy(to: target)
    #expect(report.problems.map(\.key.description).sorted() == ["content/1", "content/2"])
    #expect(try target.inner.get(ObjectKey(checked: "content/3")) != nil)
    for name in ["content/1", "content/2"] {
      _ = try target.inner.put(ObjectKey(checked: name), [1])
    }
    let other = RowStore()
    #expect(try other.copy(to: target).kept.bytes == .max)
  }

  @Test func `it ends when it is given up`() throws {
    let world = RowStore()
    try world.write(6)
    for limit in 0..<13 {
      let asked = Atomic(0)
      let target = MemoryStore()
      let report = try world.copy(to: target) {
        asked.add(1, ordering: .relaxed).oldValue >= limit
      }
      #expect(report.isCut && report.copied.objects <= limit)
      #expect(try target.get(key("mark")) == nil)
    }
  }

  @Test func `lists tell sizes`() throws {
    for kind in TestedStore.allCases {
      let (store, folder) = kind.make()
      defer { withExtendedLifetime(folder) {} }
      for (name, size) in [("a/b", 3), ("a/c", 0), ("d", 70_000)] {
        #expect(try store.put(key(name), [UInt8](repeating: 1, count: size)) == .stored)
      }
      let found = try store.listed("", after: nil, limit: 10)
      #expect(found.map(\.key.description) == ["a/b", "a/c", "d"], "\(kind)")
      #expect(found.map(\.size) == [3, 0, 70_000], "\(kind)")
      #expect(try store.listed("a/", after: key("a/b"), limit: 1).map(\.size) == [0])
    }
  }

  @Test func `a place in another one overlaps it`() throws {
    func overlaps(_ one: String, _ other: String) throws -> Bool {
      try #require(StoreLocation(one)).overlaps(try #require(StoreLocation(other)))
    }
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    #expect(try overlaps(folder.path, folder.path + "/copy"))
    #expect(try overlaps(folder.path + "/c", folder.path))
    #expect(try !overlaps(folder.path + "/c", folder.path + "/cc"))
    #expect(try overlaps("s3://bucket/a", "s3://bucket/a/b"))
    #expect(try !overlaps("s3://bucket/a", "s3://bucket/ab"))
    #expect(try !overlaps("s3://bucket/a", folder.path))
  }
}

/// A store of rows, which others may write to while it is listed.
private final class RowStore: ObjectStore {
  let inner = MemoryStore()
  let flight = 1
  let read = Mutex<[String]>([])
  /// The unreadable objects; "*": all.
  let closed = Mutex<Set<String>>([])
  /// The sizes that objects claim, whatever they are.
  let sizes = Mutex<[String: Int]>([:])
  private let page: Int
  private let writer = Mutex((calls: 0, rhythm: 0, most: 0, number: 0))

  init(page: Int = .max) { self.page = page }

  var written: Int { writer.withLock { $0.number } }

  /// Has somebody write an entry at each so-manieth page that is listed.
  func writeEach(_ rhythm: Int, most: Int) {
    writer.withLock { ($0.rhythm, $0.most) = (rhythm, most) }
  }

  func write(_ count: Int) throws(StoreError) {
    for _ in 0..<count { try write() }
  }

  /// Content first, then the entry that names it, under a name that says nothing of the order, then
  /// what names the entry.
  private func write() throws(StoreError) {
    let number = writer.withLock { writer in
      writer.number += 1
      return writer.number
    }
    if number == 1 {
      _ = try inner.put(ObjectKey(checked: "mark"), [1])
      _ = try inner.put(ObjectKey(checked: "bell/x"), [1])
    }
    _ = try inner.put(ObjectKey(checked: "content/\(number)"), bytes("content \(number)"))
    _ = try inner.put(Self.entry(number), bytes("\(number)"))
    _ = try inner.mend(ObjectKey(checked: "reference"), bytes("\(number % 10)"))
  }

  static func entry(_ number: Int) -> ObjectKey {
    ObjectKey(checked: "row/" + String(UInt32(truncatingIfNeeded: number &* 2_654_435_761)))
  }

  /// Returns the objects that are missing in a store, by its other objects.
  static func gaps(in store: any ObjectStore) throws -> [String] {
    func number(_ key: ObjectKey) throws -> Int? {
      try store.get(key).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }
    var gaps: [String] = []
    let entries = try store.list("row/", after: nil, limit: 10_000).compactMap { try number($0) }
    for number in 1...max(1, entries.max() ?? 0) {
      if !entries.contains(number) { gaps.append("row \(number)") }
      if try store.size(of: key("content/\(number)")) == nil { gaps.append("content \(number)") }
    }
    return gaps
  }

  func copy(
    to target: any ObjectStore, isChecked: Bool = false,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(StoreError) -> CopyReport {
    let order = CopyOrder(
      stage: { key in
        switch key.description.split(separator: "/").first {
        case "content": .content
        case "row": .row
        case "reference": .reference
        case "mark": .mark
        default: nil
        }
      },
      arrange: { [self] keys in
        keys.sorted { (number(of: $0), $0) < (number(of: $1), $1) }
      })
    return try StoreCopy(
      from: self, to: target, order, isChecked: isChecked, isCancelled: isCancelled
    ).run()
  }

  private func number(of key: ObjectKey) -> Int {
    do { return try inner.get(key).flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0 } catch
    {
      return 0
    }
  }

  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
    read.withLock { $0.append(key.description) }
    let closed = closed.withLock { $0 }
    if closed.contains("*") { throw StoreError(code: .unreachable, cause: "away") }
    if closed.contains(key.description) {
      throw StoreError(code: .denied, key: key, cause: "closed")
    }
    return try inner.get(key)
  }

  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    try inner.get(key, range: range)
  }

  func size(of key: ObjectKey) throws(StoreError) -> Int? {
    if let size = sizes.withLock({ $0[key.description] }) { return size }
    return try inner.size(of: key)
  }

  func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    let found = try inner.list(prefix, after: after, limit: min(page, limit))
    let isTime = writer.withLock { writer in
      writer.calls += 1
      return writer.rhythm > 0 && writer.calls % writer.rhythm == 0 && writer.number < writer.most
    }
    if isTime { try write() }
    return found
  }

  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    throw StoreError(code: .denied, key: key, cause: "what is copied is only read")
  }

  func delete(_ key: ObjectKey) throws(StoreError) {
    throw StoreError(code: .denied, key: key, cause: "what is copied is only read")
  }

  func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription { .silent }
}

/// A store that goes away after some puts.
private final class PutStore: ObjectStore {
  let inner: MemoryStore
  let flight = 1
  let left = Mutex(Int.max)
  let put = Mutex<[ObjectKey]>([])
  /// The sizes that objects claim.
  let sizes = Mutex<[String: Int]>([:])

  init(_ inner: MemoryStore = MemoryStore()) { self.inner = inner }

  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    let isGone = left.withLock { left in
      defer { left -= 1 }
      return left <= 0
    }
    guard !isGone else { throw StoreError(code: .unreachable, cause: "gone") }
    put.withLock { $0.append(key) }
    return try inner.put(key, bytes)
  }

  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? { try inner.get(key) }

  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    try inner.get(key, range: range)
  }

  func size(of key: ObjectKey) throws(StoreError) -> Int? {
    if let size = sizes.withLock({ $0[key.description] }) { return size }
    return try inner.size(of: key)
  }

  func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] { try inner.list(prefix, after: after, limit: limit) }

  func delete(_ key: ObjectKey) throws(StoreError) { try inner.delete(key) }

  func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription { .silent }
}
