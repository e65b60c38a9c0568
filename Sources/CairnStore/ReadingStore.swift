/// A read-only view of a store: for a home without an account. It owns no objects.
public struct ReadingStore: ForwardingStore {
  /// The store behind.
  public let store: any ObjectStore

  /// Creates a read-only view of a store.
  public init(_ store: any ObjectStore) { self.store = store }

  /// Always throws.
  public func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    throw refused(key)
  }

  /// See `ObjectStore`.
  public func get(
    each keys: [ObjectKey], range: Range<Int>
  ) -> [Result<[UInt8]?, StoreError>] {
    store.get(each: keys, range: range)
  }

  /// See `ObjectStore`.
  public func part(_ name: String) -> any ObjectStore { ReadingStore(store.part(name)) }

  /// Always throws.
  public func delete(_ key: ObjectKey) throws(StoreError) { throw refused(key) }

  /// Always throws.
  public func remove(
    _ key: ObjectKey, ifIts bytes: [UInt8]?, upTo limit: Int
  ) throws(StoreError) {
    throw refused(key)
  }

  /// Always throws.
  public func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) { throw refused(key) }

  /// Does nothing.
  public func claim(_ folder: String) throws(StoreError) {}

  /// Does nothing.
  public func reclaim(_ folder: String) throws(StoreError) {}

  /// Does nothing.
  public func prune(_ prefix: String) throws(StoreError) {}

  private func refused(_ key: ObjectKey) -> StoreError {
    StoreError(
      code: .denied, key: key, cause: "This home only reads the container; \(key) isn't touched.")
  }
}
