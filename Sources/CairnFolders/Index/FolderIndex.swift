public import CairnIndex
public import CairnZone
import Synchronization

/// The database `folders.sqlite`: the result of the last scan of each mounted folder, and the state
/// on which both sides last agreed. It is a cache: without it, the next start compares the folder
/// with the zone again. The zone's own tree is in the person's other index files.
public final class FolderIndex: Sendable {
  private let file: IndexFile
  private let cache = NodeCache()
  /// The absolute path of the file's folder; nil in memory.
  let folder: [UInt8]?
  /// The data that the mounts have of each other.
  let neighbours = Neighbours()
  let durableWrites = Atomic(0)
  /// The number of transactions that were on the disk at their end. Simulations put an index back
  /// to an earlier moment, but not to one before the last of these.
  public var durableWriteCount: Int { durableWrites.load(ordering: .relaxed) }

  /// Opens the file at `path`, and creates it and its tables if they are missing.
  /// - Throws: SQLite's error if the file cannot be opened or written.
  public init(path: String) throws {
    let slash = path.lastIndex(of: "/")
    folder = slash.map { Array(path[..<$0].utf8) }
    file = try IndexFile(
      path: path, schema: .folders, hasReaders: false, isInnermost: true)
    file.onRollback { [cache] in cache.forgetAll() }
  }

  /// Creates an empty index in memory, for simulations. `gate` is called before each commit; an
  /// error that it throws undoes the transaction.
  public init(inMemory gate: @escaping @Sendable () throws -> Void) throws {
    folder = nil
    file = try IndexFile(inMemory: .folders, isInnermost: true, gate: gate)
    file.onRollback { [cache] in cache.forgetAll() }
  }

  /// Returns the present contents.
  public func rows() throws -> IndexRows { try file.rows() }

  /// Replaces the contents by those of this or another index. No mount of it may be attached.
  public func replaceAll(by rows: IndexRows) throws {
    defer { cache.forgetAll() }
    try file.replaceAll(by: rows)
  }

  /// Returns whether the rows in memory of a part's mount are those of the file, for simulations.
  /// - Complexity: O(*n*) in the number of rows in memory.
  public func areCachedRowsTrue(of part: ZonePart) throws -> Bool {
    guard let mount = try number(of: part) else { return true }
    return try read(mount) { tree in
      try cache.rows(of: mount).allSatisfy { try tree.storedNode($0.key) == $0.value }
    }
  }

  /// The work of the index so far.
  var work: IndexWork { file.work }

  /// Releases the file's pages and rows in memory.
  func releaseMemory() throws {
    cache.forgetAll()
    try file.releaseMemory()
  }

  /// Returns whether a node with the name of a conflict copy was stored since the last call.
  func takeConflictCopies(of mount: Int64) -> Bool { cache.takeConflictCopies(of: mount) }

  /// Performs one reading transaction on a mount's nodes.
  func read<Result>(_ mount: Int64, _ body: (FolderTree) throws -> Result) throws -> Result {
    try file.read { try body(FolderTree(db: $0, mount: mount, cache: cache)) }
  }

  /// Performs one transaction on a mount's nodes.
  func write<Result>(_ mount: Int64, _ body: (FolderTree) throws -> Result) throws -> Result {
    try file.write { try body(FolderTree(db: $0, mount: mount, cache: cache)) }
  }

  /// Performs one transaction on a mount's nodes that is committed with the next one. The caller
  /// repeats it if `losses` has grown, and after a start.
  func writeSoon<Result>(_ mount: Int64, _ body: (FolderTree) throws -> Result) throws -> Result {
    try file.writeSoon { try body(FolderTree(db: $0, mount: mount, cache: cache)) }
  }

  /// Keeps a transaction open between reads, and until the next change, while `body` runs.
  func session<Result>(_ body: () throws -> Result) throws -> Result { try file.session(body) }

  /// The number of transactions that were lost after their callers had returned.
  var losses: Int { file.losses }

  /// Performs one transaction on a mount's nodes, which is on the disk when this returns.
  func writeDurably(_ mount: Int64, _ body: (FolderTree) throws -> Void) throws {
    try file.writeDurably { try body(FolderTree(db: $0, mount: mount, cache: cache)) }
    durableWrites.add(1, ordering: .relaxed)
  }

  /// Returns the number of the mount of a part of a zone, and creates it if it is new.
  func register(_ part: ZonePart, _ root: FileStat) throws -> Int64 {
    try file.write { db in
      let number = try Self.number(of: part, db)
      var query = try Query(
        db,
        number == nil
          ? "INSERT INTO mount (device, inode, birth, zone, base) VALUES (?, ?, ?, ?, ?)"
          : "UPDATE mount SET device = ?, inode = ?, birth = ? WHERE zone = ? AND base = ?")
      Self.bind(root, to: &query)
      Self.bind(part, to: &query)
      try query.run()
      return number ?? db.lastRow
    }
  }

  /// Returns the number of the mount of a part of a zone; nil if there is none.
  func number(of part: ZonePart) throws -> Int64? {
    try file.read { try Self.number(of: part, $0) }
  }

  /// Returns whether this is the folder that was last seen to mirror a part of a zone.
  func isRoot(of part: ZonePart, _ stat: FileStat) throws -> Bool {
    try file.read { db in
      var query = try Query(
        db,
        """
        SELECT 1 FROM mount WHERE device = ? AND inode = ? AND birth = ? AND zone = ? AND base = ?
        """)
      Self.bind(stat, to: &query)
      Self.bind(part, to: &query)
      return try query.next()
    }
  }

  /// Returns the root of the mount of a part of a zone when it was last attached.
  func root(of part: ZonePart) throws -> (inode: UInt64, birth: Int64)? {
    try file.read { db in
      var query = try Query(db, "SELECT inode, birth FROM mount WHERE zone = ? AND base = ?")
      Self.bind(part, to: &query)
      guard try query.next() else { return nil }
      return (UInt64(bitPattern: query.integer(0)), query.integer(1))
    }
  }

  private static func number(of part: ZonePart, _ db: IndexConnection) throws -> Int64? {
    var query = try Query(db, "SELECT number FROM mount WHERE zone = ? AND base = ?")
    bind(part, to: &query)
    return try query.next() ? query.integer(0) : nil
  }

  private static func bind(_ part: ZonePart, to query: inout Query) {
    query.bind(part.zone.bytes)
    query.bind(part.base)
  }

  private static func bind(_ root: FileStat, to query: inout Query) {
    query.bind(Int64(bitPattern: root.device))
    query.bind(Int64(bitPattern: root.inode))
    query.bind(root.birth)
  }

  /// Returns whether a mount of a part of a zone is inside another one's folder, by a reference.
  public func holdsReference(to part: ZonePart) throws -> Bool {
    try file.read { db in
      var query = try Query(db, "SELECT 1 FROM reference WHERE part = ?")
      query.bind(part.bytes)
      return try query.next()
    }
  }

  /// Deletes all rows of a mount.
  func forget(_ mount: Int64) throws {
    try write(mount) { try Self.forget($0) }
  }

  /// Deletes all rows of a mount in a transaction.
  static func forget(_ tree: FolderTree) throws {
    for table in IndexSchema.tablesOfMount {
      try tree.query("DELETE FROM \(table) WHERE mount = ?").run()
    }
    try tree.query("DELETE FROM mount WHERE number = ?").run()
    tree.cache.forgetAll()
  }
}
