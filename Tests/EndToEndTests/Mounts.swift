import CairnControl
import Glibc
import Testing

/// Real mounts, in a mount namespace of one person's daemon, so that none of them is left when it
/// ends. They need root.
enum Mounts {
  /// A Boolean value that indicates whether this process may create mount namespaces, and mount in
  /// them.
  static let arePossible = succeeds("mount -t tmpfs none \"$0\"")

  /// A Boolean value that indicates whether file systems in images may be created and mounted
  /// there.
  static let ofImagesArePossible = succeeds(
    """
    mount -t tmpfs none "$0" && cd "$0" && mkdir at && truncate -s 256M image \
      && /usr/sbin/mkfs.ext4 -q -F image && mount -o loop image at && umount at
    """)

  private static func succeeds(_ script: String) -> Bool {
    guard geteuid() == 0 else { return false }
    do {
      let scratch = Folder("/tmp/cairn-mounts-\(getpid())")
      try scratch.make("")
      defer { rmdir(scratch.path) }
      let outcome = try Program.run(
        "/usr/bin/unshare", ["-m", "sh", "-c", script, scratch.path],
        environment: ["PATH=/usr/bin:/bin:/usr/sbin:/sbin"], scratch: scratch)
      for name in ["out", "err"] { unlink(scratch.path + "/" + name) }
      return outcome.status == 0
    } catch {
      return false
    }
  }

  /// The reason why a test is skipped.
  static let comment: Comment = "real mounts need root, and mount(2) in a namespace of one's own"
}

extension Person {
  /// Starts the daemon in a mount namespace of its own, after a script that may mount file systems.
  func startDaemon(after script: String) throws {
    let outcome = try run(
      program: "/usr/bin/unshare", "-m", "sh", "-c", script + " && exec \"$0\" start", program)
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  /// Runs a script in the daemon's mount namespace.
  func inDaemonsMounts(_ script: String) throws {
    let home = try Home(environment: ["CAIRN_HOME": home.path])
    let process = try #require(HomeLock.holder(of: home))
    let outcome = try run(
      program: "/usr/bin/nsenter", "-t", "\(process)", "-m", "sh", "-c", script)
    try #require(outcome.status == 0, "\(script): \(outcome.errors)")
  }
}
