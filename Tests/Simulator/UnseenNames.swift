import CairnFolders

/// Second names of files that the daemon never saw. What is done to a file by a name that comes and
/// goes between two looks nobody can know but by looking at all of the folder: events bear the name
/// that was used, and that leads nowhere any more.
struct UnseenNames {
  private struct Name: Hashable {
    var directory: UInt64
    var bytes: Inode.Name
    var inode: UInt64
  }

  /// The names that the daemon looked at.
  private var seen: Set<Name> = []
  /// The files that were changed by a name that it didn't, and that it didn't look at since.
  private var changed: Set<UInt64> = []
  /// Whether such a name went before anybody looked, and the file has another one.
  private(set) var hidesChange = false

  /// The daemon looks at a name.
  mutating func look(at name: Inode.Name, in directory: Inode, _ inode: Inode) {
    guard inode.kind == .file else { return }
    seen.insert(Name(directory: directory.number, bytes: name, inode: inode.number))
    changed.remove(inode.number)
  }

  /// A person changes a file by one of its names.
  mutating func change(_ entry: PersonAtWork.Entry) {
    let name = Name(
      directory: entry.directory.number, bytes: entry.name, inode: entry.inode.number)
    if entry.inode.links > 1, !seen.contains(name) { changed.insert(entry.inode.number) }
  }

  /// A person takes a name away.
  mutating func remove(_ entry: PersonAtWork.Entry) {
    let name = Name(
      directory: entry.directory.number, bytes: entry.name, inode: entry.inode.number)
    let wasSeen = seen.remove(name) != nil
    if entry.inode.links > 1, !wasSeen, changed.contains(entry.inode.number) { hidesChange = true }
  }
}
