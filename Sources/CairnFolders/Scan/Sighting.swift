import CairnZone

/// Something to look at on the disk, because it may have changed.
enum Look: Hashable, Sendable {
  /// One name in a directory whose path is given.
  case entry(parent: RecordID, path: [FileNameBytes], name: FileName)
  /// Every name in a directory.
  case list(RecordID, path: [FileNameBytes])

  /// The directory that is looked into.
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

  /// The one name that is looked at; nil for all.
  var name: FileName? {
    if case .entry(_, _, let name) = self { name } else { nil }
  }

  /// Whether both are about single names in the same directory, at the same path.
  func isBeside(_ other: Look) -> Bool {
    name != nil && other.name != nil && directory == other.directory && path == other.path
  }
}

/// What a look at one place found.
struct Sighting: Sendable {
  /// Directory and name.
  var place: Place
  /// The directory's path.
  var path: [FileNameBytes]
  /// What is there; nil if nothing is.
  var stat: FileStat?
  /// Where it points, if it is a symlink.
  var target: [UInt8]?

  /// The path of the place itself.
  var fullPath: [FileNameBytes] { path + [place.name.bytes] }
}

/// One path in trouble: reported, and stops nothing else.
public struct Problem: Hashable, Sendable {
  /// The path relative to the folder; bytes as they are on the disk.
  public var path: [UInt8]
  /// CloudKit's name of the trouble where it has one.
  public var code: String
  /// What happened.
  public var message: String
  /// What to do now.
  public var remedy: String

  /// Joins the four.
  public init(path: [UInt8], code: String, message: String, remedy: String) {
    self.path = path
    self.code = code
    self.message = message
    self.remedy = remedy
  }
}
