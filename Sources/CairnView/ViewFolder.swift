import CairnControl
import Glibc

/// The folder of a view's cache. One process uses it at a time.
enum ViewFolder {
  /// The time in seconds after which the folder of a view that isn't shown is removed.
  private static let patience = 30 * 24 * 60 * 60

  /// Creates a folder, and locks it for this process until its end. Folders of views that were not
  /// shown for a month are removed.
  /// - Returns: The absolute path.
  static func claim(_ name: String, in home: Home) throws(ControlError) -> String {
    let folder = "\(home.views)/\(name)"
    try Home.makePrivateFolder(home.views)
    try Home.makePrivateFolder(folder)
    let lock = open("\(folder)/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else {
      throw ControlError(
        .permissionFailure,
        "The cache \(folder) can't be used: \(String(cString: strerror(errno))).",
        remedy: "Check the owner and the mode.", path: .init(folder))
    }
    // The process keeps the descriptor until its end.
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      close(lock)
      throw ControlError(
        .alreadyRunning, "Another process shows this view.",
        remedy: "`cairn mount` lists the views, and `cairn mount --end` ends one.")
    }
    _ = futimens(lock, nil)
    for other in names(in: home.views) where other != name {
      removeIfOld("\(home.views)/\(other)")
    }
    return folder
  }

  private static func removeIfOld(_ folder: String) {
    let lock = open("\(folder)/lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard lock >= 0 else { return }
    defer { close(lock) }
    var status = stat()
    guard flock(lock, LOCK_EX | LOCK_NB) == 0, fstat(lock, &status) == 0,
      status.st_mtim.tv_sec + patience < time(nil)
    else { return }
    // Drafts of a killed process stay.
    for name in names(in: folder) where !name.hasPrefix("draft-") { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
