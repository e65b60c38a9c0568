import CairnFolders

/// What stands on a simulated disk under a number: bytes, names or a target, with times, and what
/// of the bytes a power cut would leave.
final class Inode {
  typealias Name = [UInt8]

  let number: UInt64
  let birth: Int64
  let kind: FileStat.Kind
  var bytes: [UInt8] = [] { didSet { isDurable = false } }
  var target: [UInt8] = []
  var entries: [Name: Inode] = [:]
  /// What stood last under a directory's names, at any time.
  var last = LastNames()
  /// The number of the file system that it is on.
  var device: UInt64 = 1
  /// Where a directory stands.
  weak var parent: Inode?
  var name: Name = []
  var mode: UInt32
  var group: UInt32 = 1_000
  /// Extended attributes, by name.
  var attributes: [Name: [UInt8]] = [:]
  var modified: Int64
  var changed: Int64
  var links: UInt32 = 0
  /// How many have it open for writing, and how many have it open at all.
  var writers = 0
  var openings = 0
  /// Whether the engine made it.
  var isEngines = false
  /// In which of the daemon's turns it made it.
  var turn = 0
  /// Whether the bytes were made durable since they last changed, and those that were.
  private(set) var isDurable = false
  private(set) var durable: [UInt8]?
  private(set) var durableTime: Int64 = 0

  init(_ kind: FileStat.Kind, number: UInt64, birth: Int64, mode: UInt32, now: Int64) {
    self.kind = kind
    self.number = number
    self.birth = birth
    self.mode = mode
    modified = now
    changed = now
  }

  func makeDurable() {
    guard !isDurable else { return }
    durable = bytes
    durableTime = modified
    isDurable = true
  }

  /// The names that lead here from the top; nil for what was removed.
  func path(below top: Inode) -> [Name]? {
    var names: [Name] = []
    var current = self
    while current !== top {
      guard let parent = current.parent else { return nil }
      names.append(current.name)
      current = parent
    }
    return names.reversed()
  }

  /// Whether this is that directory or stands somewhere in it.
  func isInside(_ directory: Inode) -> Bool {
    var current: Inode? = self
    while let inode = current {
      if inode === directory { return true }
      current = inode.parent
    }
    return false
  }
}

/// What stood last under the names of a directory, in those that are gone, too. Where the daemon
/// heard nothing of it, one that was made anew is the same to it, and so is a file in it.
struct LastNames {
  var files: [Inode.Name: Inode] = [:]
  private var directories: [Inode.Name: LastNames] = [:]

  /// A directory leaves its name.
  mutating func left(_ name: Inode.Name, _ directory: Inode) {
    directories[name] = directory.last
  }

  /// What a directory that comes to a name has from the one that left it.
  func takenOver(at name: Inode.Name, by directory: Inode) -> LastNames {
    guard let left = directories[name] else { return directory.last }
    var last = directory.last
    last.files.merge(left.files) { own, _ in own }
    last.directories.merge(left.directories) { own, _ in own }
    return last
  }
}
