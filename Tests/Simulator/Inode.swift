import CairnFolders

/// An inode of a simulated disk: bytes, names or a target, with times, and the bytes that would
/// survive a power cut.
final class Inode {
  typealias Name = [UInt8]

  let number: UInt64
  let birth: Int64
  let kind: FileStat.Kind
  var bytes: [UInt8] = [] { didSet { isDurable = false } }
  var target: [UInt8] = []
  var entries: [Name: Inode] = [:]
  /// The last files under a directory's names, at any time.
  var last = LastNames()
  /// The number of its file system.
  var device: UInt64 = 1
  /// The parent of a directory.
  weak var parent: Inode?
  var name: Name = []
  var mode: UInt32
  var group: UInt32 = 1_000
  /// Extended attributes, by name.
  var attributes: [Name: [UInt8]] = [:]
  var modified: Int64
  var changed: Int64
  var links: UInt32 = 0
  /// The numbers of writers and of all openings.
  var writers = 0
  var openings = 0
  /// A Boolean value that indicates whether the engine created it.
  var isEngines = false
  /// The daemon's sync cycle that created it.
  var turn = 0
  /// A Boolean value that indicates whether the current bytes are durable, and the bytes that are.
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

  /// The names from the top to here; nil for a removed inode.
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

  /// Returns whether this is that directory or is inside it.
  func isInside(_ directory: Inode) -> Bool {
    var current: Inode? = self
    while let inode = current {
      if inode === directory { return true }
      current = inode.parent
    }
    return false
  }
}

/// The last files under the names of a directory, and of its predecessors. If the daemon missed its
/// replacement, a new directory with the same name is the same to it, and so are its files.
struct LastNames {
  var files: [Inode.Name: Inode] = [:]
  private var directories: [Inode.Name: LastNames] = [:]

  /// Notes that a directory leaves its name.
  mutating func left(_ name: Inode.Name, _ directory: Inode) {
    directories[name] = directory.last
  }

  /// Returns the names that a new directory takes over from the one that left its name.
  func takenOver(at name: Inode.Name, by directory: Inode) -> LastNames {
    guard let left = directories[name] else { return directory.last }
    var last = directory.last
    last.files.merge(left.files) { own, _ in own }
    last.directories.merge(left.directories) { own, _ in own }
    return last
  }
}
