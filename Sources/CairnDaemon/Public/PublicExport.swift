import CairnControl
import CairnReplica
import CairnZone
import FoundationEssentials
import Glibc

/// Writes the public database as plain files with an `index.json` beside them, so that any web
/// server can show it. Unchanged files of an earlier export are not touched. It owns the folder's
/// index, and has no access to the log.
struct PublicExport {
  /// The contents of `index.json`.
  struct Index: Codable {
    /// Always `cairn public export 1`.
    var format: String
    /// The container's id.
    var container: String
    /// All entries.
    var entries: [Entry]
  }

  /// One entry of `index.json`.
  struct Entry: Codable, Equatable {
    /// The path relative to the folder.
    var path: Control.Path
    /// `file`, `directory` or `symlink`; symbolic links are only listed.
    var kind: Control.EntryKind
    /// The size in bytes.
    var size: Int64
    /// The modification time.
    var modified: Control.Time
    /// A Boolean value that indicates whether it is executable.
    var executable: Bool
    /// The target of a symbolic link.
    var target: Control.Path?
    /// The handle of the author, as they chose it.
    var author: String?
    /// The id of the author, which cannot be forged.
    var authorID: String
    /// The record's UUID.
    var record: String
    /// The commit that changed it last.
    var sequence: UInt64
    /// The content's id: the same for equal bytes.
    var content: String?
  }

  static let format = "cairn public export 1"
  static let indexName = "index.json"

  let tree: PublicTree
  let container: String
  let folder: Control.Path

  /// Writes the changes since the last export into the folder.
  func run(_ progress: (Int, Int) -> Void) throws -> Control.PublicExportReply {
    let before = try prepare()
    var all: [PublicTree.Found] = []
    try tree.forEachPortion(recursive: true) { all += $0 }
    let entries = all.map(\.entry)
    let removed = try removeOld(before, keeping: entries)
    let files = all.filter { $0.entry.kind == .file }
    for entry in entries where entry.kind == .directory { try makeFolder(entry.path) }
    var written = 0
    for (done, file) in files.enumerated() {
      if try write(file, unless: before[file.entry.path]) { written += 1 }
      progress(done + 1, files.count)
    }
    try writeIndex(
      Index(
        format: Self.format, container: container, entries: entries.map(Self.line)))
    return Control.PublicExportReply(
      path: folder, files: files.count, written: written, removed: removed, problems: [])
  }

  private static func line(_ entry: Control.PublicEntry) -> Entry {
    Entry(
      path: entry.path, kind: entry.kind, size: entry.size, modified: entry.modified,
      executable: entry.executable, target: entry.target, author: entry.author.handle,
      authorID: entry.author.user, record: entry.record, sequence: entry.sequence,
      content: entry.content)
  }

  // MARK: What an earlier export left

  /// Creates the folder if it is missing, and reads the index of an earlier export. Any other
  /// folder with contents is refused: it may be somebody's.
  private func prepare() throws -> [Control.Path: Entry] {
    if folder.bytes.withPath({ mkdir($0, 0o777) }) != 0, errno != EEXIST {
      throw PlainFile.failure("be made", folder)
    }
    let index = absolute(Control.Path(Self.indexName))
    guard index.bytes.withPath({ access($0, F_OK) }) == 0 else {
      guard try Self.isEmpty(folder) else { throw foreign() }
      return [:]
    }
    let bytes = try PlainFile.bytes(of: index)
    let known: Index
    do { known = try ControlJSON.decode(Index.self, from: bytes) } catch { throw foreign() }
    guard known.format == Self.format, known.container == container else { throw foreign() }
    return Dictionary(known.entries.map { ($0.path, $0) }) { first, _ in first }
  }

  private func foreign() -> ControlError {
    ControlError(
      .invalidArguments, "\(folder) has something in it that no export of this container wrote.",
      remedy: "Name an empty folder, or one that doesn't exist.", path: folder)
  }

  /// Returns whether a folder is empty.
  static func isEmpty(_ folder: Control.Path) throws -> Bool {
    guard let directory = folder.bytes.withPath({ opendir($0) }) else {
      throw PlainFile.failure("be read", folder)
    }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { return false }
    }
    return true
  }

  /// Removes exported entries that are gone or changed their kind, children first.
  private func removeOld(
    _ before: [Control.Path: Entry], keeping entries: [Control.PublicEntry]
  ) throws -> Int {
    let now = Dictionary(entries.map { ($0.path, $0.kind) }) { first, _ in first }
    var removed = 0
    for old in before.values.sorted(by: { $1.path.bytes.lexicographicallyPrecedes($0.path.bytes) })
    where old.kind != .symlink && now[old.path] != old.kind {
      let path = absolute(try Self.checked(old.path))
      let result = path.bytes.withPath { old.kind == .directory ? rmdir($0) : unlink($0) }
      if result == 0, old.kind == .file { removed += 1 }
      // A person's own file in an exported folder keeps the folder.
      guard result == 0 || [ENOENT, ENOTDIR, ENOTEMPTY, EEXIST].contains(errno) else {
        throw PlainFile.failure("be removed", path)
      }
    }
    return removed
  }

  // MARK: Writing

  private func makeFolder(_ path: Control.Path) throws {
    let path = absolute(path)
    guard path.bytes.withPath({ mkdir($0, 0o777) }) != 0 else { return }
    var status = stat()
    guard errno == EEXIST, path.bytes.withPath({ lstat($0, &status) }) == 0,
      status.st_mode & S_IFMT == S_IFDIR
    else { throw PlainFile.failure("be made", path) }
  }

  /// Writes one file; false if it is unchanged.
  private func write(_ file: PublicTree.Found, unless known: Entry?) throws -> Bool {
    let entry = file.entry
    let path = absolute(entry.path)
    if let known, known.kind == .file, known.content == entry.content,
      known.executable == entry.executable, known.modified == entry.modified,
      isThere(path, entry)
    {
      return false
    }
    try PlainFile.write(
      path, isExecutable: entry.executable, modified: entry.modified.nanoseconds
    ) { write in
      if let content = file.record.content {
        try file.directory.zone.readContent(content, write)
      }
    }
    return true
  }

  private func isThere(_ path: Control.Path, _ entry: Control.PublicEntry) -> Bool {
    var status = stat()
    guard path.bytes.withPath({ lstat($0, &status) }) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFREG && Int64(status.st_size) == entry.size
      && status.st_mtim.nanoseconds == entry.modified.nanoseconds
  }

  private func writeIndex(_ index: Index) throws {
    let bytes = try ControlJSON.encode(index)
    let path = absolute(Control.Path(Self.indexName))
    let isThere = path.bytes.withPath { access($0, F_OK) } == 0
    let known = isThere ? try PlainFile.bytes(of: path) : []
    guard known != bytes else { return }
    try PlainFile.write(path, isExecutable: false, modified: nil) { write in
      try bytes.withUnsafeBytes(write)
    }
  }

  /// Returns a path from `index.json` after a check, because somebody may have edited it.
  private static func checked(_ path: Control.Path) throws -> Control.Path {
    _ = try PublicTree.names(path)
    return path
  }

  private func absolute(_ path: Control.Path) -> Control.Path {
    Control.Path(folder.bytes + [UInt8(ascii: "/")] + path.bytes)
  }
}
