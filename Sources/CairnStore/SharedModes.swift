import CairnSystem
import Glibc

/// The permissions of what is made in a container: those of its root, so that a root of mode 2770
/// and a group is shared by that group, and one of mode 0700 by nobody. Knows no keys.
struct SharedModes: Sendable {
  /// For folders: the root's own bits, set-group-id included.
  let folder: mode_t
  /// For objects, which never change: who may read the root may read them.
  let object: mode_t

  init(of root: borrowing Descriptor, path: String) throws(StoreError) {
    var status = cairn_stat()
    let result = cairn_stat_fd(root.raw, &status)
    guard result == 0 else { throw .rootFailure(-result, root: path, key: nil) }
    folder = mode_t(status.mode & 0o3777 | 0o700)
    object = mode_t(status.mode & 0o044 | 0o400)
  }
}
