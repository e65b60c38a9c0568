/// An object in a list.
public struct ListedObject: Hashable, Sendable {
  /// The key of the object.
  public let key: ObjectKey
  /// The size in bytes; nil if it is unknown: the object was deleted or cannot be read.
  public let size: Int?
  /// A text that differs for every object that was ever stored under the key; nil if it is unknown.
  public let version: String?

  /// Creates an entry of a list.
  public init(key: ObjectKey, size: Int?, version: String? = nil) {
    self.key = key
    self.size = size
    self.version = version
  }
}

extension ObjectStore {
  /// Lists keys, and asks for each size: for stores with lists that have no sizes.
  public func listed(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ListedObject] {
    var found: [ListedObject] = []
    for key in try list(prefix, after: after, limit: limit) {
      found.append(ListedObject(key: key, size: try knownSize(of: key)))
    }
    return found
  }

  /// An error about one object says nothing about the others.
  private func knownSize(of key: ObjectKey) throws(StoreError) -> Int? {
    do { return try size(of: key) } catch {
      guard error.code == .corrupt || error.code == .denied else { throw error }
      return nil
    }
  }
}

/// A walk over all objects of a store in the order of their keys. It holds one page of them.
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

  /// The next object; nil after the last one.
  mutating func next() throws(StoreError) -> ListedObject? {
    if waiting.isEmpty, !isOver {
      waiting = try store.listed("", after: last, limit: page)[...]
      last = waiting.last?.key
      isOver = waiting.isEmpty
    }
    return waiting.popFirst()
  }
}
