import Glibc

/// The mode of index files. They contain keys of zones, so only their owner may read them; the mode
/// of the folder doesn't protect a copy.
enum IndexFileMode {
  /// Removes the permissions of others before the file is opened. SQLite gives the files beside it
  /// the same mode. SQLite reports what is wrong with the file when it opens it.
  static func close(toOthers path: String) {
    // An existing file is never opened here: closing it would end the locks of other connections.
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
