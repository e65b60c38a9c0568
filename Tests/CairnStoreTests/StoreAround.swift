import CairnStore

/// A store that passes on to another one whatever a test doesn't say otherwise of, and that tells
/// nobody of anything.
protocol StoreAround: ObjectStore {
  /// The other one.
  var inner: MemoryStore { get }
}

extension StoreAround {
  var flight: Int { 1 }

  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    try inner.put(key, bytes)
  }

  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? { try inner.get(key) }

  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    try inner.get(key, range: range)
  }

  func size(of key: ObjectKey) throws(StoreError) -> Int? { try inner.size(of: key) }

  func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] { try inner.list(prefix, after: after, limit: limit) }

  func owner(of key: ObjectKey) -> String? { inner.owner(of: key) }

  func delete(_ key: ObjectKey) throws(StoreError) { try inner.delete(key) }

  func remove(_ key: ObjectKey, ifIts bytes: [UInt8]?, upTo limit: Int) throws(StoreError) {
    try inner.remove(key, ifIts: bytes, upTo: limit)
  }

  func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) { try inner.mend(key, bytes) }

  func prune(_ prefix: String) throws(StoreError) { try inner.prune(prefix) }

  func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription { .silent }
}
