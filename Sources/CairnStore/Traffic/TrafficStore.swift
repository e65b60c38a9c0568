import CairnDiagnostics

/// A store that enforces a person's pauses and speed limits. It must not know the settings, or the
/// users of the store.
public struct TrafficStore: ForwardingStore {
  /// The part of the traffic that this store carries.
  public enum Stretch: Sendable {
    /// All of it, on the way out of this machine. Bytes are counted here.
    case line
    /// The traffic of all parts. `part` returns the store of each.
    case parts
    /// The traffic of one part.
    case part(String)
  }

  /// The store behind.
  public let store: any ObjectStore
  private let traffic: Traffic
  private let stretch: Stretch

  /// Creates a store in front of another one.
  public init(_ store: any ObjectStore, _ traffic: Traffic, _ stretch: Stretch) {
    self.store = store
    self.traffic = traffic
    self.stretch = stretch
  }

  /// Returns the store behind, unless its traffic is paused.
  public func admit() throws(StoreError) -> any ObjectStore {
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
    let store = try admit()
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
    let store = try admit()
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

  /// See `ObjectStore`. On the line each request waits for its turn, and is counted.
  public func get(
    each keys: [ObjectKey], range: Range<Int>
  ) -> [Result<[UInt8]?, StoreError>] {
    if case .line = stretch { return getInFlights(keys, range: range) }
    do throws(StoreError) { return try admit().get(each: keys, range: range) } catch {
      return keys.map { _ in .failure(error) }
    }
  }

  /// See `ObjectStore`.
  public func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) {
    try sending(key, bytes).mend(key, bytes)
  }
}
