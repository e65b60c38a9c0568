import CairnFolders

/// The second names of files that the daemon never saw. A change by a name that exists only between
/// two scans can be found only by a full scan: events name the used name, which no longer exists.
struct UnseenNames {
  private struct Name: Hashable {
    var directory: UInt64
    var bytes: Inode.Name
    var inode: UInt64
  }

  /// The names that the daemon scanned.
  private var seen: Set<Name> = []
  /// The files that were changed by another name, and not scanned since.
  private var changed: Set<UInt64> = []
  /// A Boolean value that indicates whether such a name disappeared before a scan, and the file has
  /// another one.
  private(set) var hidesChange = false

  /// Notes that the daemon scans a name.
  mutating func look(at name: Inode.Name, in directory: Inode, _ inode: Inode) {
    guard inode.kind == .file else { return }
    seen.insert(Name(directory: directory.number, bytes: name, inode: inode.number))
    changed.remove(inode.number)
  }

  /// Notes that a person changes a file by one of its names.
  mutating func change(_ entry: PersonAtWork.Entry) {
    let name = Name(
      directory: entry.directory.number, bytes: entry.name, inode: entry.inode.number)
    if entry.inode.links > 1, !seen.contains(name) { changed.insert(entry.inode.number) }
  }

  /// Notes that a person removes a name.
  mutating func remove(_ entry: PersonAtWork.Entry) {
    let name = Name(
      directory: entry.directory.number, bytes: entry.name, inode: entry.inode.number)
    let wasSeen = seen.remove(name) != nil
    if entry.inode.links > 1, !wasSeen, changed.contains(entry.inode.number) { hidesChange = true }
  }
}
