import CairnStore

extension ObjectStore {
  /// Puts an object, and returns whether these bytes are under the key afterwards. A lost answer is
  /// no failure: the object in the position decides.
  public func puts(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> Bool {
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
