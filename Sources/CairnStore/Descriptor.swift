import CairnSystem
import Glibc

/// An open file descriptor that is closed when its owner is released. It knows nothing of stores.
struct Descriptor: ~Copyable, Sendable {
  let raw: Int32

  init(owning raw: Int32) {
    self.raw = raw
  }

  deinit {
    close(raw)
  }

  /// Opens `path` beneath a folder without following symlinks. Returns a descriptor, or -errno
  /// (-ELOOP for a symlink on the way). "" opens the folder itself again.
  static func openBeneath(_ folder: Int32, _ path: String, _ flags: Int32) -> Int32 {
    let opened = cairn_open_beneath(folder, path.isEmpty ? "." : path, flags, 0)
    return opened == -ENOSYS ? openByComponent(folder, path, flags) : opened
  }

  /// The same for kernels and sandboxes without openat2.
  static func openByComponent(_ folder: Int32, _ path: String, _ flags: Int32) -> Int32 {
    let components = path.isEmpty ? ["."] : path.split(separator: "/").map(String.init)
    var current = folder
    for (index, component) in components.enumerated() {
      let isLast = index == components.count - 1
      let how = isLast ? flags : O_RDONLY | O_DIRECTORY
      let next = openat(current, component, how | O_NOFOLLOW | O_CLOEXEC)
      let failure = next < 0 ? errno : 0
      // An open with O_DIRECTORY reports ENOTDIR for a symlink.
      var status = cairn_stat()
      let isLink =
        failure == ENOTDIR && cairn_stat_at(current, component, &status) == 0
        && status.mode & UInt32(S_IFMT) == UInt32(S_IFLNK)
      if current != folder { close(current) }
      guard next >= 0 else { return isLink ? -ELOOP : -failure }
      current = next
    }
    return current
  }
}
