/// The test whether a store's notifications report others' changes. A free place that later holds
/// another device's object must have caused a notification. It must not know clocks, threads or
/// stores.
struct Ears: Sendable {
  /// A place that was taken, without a notification yet.
  struct Doubt: Equatable, Sendable {
    /// The folder of the place.
    let folder: String
    /// The number of notifications about the folder by then.
    let heard: Int
  }

  private struct Folder {
    var followers = 0
    var heard = 0
    /// The last free places, with the number of notifications by then.
    var free: [(key: ObjectKey, heard: Int)] = []
  }

  /// A reader asks for several places at the same time.
  private static let mostFree = 16

  private var folders: [String: Folder] = [:]

  /// Adds a follower of this folder.
  mutating func follow(_ folder: String) { folders[folder, default: Folder()].followers += 1 }

  /// Removes a follower of this folder.
  mutating func unfollow(_ folder: String) {
    folders[folder]?.followers -= 1
    if folders[folder]?.followers == 0 { folders[folder] = nil }
  }

  /// Notes a notification.
  mutating func notice(_ folder: String) { folders[folder]?.heard += 1 }

  /// Notes that this process stores an object there itself.
  mutating func store(_ key: ObjectKey) {
    folders[key.folder]?.free.removeAll { $0.key == key }
  }

  /// Notes a lookup.
  /// - Returns: a doubt, if the object appeared without a notification.
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

  /// A Boolean value that indicates whether there is still no notification.
  func confirms(_ doubt: Doubt) -> Bool { folders[doubt.folder]?.heard == doubt.heard }
}
