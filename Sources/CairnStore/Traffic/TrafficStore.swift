import CairnDiagnostics

/// A store that enforces a person's pauses and speed limits. It must not know the settings, or the
/// users of the store.
public struct TrafficStore: ObjectStore {
  /// The part of the traffic that this store carries.
  public enum Stretch: Sendable {
    /// All of it, on the way out of this machine. Bytes are counted here.
    case line
    /// The traffic of all parts. `part` returns the store of each.
    case parts
    /// The traffic of one part.
    case part(String)
  }

  private let store: any ObjectStore
  private let traffic: Traffic
  private let stretch: Stretch

  /// Creates a store in front of another one.
  public init(_ store: any ObjectStore, _ traffic: Traffic, _ stretch: Stretch) {
    self.store = store
    self.traffic = traffic
    self.stretch = stretch
  }

  /// The store, for requests that send only a question.
  private func asked() throws(StoreError) -> any ObjectStore {
    switch stretch {
    case .line: try traffic.check()
    case .parts: break
    case .part(let name): try traffic.check(name)
    }
    return store
  }

  private func sending(
    _ key: ObjectKey, _ bytes: [UInt8]
  ) throws(StoreError) -> any ObjectStore {
    let store = try asked()
    if case .line = stretch {
      try traffic.wait(.upload, bytes: bytes.count, for: key)
      Diagnostics.store.debug(
        "put", [.value("bytes", bytes.count), .name("object", "\(key)")])
    }
    return store
  }

  private func fetching(
    _ key: ObjectKey, _ get: (any ObjectStore) throws(StoreError) -> [UInt8]?
  ) throws(StoreError) -> [UInt8]? {
    let store = try asked()
    guard case .line = stretch else { return try get(store) }
    try traffic.wait(.download, bytes: 0, for: key)
    let bytes = try get(store)
    traffic.came(bytes?.count ?? 0, for: key)
    Diagnostics.store.debug(
      "get",
      [.value("bytes", bytes?.count ?? -1), .name("object", "\(key)")])
    return bytes
  }

  /// See `ObjectStore`.
  public func part(_ name: String) -> any ObjectStore {
    switch stretch {
    case .line, .part: self
    case .parts: TrafficStore(store, traffic, .part(name))
    }
  }

  /// See `ObjectStore`.
  public func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    let store = try sending(key, bytes)
    // The answer about a small object is worth more than the time of its bytes.
    guard bytes.count >= Self.abortable, RequestPermit.isWithdrawn == nil else {
      return try store.put(key, bytes)
    }
    return try RequestPermit.until(isPaused) { () throws(StoreError) in
      try store.put(key, bytes)
    }
  }

  /// The size in bytes from which a put is aborted by a pause.
  private static let abortable = 256 << 10

  /// Returns a function that says whether traffic may not continue.
  private var isPaused: @Sendable () -> Bool {
    let part: String? = if case .part(let name) = stretch { name } else { nil }
    return { [traffic] in traffic.isEnding || traffic.pause(of: part) != nil }
  }

  /// See `ObjectStore`.
  public func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
    try fetching(key) { store throws(StoreError) in try store.get(key) }
  }

  /// See `ObjectStore`.
  public func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    try fetching(key) { store throws(StoreError) in try store.get(key, range: range) }
  }

  /// See `ObjectStore`.
  public var flight: Int { store.flight }

  /// See `ObjectStore`. On the line each request waits for its turn, and is counted.
  public func get(
    each keys: [ObjectKey], range: Range<Int>
  ) -> [Result<[UInt8]?, StoreError>] {
    if case .line = stretch { return getInFlights(keys, range: range) }
    do throws(StoreError) { return try asked().get(each: keys, range: range) } catch {
      return keys.map { _ in .failure(error) }
    }
  }

  /// See `ObjectStore`.
  public func size(of key: ObjectKey) throws(StoreError) -> Int? { try asked().size(of: key) }

  /// See `ObjectStore`.
  public func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    try asked().list(prefix, after: after, limit: limit)
  }

  /// See `ObjectStore`.
  public func listed(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ListedObject] {
    try asked().listed(prefix, after: after, limit: limit)
  }

  /// See `ObjectStore`.
  public func folders(in prefix: String) throws(StoreError) -> [String] {
    try asked().folders(in: prefix)
  }

  /// See `ObjectStore`.
  public func owner(of key: ObjectKey) -> String? { store.owner(of: key) }

  /// See `ObjectStore`.
  public func delete(_ key: ObjectKey) throws(StoreError) { try asked().delete(key) }

  /// See `ObjectStore`.
  public func remove(
    _ key: ObjectKey, ifIts bytes: [UInt8]?, upTo limit: Int
  ) throws(StoreError) {
    try asked().remove(key, ifIts: bytes, upTo: limit)
  }

  /// See `ObjectStore`.
  public func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) {
    try sending(key, bytes).mend(key, bytes)
  }

  /// See `ObjectStore`.
  public func claim(_ folder: String) throws(StoreError) { try asked().claim(folder) }

  /// See `ObjectStore`.
  public func prune(_ prefix: String) throws(StoreError) { try asked().prune(prefix) }

  /// See `ObjectStore`.
  public func agree(on tag: UInt32, for folder: String) { store.agree(on: tag, for: folder) }

  /// See `ObjectStore`. Hints come also during a pause. A follower then finds the pause.
  public func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription {
    try store.follow(prefix, onHint)
  }
}
