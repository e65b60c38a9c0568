import CairnStore
import CairnZone

/// The names in a folder, by their locks: one digest for each, whatever the object. Objects without
/// a lock are never opened.
public struct LockedNames: Sendable {
  /// The folder, without a slash at its end.
  let folder: String
  /// The maximum number of names that are listed at once and kept.
  private let page: Int
  private var known: [Bytes32: ObjectKey]?
  /// All names of a current list.
  private var listed: [ObjectKey]?

  /// Creates a view of a folder.
  /// - Parameters:
  ///   - folder: The folder, without a slash at its end.
  ///   - listed: All names, if they were just listed.
  ///   - page: The maximum number of names that are listed at once and kept.
  public init(in folder: String, listed: [ObjectKey]? = nil, page: Int = 100_000) {
    self.folder = folder
    self.listed = listed
    self.page = page
  }

  /// Forgets the names, so that the next lookup lists them.
  public mutating func forget() { (known, listed) = (nil, nil) }

  /// The object of the folder whose name fits a lock; nil if there is none. The names are kept for
  /// the next locks, unless somebody put too many there.
  public mutating func key(for lock: Bytes32, in store: any ObjectStore) throws(StoreError)
    -> ObjectKey?
  {
    if let listed {
      known = byLock(listed)
      self.listed = nil
    }
    if let known { return known[lock] }
    var after: ObjectKey?
    while true {
      let keys = try store.list(folder + "/", after: after, limit: page)
      let found = byLock(keys)
      guard keys.count == page, let last = keys.last else {
        if after == nil { known = found }
        return found[lock]
      }
      if let key = found[lock] { return key }
      after = last
    }
  }

  private func byLock(_ keys: [ObjectKey]) -> [Bytes32: ObjectKey] {
    var found: [Bytes32: ObjectKey] = [:]
    for key in keys {
      let name = String(key.description.dropFirst(folder.count + 1))
      if ChainPlace.isName(name) { found[ChainPlace.lock(name)] = key }
    }
    return found
  }
}
