import CairnStore

extension ObjectStore {
  /// The object, cut behind its `limit`-th byte and one more: who may write to the container
  /// can put an object of any size there, and its decoder refuses one that is longer than `limit`.
  func get(_ key: ObjectKey, upTo limit: Int) throws(StoreError) -> [UInt8]? {
    try get(key, range: 0..<limit + 1)
  }
}
