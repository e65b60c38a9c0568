import CairnStore

extension ObjectStore {
  /// Puts an object, and tells whether these bytes stand under the key afterwards. An answer that
  /// got lost is not a failure: what stands in the slot decides.
  func puts(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> Bool {
    do {
      if case .stored = try put(key, bytes) { return true }
    } catch {
      guard error.isWorthRetrying, try get(key, upTo: bytes.count) == bytes else {
        throw error
      }
      return true
    }
    return try get(key, upTo: bytes.count) == bytes
  }
}
