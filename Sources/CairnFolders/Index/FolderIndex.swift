public import CairnIndex
public import CairnZone
import Synchronization

/// `folders.sqlite`: what the last look at each mounted folder found, and what both sides last
/// agreed on. A cache: delete it, and the next start compares the folder with the zone again. It
/// must not know the zone's own tree; that is in the person's other index files.
public final class FolderIndex: Sendable {
  private let file: IndexFile
  /// The folder that the file is in, absolute; nil for one in memory.
  let folder: [UInt8]?
  /// What the mounts know of each other.
  let neighbours = Neighbours()
  let durableWrites = Atomic(0)
  /// How many transactions were on the disk at their end; for simulations, in which an index goes
  /// back to an earlier moment, though not to one before the last of these.
  public var durableWriteCount: Int { durableWrites.load(ordering: .relaxed) }

  /// Opens the file at `path`, making it and its tables if needed.
  /// - Throws: what SQLite says if the file can't be opened or written.
  public init(path: String) throws {
    let slash = path.lastIndex(of: "/")
    folder = slash.map { Array(path[..<$0].utf8) }
    file = try IndexFile(
      path: path, schema: .folders, hasReaders: false, isInnermost: true)
  }

  /// An empty index in memory, for simulations. `gate` is asked before each commit, and what it
  /// throws undoes the transaction.
  public init(inMemory gate: @escaping @Sendable () throws -> Void) throws {
    folder = nil
    file = try IndexFile(inMemory: .folders, isInnermost: true, gate: gate)
  }

  /// What this holds now.
  public func rows() throws -> IndexRows { try file.rows() }

  /// Makes this hold what it, or another one, held. No mount of it may be attached.
  public func replaceAll(by rows: IndexRows) throws { try file.replaceAll(by: rows) }

  /// Forgets the pages of the file that are in memory.
  func releaseMemory() throws { try file.releaseMemory() }

  /// One transaction on a mount's nodes, reading only.
  func read<Result>(_ mount: Int64, _ body: (FolderTree) throws -> Result) throws -> Result {
    try file.read { try body(FolderTree(db: $0, mount: mount)) }
  }

  /// One transaction on a mount's nodes.
  func write<Result>(_ mount: Int64, _ body: (FolderTree) throws -> Result) throws -> Result {
    try file.write { try body(FolderTree(db: $0, mount: mount)) }
  }

  /// One transaction on a mount's nodes that is on the disk when this returns.
  func writeDurably(_ mount: Int64, _ body: (FolderTree) throws -> Void) throws {
    try file.writeDurably { try body(FolderTree(db: $0, mount: mount)) }
    durableWrites.add(1, ordering: .relaxed)
  }

  /// The number of the mount of that part of a zone, made if it's new.
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

  /// The number of the mount of that part of a zone, if there is one.
  func number(of part: ZonePart) throws -> Int64? {
    try file.read { try Self.number(of: part, $0) }
  }

  /// Whether this is the folder that was last seen to mirror that part of a zone.
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

  /// The root of the mount of that part of a zone, as it was attached last.
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

  /// Whether a mount for that part of a zone stands inside of another one's folder, by a reference.
  public func holdsReference(to part: ZonePart) throws -> Bool {
    try file.read { db in
      var query = try Query(db, "SELECT 1 FROM reference WHERE part = ?")
      query.bind(part.bytes)
      return try query.next()
    }
  }

  /// Drops everything about a mount.
  func forget(_ mount: Int64) throws {
    try file.write { db in
      let tree = FolderTree(db: db, mount: mount)
      for table in IndexSchema.tablesOfMount {
        try tree.query("DELETE FROM \(table) WHERE mount = ?").run()
      }
      try tree.query("DELETE FROM mount WHERE number = ?").run()
    }
  }
}
