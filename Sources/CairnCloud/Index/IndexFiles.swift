import CairnIndex

/// The index files of one person's container on one device, one for each scope, in a folder or in
/// memory. All of them are caches: delete one, and it is made again from the container and the
/// folders.
public struct IndexFiles: Sendable {
  let files: [DatabaseScope: IndexFile]
  /// What was read of people's chains, in a file of its own: it is asked in the middle of a fold.
  let people: IndexFile

  /// Opens the files `private.sqlite`, `shared.sqlite`, `public.sqlite` and `people.sqlite` in a
  /// folder, making those that are missing.
  public init(folder: String) throws {
    var files: [DatabaseScope: IndexFile] = [:]
    for scope in DatabaseScope.allCases {
      files[scope] = try Self.file("\(folder)/\(scope.rawValue).sqlite")
    }
    self.files = files
    people = try Self.file("\(folder)/people.sqlite")
  }

  private static func file(_ path: String) throws -> IndexFile {
    try IndexFile(path: path, schema: .zones, hasReaders: true)
  }

  /// Empty ones in memory, for simulations. `gate` is asked before each commit, and what it throws
  /// undoes the transaction.
  public init(inMemory gate: @escaping @Sendable () throws -> Void) throws {
    var files: [DatabaseScope: IndexFile] = [:]
    for scope in DatabaseScope.allCases {
      files[scope] = try IndexFile(inMemory: .zones, gate: gate)
    }
    self.files = files
    people = try IndexFile(inMemory: .zones, gate: gate)
  }

  /// What index files hold at a moment.
  public struct Rows: Sendable {
    let files: [DatabaseScope: IndexRows]
    let people: IndexRows
  }

  /// What these hold now.
  public func rows() throws -> Rows {
    Rows(files: try files.mapValues { try $0.rows() }, people: try people.rows())
  }

  /// Makes these hold what they, or others, held. Nothing that uses them may be open.
  public func replaceAll(by rows: Rows) throws {
    for (scope, rows) in rows.files { try files[scope]?.replaceAll(by: rows) }
    try people.replaceAll(by: rows.people)
  }
}
