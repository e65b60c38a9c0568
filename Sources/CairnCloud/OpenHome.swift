import CairnIdentity
import CairnIndex
import Glibc

/// A home that this process has open: the folder of a person's keys and index files. The layout is
/// that of the daemon, so a daemon and a program refuse each other's home.
struct OpenHome: Sendable {
  private let path: String
  private let lock: IndexFolderLock

  /// The folder of the index files.
  var index: String { path + "/index" }

  init(_ home: String) throws {
    for folder in [home, home + "/keys", home + "/index"] {
      guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
        let reason = String(cString: strerror(errno))
        throw CloudError(.permissionFailure, "the folder \(folder) can't be made: \(reason)")
      }
    }
    lock = try IndexFolderLock(home + "/index")
    path = home
  }

  /// The account of the home, or a new one.
  func account(_ identity: Identity, _ root: ContainerFile) throws -> Account {
    let file = path + "/keys/" + AccountFile.name
    if access(file, F_OK) == 0 { return try Account.load(file) }
    let account = try Self.newAccount(identity, root)
    // The keys come first: a published identity without them would be lost.
    try account.store(file)
    return account
  }

  /// An account that isn't stored.
  static func newAccount(_ identity: Identity, _ root: ContainerFile) throws -> Account {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return try IdentityLog.begin(
      handle: identity.handle, name: identity.name, deviceName: "program",
      time: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec), in: root.trail
    ).account
  }
}
