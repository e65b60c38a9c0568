import CairnControl
import Glibc

/// Finds the other users of this machine who can use a container in a directory, by its mode, and
/// the commands that change it. Whether others are intended to use it is unknown here.
enum ContainerAccess {
  /// Returns the notice about the folder of a container.
  /// - Parameters:
  ///   - folder: The directory; nil for a bucket.
  ///   - isToBeMade: Whether it doesn't exist yet, and the umask decides.
  /// - Returns: The notice; nil if others can use the folder, or nothing is known.
  static func notice(of folder: String?, isToBeMade: Bool = false) -> Control.Problem? {
    guard let folder else { return nil }
    var status = stat()
    if stat(folder, &status) != 0 {
      guard isToBeMade else { return nil }
      let mask = umask(0o022)
      umask(mask)
      status.st_mode = 0o777 & ~mask
    }
    return notice(of: folder, mode: status.st_mode)
  }

  static func notice(of folder: String, mode: mode_t) -> Control.Problem? {
    let isOpen = mode & 0o070 == 0o070 || mode & 0o007 == 0o007
    guard !isOpen else { return nil }
    let path = Control.Path(folder)
    let word = path.typed
    let digits = String(mode & 0o7777, radix: 8)
    let octal = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return Control.Problem(
      path: path, code: .permissionFailure,
      message: "Only its owner can write to \(path) (mode \(octal)).",
      remedy: "To let a group in, run: `chgrp -R GROUP \(word); chmod -R g+rX \(word); "
        + "find \(word) -type d -exec chmod g+ws,+t {} +`.")
  }
}
