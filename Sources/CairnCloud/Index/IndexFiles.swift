import GRDB

/// The index files of one person's container on one device, one for each scope, in a folder or in
/// memory. All of them are caches (DESIGN.md §2.6).
public struct IndexFiles: Sendable {
  let files: [DatabaseScope: IndexFile]

  /// Opens the files `private.sqlite`, `shared.sqlite` and `public.sqlite` in a folder, making
  /// those that are missing.
  public init(folder: String) throws {
    var files: [DatabaseScope: IndexFile] = [:]
    for scope in DatabaseScope.allCases {
      files[scope] = try IndexFile(path: "\(folder)/\(scope.rawValue).sqlite")
    }
    self.files = files
  }

  /// Empty ones in memory, for simulations. `gate` is asked before each commit, and what it throws
  /// undoes the transaction.
  public init(inMemory gate: @escaping @Sendable () throws -> Void) throws {
    var files: [DatabaseScope: IndexFile] = [:]
    for scope in DatabaseScope.allCases { files[scope] = try IndexFile(inMemory: gate) }
    self.files = files
  }

  /// What these hold now, in memory.
  public func copy(_ gate: @escaping @Sendable () throws -> Void) throws -> IndexFiles {
    try IndexFiles(files: files.mapValues { try $0.copy(gate) })
  }

  private init(files: [DatabaseScope: IndexFile]) throws { self.files = files }
}
