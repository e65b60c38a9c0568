/// An object as a list tells of it.
public struct ListedObject: Hashable, Sendable {
  /// Where it stands.
  public let key: ObjectKey
  /// Its size in bytes; nil if that can't be told: it is gone by now, or can't be read.
  public let size: Int?
  /// What tells it from another object that stood under the key before, or will; nil if that can't
  /// be told.
  public let version: String?

  /// Joins them.
  public init(key: ObjectKey, size: Int?, version: String? = nil) {
    self.key = key
    self.size = size
    self.version = version
  }
}

extension ObjectStore {
  /// Lists, and looks at each: what a store does whose lists say nothing of sizes.
  public func listed(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ListedObject] {
    var found: [ListedObject] = []
    for key in try list(prefix, after: after, limit: limit) {
      found.append(ListedObject(key: key, size: try knownSize(of: key)))
    }
    return found
  }

  /// What stands in the way of this one says nothing of the others.
  private func knownSize(of key: ObjectKey) throws(StoreError) -> Int? {
    do { return try size(of: key) } catch {
      guard error.code == .corrupt || error.code == .denied else { throw error }
      return nil
    }
  }
}

/// Walks over all objects of a store in the order of their keys, and holds one page of them.
struct ObjectCursor {
  private let store: any ObjectStore
  private let page: Int
  private var waiting: ArraySlice<ListedObject> = []
  private var last: ObjectKey?
  private var isOver = false

  init(_ store: any ObjectStore, page: Int = 5_000) {
    self.store = store
    self.page = page
  }

  /// The next one; nil behind the last.
  mutating func next() throws(StoreError) -> ListedObject? {
    if waiting.isEmpty, !isOver {
      waiting = try store.listed("", after: last, limit: page)[...]
      last = waiting.last?.key
      isOver = waiting.isEmpty
    }
    return waiting.popFirst()
  }
}
