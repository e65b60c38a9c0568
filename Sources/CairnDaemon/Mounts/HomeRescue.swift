import CairnControl
import CairnFolders
import CairnZone
import FoundationEssentials

/// The home's rescue folder: what only the folders of shares had that ended for this person, each
/// under the share's title. It must not know why they ended.
struct HomeRescue {
  /// The number of entries that `status` lists.
  static let limit = 1_000
  let home: Home

  /// The folder for what a share's mount had, absolute; the folder above it is made.
  func folder(title: String, zone: ZoneID) throws -> [UInt8] {
    try Home.makePrivateFolder(home.rescue)
    return path(title: title, zone: zone)
  }

  /// The path of that folder, which needn't exist.
  func path(title: String, zone: ZoneID) -> [UInt8] {
    Array("\(home.rescue)/\(RescuePlace.name(title, zone: zone.description))".utf8)
  }

  /// Notes where the bytes in a folder of `folder(title:zone:)` were.
  func note(_ path: [UInt8], reason: String, in folder: [UInt8]) throws {
    try RescuePlace.note(
      Control.Path(path), reason: reason, beside: String(decoding: folder, as: UTF8.self))
  }

  /// Deletes the notes without files.
  func dropEmptyOrigins() throws {
    let files = try RescueFolder.files(in: Array(home.rescue.utf8), limit: .max)
    let suffix = Array(RescuePlace.suffix.utf8)
    let slash = UInt8(ascii: "/")
    let folders = Set(
      files.filter { $0.path.contains(slash) }.map { Array($0.path.prefix { $0 != slash }) })
    for file in files where !file.path.contains(slash) && file.path.ends(with: suffix) {
      if folders.contains(file.path.dropLast(suffix.count)) { continue }
      try RescueFolder(path: Array(home.rescue.utf8)).destroy(file.path)
    }
  }

  /// Returns the rescued files, or the first of them.
  func list(limit: Int = .max) throws -> [Control.Rescued] {
    let slash = UInt8(ascii: "/")
    let root = Array(home.rescue.utf8)
    var origins: [[UInt8]: RescuePlace.Origin] = [:]
    var found: [Control.Rescued] = []
    let suffix = Array(RescuePlace.suffix.utf8)
    let files = try RescueFolder.files(in: root, limit: limit)
    for file in files where !file.path.contains(slash) && file.path.ends(with: suffix) {
      let path = home.rescue + "/" + String(decoding: file.path, as: UTF8.self)
      origins[file.path.dropLast(suffix.count)] = try JSONDecoder().decode(
        RescuePlace.Origin.self, from: Data(contentsOf: URL(filePath: path)))
    }
    for file in files where file.path.contains(slash) {
      let parts = file.path.split(separator: slash, maxSplits: 1).map { Array($0) }
      let origin = origins[parts[0]]
      let path = Control.Path(root + [slash] + file.path)
      let of = origin.map { Control.Path($0.path.bytes + [slash] + parts[1]) }
      found.append(
        Control.Rescued(
          path: path, of: of ?? path, reason: origin?.reason ?? "its share ended",
          time: Control.Time(nanoseconds: file.time)))
    }
    return found.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
  }
}

extension [UInt8] {
  fileprivate func ends(with other: [UInt8]) -> Bool { suffix(other.count).elementsEqual(other) }

  fileprivate func dropLast(_ count: Int) -> [UInt8] { Array(prefix(self.count - count)) }
}
