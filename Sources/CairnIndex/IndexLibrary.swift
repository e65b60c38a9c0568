import CairnSQLite
import Glibc

/// What holds for SQLite in the whole process, and for every index file. It must not know any of
/// them.
enum IndexLibrary {
  private static let started: Void = cairn_sqlite_keep_no_account()

  /// Must have run before an index is opened; costs a load afterwards.
  static func start() { _ = started }

  /// Sees that an index file is its owner's alone before it is opened: keys of zones stand in it,
  /// and a folder's mode doesn't go with a copy. SQLite gives the files beside it the same mode.
  /// What is wrong with the file SQLite says when it opens it.
  static func close(toOthers path: String) {
    // Never opened where it exists: to close it would end the locks of those who have it open.
    let made = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard made < 0 else {
      _ = Glibc.close(made)
      return
    }
    for file in ["", "-wal", "-shm"].map({ path + $0 }) {
      var status = stat()
      if stat(file, &status) == 0, status.st_mode & 0o077 != 0 { _ = chmod(file, 0o600) }
    }
  }
}
