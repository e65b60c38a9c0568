import CairnIndex

/// The index files of one person's container on one device, one for each scope, in a folder or in
/// memory. All of them are caches: a deleted file is rebuilt from the container and the folders.
public struct IndexFiles: Sendable {
  /// The files with the zones of each scope.
  public let files: [DatabaseScope: IndexFile]
  /// The chains of people, in a file of its own, because it is read during replay.
  public let people: IndexFile

  /// Opens the files `private.sqlite`, `shared.sqlite`, `public.sqlite` and `people.sqlite` in a
  /// folder, and creates missing ones. The folder then belongs to this process, until all files are
  /// closed.
  /// - Parameter folder: The path of the folder, which must exist.
  /// - Throws: `IndexFolderInUse` if another process uses the folder; `IndexFailure` if a file
  ///   can't be opened or written.
  public init(folder: String) throws {
    let lock = try IndexFolderLock(folder)
    var files: [DatabaseScope: IndexFile] = [:]
    for scope in DatabaseScope.allCases {
      files[scope] = try Self.file("\(folder)/\(scope.rawValue).sqlite", lock)
    }
    self.files = files
    people = try Self.file("\(folder)/people.sqlite", lock)
  }

  private static func file(_ path: String, _ lock: IndexFolderLock) throws -> IndexFile {
    try IndexFile(path: path, schema: .zones, hasReaders: true, lock: lock)
  }

  /// Creates empty files in memory, for simulations. `gate` is called before each commit, and its
  /// error undoes the transaction.
  public init(inMemory gate: @escaping @Sendable () throws -> Void) throws {
    var files: [DatabaseScope: IndexFile] = [:]
    for scope in DatabaseScope.allCases {
      files[scope] = try IndexFile(inMemory: .zones, gate: gate)
    }
    self.files = files
    people = try IndexFile(inMemory: .zones, gate: gate)
  }

  /// The contents of index files at one moment.
  public struct Rows: Sendable {
    let files: [DatabaseScope: IndexRows]
    let people: IndexRows
  }

  /// Copies the current contents.
  public func rows() throws -> Rows {
    Rows(files: try files.mapValues { try $0.rows() }, people: try people.rows())
  }

  /// Replaces the contents. No user of these files may be open.
  public func replaceAll(by rows: Rows) throws {
    for (scope, rows) in rows.files { try files[scope]?.replaceAll(by: rows) }
    try people.replaceAll(by: rows.people)
  }
}
