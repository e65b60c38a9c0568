import CairnCloud
import CairnPlan
import CairnZone

/// The single files in a mount's folder that have mounts of their own, as the other mounts saw them
/// last. The inode tells which file is which, wherever its person moved it.
struct NestedFiles {
  /// A file that isn't the other mount's, although it has the inode of that mount's file: a hard
  /// link, or what an editor renamed away before it wrote the file anew.
  struct Released: Hashable {
    var part: ZonePart
    var place: Place
    var inode: UInt64
  }

  /// The file of each other mount.
  private(set) var rows: [ZonePart: NodeRow] = [:]
  /// Where those files are expected.
  var places: [Place: ZonePart] = [:]
  private var parts: [UInt64: [ZonePart]] = [:]
  private(set) var released: Set<Released> = []

  /// Takes what the index has now. A release ends when the other mount's file is another inode.
  mutating func take(_ files: [(part: ZonePart, row: NodeRow)]) {
    rows = Dictionary(files.map { ($0.part, $0.row) }) { first, _ in first }
    parts = [:]
    for (part, row) in rows {
      if let inode = row.local?.inode { parts[inode, default: []].append(part) }
    }
    released = released.filter { rows[$0.part]?.local?.inode == $0.inode }
  }

  mutating func release(_ part: ZonePart, at place: Place, _ stat: FileStat) {
    released.insert(Released(part: part, place: place, inode: stat.inode))
  }

  /// The mount whose file this is, unless it was released there.
  func part(of stat: FileStat, at place: Place) -> ZonePart? {
    guard stat.kind == .file, let candidates = parts[stat.inode] else { return nil }
    return candidates.first { part in
      rows[part]?.isSameInode(as: stat) == true
        && !released.contains(Released(part: part, place: place, inode: stat.inode))
    }
  }
}
