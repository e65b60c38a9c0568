import CairnControl

/// The entries that the kernel remembers by a number. A version of a file has a number of its own:
/// so a program that has the earlier version open goes on reading it.
struct ViewNodes: Sendable {
  /// An entry with its number.
  struct Node: Sendable {
    var entry: Control.ViewEntry
    /// The record of its directory; empty for the root.
    var directory: String
    /// The time of the monotonic clock at which the entry was true.
    var checked: Int64
    /// The number of times that the kernel was told the number.
    var lookups: UInt64
  }

  /// The identity of an entry.
  private struct Key: Hashable {
    var zone: String
    var record: String
    var content: String?
  }

  /// The number of the root, which is never forgotten.
  static let root: UInt64 = 1

  private var nodes: [UInt64: Node] = [:]
  private var numbers: [Key: UInt64] = [:]
  private var last = Self.root

  /// The number of remembered entries.
  var count: Int { nodes.count }

  /// Creates a table with the root.
  init(root entry: Control.ViewEntry, checked: Int64) {
    nodes[Self.root] = Node(entry: entry, directory: "", checked: checked, lookups: 1)
    numbers[Self.key(entry)] = Self.root
  }

  subscript(number: UInt64) -> Node? { nodes[number] }

  /// Remembers an entry once more.
  /// - Returns: Its number.
  mutating func remember(
    _ entry: Control.ViewEntry, in directory: String, checked: Int64
  ) -> UInt64 {
    let key = Self.key(entry)
    if let number = numbers[key] {
      remember(number)
      nodes[number]?.directory = directory
      update(number, entry, checked: checked)
      return number
    }
    last += 1
    numbers[key] = last
    nodes[last] = Node(entry: entry, directory: directory, checked: checked, lookups: 1)
    return last
  }

  /// Remembers an entry with a number once more.
  mutating func remember(_ number: UInt64) { nodes[number]?.lookups += 1 }

  /// The number of an entry; nil if the kernel doesn't remember it.
  func number(of entry: Control.ViewEntry) -> UInt64? { numbers[Self.key(entry)] }

  /// Gives the number of an entry to its new version or record.
  mutating func rebind(
    _ number: UInt64, _ entry: Control.ViewEntry, in directory: String? = nil, checked: Int64
  ) {
    guard let node = nodes[number] else { return }
    let (old, new) = (Self.key(node.entry), Self.key(entry))
    if numbers[old] == number { numbers[old] = nil }
    // The kernel may remember it by another number already.
    if numbers[new] == nil { numbers[new] = number }
    if let directory { nodes[number]?.directory = directory }
    update(number, entry, checked: checked)
  }

  /// Notes that an entry is true now.
  mutating func update(_ number: UInt64, _ entry: Control.ViewEntry, checked: Int64) {
    nodes[number]?.entry = entry
    nodes[number]?.checked = checked
  }

  /// Forgets an entry that was remembered `count` times.
  mutating func forget(_ number: UInt64, _ count: UInt64) {
    guard number != Self.root, let node = nodes[number] else { return }
    guard node.lookups <= count else {
      nodes[number]?.lookups -= count
      return
    }
    nodes[number] = nil
    let key = Self.key(node.entry)
    if numbers[key] == number { numbers[key] = nil }
  }

  private static func key(_ entry: Control.ViewEntry) -> Key {
    Key(zone: entry.zone, record: entry.record, content: entry.content)
  }
}

extension Control.ViewEntry {
  /// The inode number that programs see: the same for all versions of a record, on all devices.
  var inode: UInt64 {
    let digits = (zone.prefix(16) + record.filter { $0 != "-" }).utf8
    return max(fnv1a(digits), 2)
  }
}
