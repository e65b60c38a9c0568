/// A read-only view of a store: for a home without an account. It owns no objects.
public struct ReadingStore: ObjectStore {
  private let store: any ObjectStore

  /// Creates a read-only view of a store.
  public init(_ store: any ObjectStore) { self.store = store }

  /// Always throws.
  public func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    throw refused(key)
  }

  /// See `ObjectStore`.
  public func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? { try store.get(key) }

  /// See `ObjectStore`.
  public func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    try store.get(key, range: range)
  }

  /// See `ObjectStore`.
  public func get(
    each keys: [ObjectKey], range: Range<Int>
  ) -> [Result<[UInt8]?, StoreError>] {
    store.get(each: keys, range: range)
  }

  /// See `ObjectStore`.
  public var flight: Int { store.flight }

  /// See `ObjectStore`.
  public func size(of key: ObjectKey) throws(StoreError) -> Int? { try store.size(of: key) }

  /// See `ObjectStore`.
  public func owner(of key: ObjectKey) -> String? { store.owner(of: key) }

  /// See `ObjectStore`.
  public func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    try store.list(prefix, after: after, limit: limit)
  }

  /// See `ObjectStore`.
  public func listed(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ListedObject] {
    try store.listed(prefix, after: after, limit: limit)
  }

  /// See `ObjectStore`.
  public func folders(in prefix: String) throws(StoreError) -> [String] {
    try store.folders(in: prefix)
  }

  /// See `ObjectStore`.
  public func part(_ name: String) -> any ObjectStore { ReadingStore(store.part(name)) }

  /// Always throws.
  public func delete(_ key: ObjectKey) throws(StoreError) { throw refused(key) }

  /// See `ObjectStore`.
  public func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription {
    try store.follow(prefix, onHint)
  }

  /// See `ObjectStore`.
  public func agree(on tag: UInt32, for folder: String) { store.agree(on: tag, for: folder) }

  private func refused(_ key: ObjectKey) -> StoreError {
    StoreError(
      code: .denied, key: key, cause: "This home only reads the container; \(key) isn't touched.")
  }
}
