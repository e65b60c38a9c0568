import CairnStore

extension ObjectStore {
  /// The object, cut after `limit` bytes and one more: writers to the container can put objects of
  /// any size, and the decoder refuses one longer than `limit`.
  public func get(_ key: ObjectKey, upTo limit: Int) throws(StoreError) -> [UInt8]? {
    try get(key, range: 0..<limit + 1)
  }
}
