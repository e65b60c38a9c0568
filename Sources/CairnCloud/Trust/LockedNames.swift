import CairnStore
import CairnZone

/// The names in a folder, by the locks that they fit to: one digest for each, whatever stands under
/// it. What no lock names is never opened.
struct LockedNames {
  /// The folder, without a slash at its end.
  let folder: String
  /// How many names are listed at once, and kept at most.
  private let page: Int
  private var known: [Bytes32: ObjectKey]?

  /// - Parameters:
  ///   - folder: the folder, without a slash at its end.
  ///   - page: how many names are listed at once, and kept at most.
  init(in folder: String, page: Int = 100_000) {
    self.folder = folder
    self.page = page
  }

  /// Forgets the names, so that the next look lists them.
  mutating func forget() { known = nil }

  /// The object of the folder whose name a lock fits to; nil if there is none. The names are kept
  /// for the next locks, unless somebody has put so many there.
  mutating func key(for lock: Bytes32, in store: any ObjectStore) throws(StoreError) -> ObjectKey? {
    if let known { return known[lock] }
    var found: [Bytes32: ObjectKey] = [:]
    var after: ObjectKey?
    while true {
      let keys = try store.list(folder + "/", after: after, limit: page)
      for key in keys {
        let name = String(key.description.dropFirst(folder.count + 1))
        if ChainPlace.isName(name) { found[ChainPlace.lock(name)] = key }
      }
      guard keys.count == page, let last = keys.last else {
        if after == nil { known = found }
        return found[lock]
      }
      if let key = found[lock] { return key }
      found = [:]
      after = last
    }
  }
}
