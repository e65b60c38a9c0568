import CairnSystem
import Glibc

/// The permissions for new files in a container, taken from its root. A root of mode 2770 with a
/// group shares with that group, and one of mode 0700 with nobody. It knows no keys.
struct SharedModes: Sendable {
  /// The mode of folders: the root's own bits, including set-group-id.
  let folder: mode_t
  /// The mode of objects, which never change: readers of the root may read them.
  let object: mode_t

  init(of root: borrowing Descriptor, path: String) throws(StoreError) {
    var status = cairn_stat()
    let result = cairn_stat_fd(root.raw, &status)
    guard result == 0 else { throw .rootFailure(-result, root: path, key: nil) }
    folder = mode_t(status.mode & 0o3777 | 0o700)
    object = mode_t(status.mode & 0o044 | 0o400)
  }
}
