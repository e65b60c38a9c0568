import CairnPlan
import CairnZone

/// The single files in a mount's folder that have mounts of their own, as the other mounts saw them
/// last. A file is recognized by its inode, wherever its person moved it.
struct NestedFiles {
  /// A file that isn't the other mount's, although it has the inode of that mount's file: a hard
  /// link, or a file that an editor renamed before it wrote the new one.
  struct Released: Hashable {
    var part: ZonePart
    var place: Place
    var inode: UInt64
  }

  /// The files of the other mounts.
  private(set) var rows: [ZonePart: NodeRow] = [:]
  /// The expected places of those files.
  var places: [Place: ZonePart] = [:]
  private var parts: [UInt64: [ZonePart]] = [:]
  private(set) var released: Set<Released> = []

  /// Adopts the present contents of the index. A release ends when the other mount's file has
  /// another inode.
  mutating func take(_ files: [(part: ZonePart, row: NodeRow)]) {
    rows = Dictionary(files.map { ($0.part, $0.row) }) { first, _ in first }
    parts = [:]
    for (part, row) in rows {
      if let inode = row.local?.inode { parts[inode, default: []].append(part) }
    }
    released = released.filter { rows[$0.part]?.local?.inode == $0.inode }
  }

  /// Returns whether a file at the place of another mount's file isn't the file that the other
  /// mount saw last.
  func isOther(_ stat: FileStat, at place: Place) -> Bool {
    guard let part = places[place], let row = rows[part], row.local != nil else { return false }
    return !row.isSameInode(as: stat)
  }

  mutating func release(_ part: ZonePart, at place: Place, _ stat: FileStat) {
    released.insert(Released(part: part, place: place, inode: stat.inode))
  }

  /// Returns the mount of a file, unless the file was released there.
  func part(of stat: FileStat, at place: Place) -> ZonePart? {
    guard stat.kind == .file, let candidates = parts[stat.inode] else { return nil }
    return candidates.first { part in
      rows[part]?.isSameInode(as: stat) == true
        && !released.contains(Released(part: part, place: place, inode: stat.inode))
    }
  }
}
