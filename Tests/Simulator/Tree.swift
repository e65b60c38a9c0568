import CairnFolders

/// What stands on a disk below a directory, by paths.
struct Tree: Equatable {
  /// One entry, as far as it is mirrored.
  struct Entry: Equatable, CustomStringConvertible {
    var kind: FileStat.Kind
    var bytes: [UInt8]
    var isExecutable: Bool
    /// Of a file; compared only with an earlier look at the same disk.
    var modified: Int64

    /// The last bytes, to be shown: no line of a script can have zeros.
    private var last: [UInt8] { bytes.suffix(28).map { $0 == 0 ? UInt8(ascii: "0") : $0 } }

    var description: String {
      switch kind {
      case .directory: "a directory"
      case .symlink: "a symlink to \(text(bytes))"
      case .file, .other:
        "\"\(text(last))\"\(isExecutable ? " (executable)" : "")"
      }
    }
  }

  /// How the names of the people's temporary files begin, which are ignored.
  static let temporary = Array(".#".utf8)

  var entries: [[UInt8]: Entry] = [:]

  /// `withIgnored`: also what the built-in patterns keep out of the zone, as programs leave it
  /// behind when the power goes.
  init(
    below top: Inode, leavingOut own: Inode.Name? = SimulatedDisk.ownFolder,
    withIgnored: Bool = false
  ) {
    var stack: [(Inode, [Inode.Name])] = [(top, [])]
    while let (directory, path) = stack.popLast() {
      for (name, inode) in directory.entries where !(path.isEmpty && name == own) {
        if !withIgnored, name.starts(with: Self.temporary) { continue }
        let full = path + [name]
        entries[Array(full.joined(separator: [UInt8(ascii: "/")]))] = Entry(
          kind: inode.kind, bytes: inode.kind == .symlink ? inode.target : inode.bytes,
          isExecutable: inode.kind == .file && inode.mode & 0o111 != 0,
          modified: inode.kind == .file ? inode.modified : 0)
        if inode.kind == .directory { stack.append((inode, full)) }
      }
    }
  }

  /// The first difference from another tree, in words; nil if there is none.
  func difference(from other: Tree, times: Bool = false) -> String? {
    for path in Set(entries.keys).union(other.entries.keys).sorted(by: {
      $0.lexicographicallyPrecedes($1)
    }) {
      switch (entries[path], other.entries[path]) {
      case (let mine?, let theirs?):
        var (mine, theirs) = (mine, theirs)
        if !times { (mine.modified, theirs.modified) = (0, 0) }
        if mine != theirs { return "\(text(path)) is \(mine) here and \(theirs) there" }
      case (let mine?, nil): return "\(text(path)) is \(mine) here and isn't there"
      case (nil, let theirs?): return "\(text(path)) isn't here and is \(theirs) there"
      case (nil, nil): break
      }
    }
    return nil
  }

  /// How many files are conflict copies by their names.
  var conflictCopies: Int {
    entries.keys.count { text($0).contains(" (conflict, ") }
  }
}
