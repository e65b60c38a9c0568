/// Whether a store's notices really tell of what others write, found out by looking: where a place
/// was free, and holds somebody else's object later, a notice has to come. It must not know clocks,
/// threads or stores.
struct Ears: Sendable {
  /// A place that was taken, and no notice was heard of it yet.
  struct Doubt: Equatable, Sendable {
    /// The folder that it is in.
    let folder: String
    /// How many notices of the folder were heard by then.
    let heard: Int
  }

  private struct Folder {
    var followers = 0
    var heard = 0
    /// The last places that were free, and how many notices were heard by then.
    var free: [(key: ObjectKey, heard: Int)] = []
  }

  /// Who reads on asks for some places at the same time.
  private static let mostFree = 16

  private var folders: [String: Folder] = [:]

  /// Notices of this folder are to come from here on.
  mutating func follow(_ folder: String) { folders[folder, default: Folder()].followers += 1 }

  /// One who followed it does no more.
  mutating func unfollow(_ folder: String) {
    folders[folder]?.followers -= 1
    if folders[folder]?.followers == 0 { folders[folder] = nil }
  }

  /// A notice came.
  mutating func notice(_ folder: String) { folders[folder]?.heard += 1 }

  /// This process stores something there itself.
  mutating func store(_ key: ObjectKey) {
    folders[key.folder]?.free.removeAll { $0.key == key }
  }

  /// Something was looked for.
  /// - Returns: a doubt, if it has come since and no notice has.
  mutating func look(_ key: ObjectKey, isThere: Bool) -> Doubt? {
    guard var folder = folders[key.folder] else { return nil }
    defer { folders[key.folder] = folder }
    let place = folder.free.firstIndex { $0.key == key }
    let before = place.map { folder.free.remove(at: $0).heard }
    guard isThere else {
      folder.free = folder.free.suffix(Self.mostFree - 1) + [(key, folder.heard)]
      return nil
    }
    return before == folder.heard ? Doubt(folder: key.folder, heard: folder.heard) : nil
  }

  /// Whether no notice has come of it meanwhile.
  func confirms(_ doubt: Doubt) -> Bool { folders[doubt.folder]?.heard == doubt.heard }
}
