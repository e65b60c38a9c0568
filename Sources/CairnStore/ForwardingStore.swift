/// A store in front of another one. It passes on each request that it does not define itself, with
/// two exceptions: `get(each:)` and `look` consist of requests to this store, and the result of
/// `part` would lack this store.
public protocol ForwardingStore: ObjectStore {
  /// The store behind. Its properties and its followers need no request.
  var store: any ObjectStore { get }

  /// Returns the store behind for one request that is about to be sent. It may count the request,
  /// or refuse it.
  func admit() throws(StoreError) -> any ObjectStore
}

extension ForwardingStore {
  /// Returns the store behind.
  public func admit() throws(StoreError) -> any ObjectStore { store }

  /// See `ObjectStore`.
  public func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    try admit().put(key, bytes)
  }

  /// See `ObjectStore`.
  public func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? { try admit().get(key) }

  /// See `ObjectStore`.
  public func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    try admit().get(key, range: range)
  }

  /// See `ObjectStore`.
  public var flight: Int { store.flight }

  /// See `ObjectStore`.
  public func size(of key: ObjectKey) throws(StoreError) -> Int? { try admit().size(of: key) }

  /// See `ObjectStore`.
  public func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    try admit().list(prefix, after: after, limit: limit)
  }

  /// See `ObjectStore`.
  public func listed(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ListedObject] {
    try admit().listed(prefix, after: after, limit: limit)
  }

  /// See `ObjectStore`.
  public func folders(in prefix: String) throws(StoreError) -> [String] {
    try admit().folders(in: prefix)
  }

  /// See `ObjectStore`.
  public func owner(of key: ObjectKey) -> String? { store.owner(of: key) }

  /// See `ObjectStore`.
  public func delete(_ key: ObjectKey) throws(StoreError) { try admit().delete(key) }

  /// See `ObjectStore`.
  public func remove(
    _ key: ObjectKey, ifIts bytes: [UInt8]?, upTo limit: Int
  ) throws(StoreError) {
    try admit().remove(key, ifIts: bytes, upTo: limit)
  }

  /// See `ObjectStore`.
  public func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) {
    try admit().mend(key, bytes)
  }

  /// See `ObjectStore`.
  public func claim(_ folder: String) throws(StoreError) { try admit().claim(folder) }

  /// See `ObjectStore`.
  public func obstacle(at folder: String) throws(StoreError) -> String? {
    try admit().obstacle(at: folder)
  }

  /// See `ObjectStore`.
  public func reclaim(_ folder: String) throws(StoreError) { try admit().reclaim(folder) }

  /// See `ObjectStore`.
  public func prune(_ prefix: String) throws(StoreError) { try admit().prune(prefix) }

  /// See `ObjectStore`.
  public func agree(on tag: UInt32, for folder: String) { store.agree(on: tag, for: folder) }

  /// See `ObjectStore`.
  public func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription {
    try store.follow(prefix, onHint)
  }
}
