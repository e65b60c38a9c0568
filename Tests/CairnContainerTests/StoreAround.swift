import CairnStore
import Testing

/// A store that passes on to another store whatever a test doesn't replace.
protocol StoreAround: ObjectStore {
  /// The other store.
  var inner: any ObjectStore { get }
}

/// A store that is far away: objects are requested ahead in batches, in some order.
final class DistantStore: StoreAround {
  let inner: any ObjectStore
  let flight: Int

  init(_ inner: any ObjectStore, flight: Int = 8) { (self.inner, self.flight) = (inner, flight) }

  /// Returns the last object first, because nobody may rely on an order.
  func get(each keys: [ObjectKey], range: Range<Int>) -> [Result<[UInt8]?, StoreError>] {
    inner.get(each: keys.reversed(), range: range).reversed()
  }
}

/// A store that runs a step beside a put, and refuses some deletions.
///
/// `@unchecked Sendable`: one test uses it, in one thread.
final class HookedStore: StoreAround, @unchecked Sendable {
  let inner: any ObjectStore
  private var before: (prefix: String, body: () throws -> Void)?
  private var after: (prefix: String, body: () throws -> Void)?
  private var refused: ObjectKey?

  init(_ inner: any ObjectStore) { self.inner = inner }

  func beforePut(_ prefix: String, _ body: @escaping () throws -> Void) { before = (prefix, body) }
  func afterPut(_ prefix: String, _ body: @escaping () throws -> Void) { after = (prefix, body) }
  /// A Boolean value that indicates whether the step before a put was performed.
  var isSpent: Bool { before == nil }
  func refuse(_ key: ObjectKey) { refused = key }

  /// Returns the step to perform beside this put, once.
  private func take(
    _ hook: inout (prefix: String, body: () throws -> Void)?, _ key: ObjectKey
  ) -> () throws -> Void {
    guard let due = hook, key.description.hasPrefix(due.prefix) else { return {} }
    hook = nil
    return due.body
  }

  private func run(_ body: () throws -> Void) {
    do { try body() } catch { Issue.record("what happens beside a put failed: \(error)") }
  }

  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    run(take(&before, key))
    let outcome = try inner.put(key, bytes)
    run(take(&after, key))
    return outcome
  }

  func delete(_ key: ObjectKey) throws(StoreError) {
    guard key != refused else { throw StoreError(code: .denied, cause: "a test says so") }
    try inner.delete(key)
  }
}

extension StoreAround {
  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    try inner.put(key, bytes)
  }

  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? { try inner.get(key) }

  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    try inner.get(key, range: range)
  }

  var flight: Int { inner.flight }

  func size(of key: ObjectKey) throws(StoreError) -> Int? { try inner.size(of: key) }

  func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] { try inner.list(prefix, after: after, limit: limit) }

  /// Returns the result of `list`, with the other store's data.
  func listed(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ListedObject] {
    let keys = Set(try list(prefix, after: after, limit: limit))
    return try inner.listed(prefix, after: after, limit: limit).filter { keys.contains($0.key) }
  }

  func delete(_ key: ObjectKey) throws(StoreError) { try inner.delete(key) }

  func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription { try inner.follow(prefix, onHint) }
}
