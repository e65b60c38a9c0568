import CairnFolders
import CairnZone

/// The files on a disk below a directory, by path.
struct Tree: Equatable {
  /// The mirrored properties of one entry.
  struct Entry: Equatable, CustomStringConvertible {
    var kind: FileStat.Kind
    var bytes: [UInt8]
    var isExecutable: Bool
    /// The time of a file; compared only with an earlier state of the same disk.
    var modified: Int64

    /// The last bytes for display: a line of a script cannot have zeros.
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

  /// The prefix of people's temporary files, which are ignored.
  static let temporary = Array(".#".utf8)

  var entries: [[UInt8]: Entry] = [:]

  /// Creates a tree. With `withIgnored` it includes files that the built-in patterns exclude, as
  /// programs leave them after a power cut.
  init(
    below top: Inode, leavingOut own: Inode.Name? = SimulatedDisk.ownFolder,
    withIgnored: Bool = false
  ) {
    var stack: [(Inode, [Inode.Name])] = [(top, [])]
    while let (directory, path) = stack.popLast() {
      for (name, inode) in directory.entries where !(path.isEmpty && name == own) {
        if !withIgnored, name.starts(with: Self.temporary) { continue }
        if name == FileName.localRules { continue }
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

  /// The number of files with names of conflict copies.
  var conflictCopies: Int {
    entries.keys.count { text($0).contains(" (conflict, ") }
  }
}
