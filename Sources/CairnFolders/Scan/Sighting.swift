import CairnZone

/// A part of the disk to scan, because it may have changed.
enum Look: Hashable, Sendable {
  /// One name in the directory with that path.
  case entry(parent: RecordID, path: [FileNameBytes], name: FileName)
  /// All names in a directory.
  case list(RecordID, path: [FileNameBytes])

  /// The directory to scan.
  var directory: RecordID {
    switch self {
    case .entry(let parent, _, _): parent
    case .list(let id, _): id
    }
  }

  /// The path of that directory.
  var path: [FileNameBytes] {
    switch self {
    case .entry(_, let path, _), .list(_, let path): path
    }
  }

  /// The one name; nil for all.
  var name: FileName? {
    if case .entry(_, _, let name) = self { name } else { nil }
  }

  /// Returns whether both looks are at single names in the same directory, at the same path.
  func isBeside(_ other: Look) -> Bool {
    name != nil && other.name != nil && directory == other.directory && path == other.path
  }
}

/// The result of a look at one place.
struct Sighting: Sendable {
  /// The directory and the name.
  var place: Place
  /// The directory's path.
  var path: [FileNameBytes]
  /// The metadata of the entry; nil if there is none.
  var stat: FileStat?
  /// The target of a symbolic link.
  var target: [UInt8]?

  /// The path of the place itself.
  var fullPath: [FileNameBytes] { path + [place.name.bytes] }

  /// Returns the latest result for each place. One wave may check a place twice, by a hint about it
  /// and by a list of its directory. Without this rule a new entry would become two nodes.
  static func latest(of sightings: [Sighting]) -> [Sighting] {
    var last: [Place: Int] = [:]
    for (number, sighting) in sightings.enumerated() { last[sighting.place] = number }
    guard last.count < sightings.count else { return sightings }
    return sightings.enumerated().filter { last[$1.place] == $0 }.map(\.element)
  }
}
