import CairnFolders

/// Texts, in which people write lines.
extension PersonAtWork {
  /// The names of texts, in the root of the folder.
  static let texts: [Inode.Name] = ["d.txt", "g.md"].map { Array($0.utf8) }

  /// The number of lines of a new text.
  private static let lines = 12

  /// Puts a new line into a text, or creates the text.
  func writeLine(_ place: Place, _ line: Int) -> Bool {
    guard let entry = entry(place) else {
      guard let parent = directory(place.parent) else { return false }
      let bytes = (0..<Self.lines).flatMap { _ in versions.freshLine(by: number) }
      let inode = disk.make(.file, place.name, in: parent, mode: 0o644)
      inode.bytes = bytes
      trace.note("      begins the text \(disk.place(parent, place.name))")
      disk.tell(parent, place.name)
      return true
    }
    guard entry.inode.kind == .file, versions.isText(entry.inode.bytes) else { return false }
    var lines = Versions.lines(of: entry.inode.bytes)
    let fresh = versions.freshLine(by: number)
    lines.insert(fresh[...], at: line % (lines.count + 1))
    trace.note("      writes a line in \(disk.place(entry.directory, entry.name))")
    fill(entry.inode, Array(lines.joined()))
    disk.unseen.change(entry)
    disk.tell(entry.directory, entry.name)
    return true
  }
}
