import Synchronization

/// A store in memory with the contract of the others, for tests and simulations. It owns its
/// objects and nothing else. Hints are sent on the putting thread, before `put` returns, so a
/// simulation in one thread is deterministic.
public final class MemoryStore: ObjectStore {
  private struct Follower {
    let folder: String
    let hint: @Sendable () -> Void
  }

  private struct State {
    var objects: [ObjectKey: [UInt8]] = [:]
    /// The number of the put that stored each object.
    var versions: [ObjectKey: Int] = [:]
    var puts = 0
    /// The keys in order.
    var keys: [ObjectKey] = []
    var followers: [Int: Follower] = [:]
    var nextFollower = 0

    /// The position of `key` in this order, also if it is missing.
    func position(of key: ObjectKey) -> Int {
      var low = 0
      var high = keys.count
      while low < high {
        let middle = (low + high) / 2
        if keys[middle] < key { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  private let state = Mutex(State())

  /// Creates an empty store.
  public init() {}

  /// A store with the same objects and no followers.
  public func copy() -> MemoryStore {
    let copy = MemoryStore()
    let (objects, keys) = state.withLock { ($0.objects, $0.keys) }
    let (versions, puts) = state.withLock { ($0.versions, $0.puts) }
    copy.state.withLock {
      ($0.objects, $0.keys, $0.versions, $0.puts) = (objects, keys, versions, puts)
    }
    return copy
  }

  /// See `ObjectStore`.
  public let flight = 1

  /// See `ObjectStore`. Throws `.unsupported` for `x` beside `x/y`, like a directory.
  public func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    let hints = state.withLock { state -> Result<[@Sendable () -> Void]?, StoreError> in
      if state.objects[key] != nil { return .success(nil) }
      if let other = Self.obstacle(to: key, in: state) {
        return .failure(
          StoreError(
            code: .unsupported, key: key,
            cause: "\(key) cannot be stored: the object \(other) is in its way. Use another key."))
      }
      let touched = Self.touchedFolders(by: key, in: state)
      state.keys.insert(key, at: state.position(of: key))
      state.objects[key] = bytes
      state.puts += 1
      state.versions[key] = state.puts
      let called = state.followers.sorted { $0.key < $1.key }
        .filter { touched.contains($0.value.folder) }
      return .success(called.map(\.value.hint))
    }
    guard let hints = try hints.get() else { return .exists }
    for hint in hints { hint() }
    return .stored
  }

  /// The folders that report a new name: the folder of the key, and the parent of each new folder,
  /// like in a directory.
  private static func touchedFolders(by key: ObjectKey, in state: State) -> Set<String> {
    var folder = key.folder
    var touched: Set<String> = [folder]
    while !folder.isEmpty {
      let inside = folder + "/"
      let position = state.position(of: ObjectKey(checked: inside))
      let isThere =
        position < state.keys.count && state.keys[position].description.hasPrefix(inside)
      if isThere { break }
      folder = ObjectKey(checked: folder).folder
      touched.insert(folder)
    }
    return touched
  }

  /// An object that is a folder of `key`, or has `key` as a folder.
  private static func obstacle(to key: ObjectKey, in state: State) -> ObjectKey? {
    var folder = key.folder
    while !folder.isEmpty {
      let above = ObjectKey(checked: folder)
      if state.objects[above] != nil { return above }
      folder = above.folder
    }
    let inside = key.description + "/"
    let position = state.position(of: ObjectKey(checked: inside))
    guard position < state.keys.count else { return nil }
    let next = state.keys[position]
    return next.description.hasPrefix(inside) ? next : nil
  }

  /// See `ObjectStore`. Throws nothing.
  public func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
    state.withLock { $0.objects[key] }
  }

  /// See `ObjectStore`. Throws nothing.
  public func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    precondition(range.lowerBound >= 0, "A range of an object begins at 0 or later.")
    return state.withLock { state in
      state.objects[key].map { Array($0[range.clamped(to: 0..<$0.count)]) }
    }
  }

  /// See `ObjectStore`. Throws nothing.
  public func size(of key: ObjectKey) throws(StoreError) -> Int? {
    state.withLock { $0.objects[key]?.count }
  }

  /// See `ObjectStore`. Throws nothing.
  public func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    precondition(limit >= 0, "A limit is a count.")
    return state.withLock { state in
      var from = state.position(of: ObjectKey(checked: prefix))
      if let after {
        let behind = state.position(of: after)
        let isThere = behind < state.keys.count && state.keys[behind] == after
        from = max(from, isThere ? behind + 1 : behind)
      }
      return Array(
        state.keys[from...].prefix { $0.description.hasPrefix(prefix) }.prefix(limit))
    }
  }

  /// See `ObjectStore`. Throws nothing.
  public func listed(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ListedObject] {
    let keys = try list(prefix, after: after, limit: limit)
    return state.withLock { state in
      keys.map { key in
        ListedObject(
          key: key, size: state.objects[key]?.count, version: state.versions[key].map { "\($0)" })
      }
    }
  }

  /// See `ObjectStore`. Throws nothing.
  public func folders(in prefix: String) throws(StoreError) -> [String] {
    state.withLock { state in
      var names: [String] = []
      var position = state.position(of: ObjectKey(checked: prefix))
      while position < state.keys.count, state.keys[position].description.hasPrefix(prefix) {
        let rest = state.keys[position].description.dropFirst(prefix.count)
        if let slash = rest.firstIndex(of: "/") {
          names.append(String(rest[..<slash]))
          // "0" directly follows "/", so everything in the folder sorts before it.
          position = state.position(of: ObjectKey(checked: prefix + rest[..<slash] + "0"))
        } else {
          position += 1
        }
      }
      return names.sorted()
    }
  }

  /// See `ObjectStore`. Throws nothing.
  public func delete(_ key: ObjectKey) throws(StoreError) {
    state.withLock { state in
      guard state.objects.removeValue(forKey: key) != nil else { return }
      state.versions[key] = nil
      state.keys.remove(at: state.position(of: key))
    }
  }

  /// See `ObjectStore`. Throws `.unsupported` if `prefix` cannot be a folder of objects.
  public func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription {
    let folder = try FolderPath(prefix).description
    let id = state.withLock { state in
      state.nextFollower += 1
      state.followers[state.nextFollower] = Follower(folder: folder, hint: onHint)
      return state.nextFollower
    }
    return Subscription { [weak self] in
      _ = self?.state.withLock { $0.followers.removeValue(forKey: id) }
    }
  }
}
