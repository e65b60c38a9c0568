import CairnSQLite

/// What holds for SQLite in the whole process. It must not know any file.
public enum IndexLibrary {
  private static let started: Void = cairn_sqlite_keep_no_account()

  /// Must have run before an index is opened; costs a load afterwards.
  public static func start() { _ = started }
}
