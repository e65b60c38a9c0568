import Glibc

/// The location of all files of one person on this machine: one folder if `CAIRN_HOME` names it,
/// otherwise the XDG folders. It only computes paths; it can create folders, and touches no file.
public struct Home: Hashable, Sendable {
  /// The folder in `CAIRN_HOME`; nil without it.
  public let root: String?
  /// The path of `cairn.conf`.
  public let configuration: String
  /// The folder of the device's keys; 0700.
  public let keys: String
  /// The folder of the SQLite files; 0700.
  public let index: String
  /// The folder for the only copies of files from ended shares; 0700.
  public let rescue: String
  /// The folder of `cairnd.log`; 0700.
  public let logs: String
  /// The folder of the socket; 0700.
  public let runtime: String
  /// The Unix socket, at most 107 bytes long.
  public let socket: String
  /// The file that the running daemon locks, with its process id.
  public let lock: String
  /// The container that commands name with `CAIRN_CONTAINER`, by its name or id; nil without it.
  public let container: String?
  /// The folder of the other files of one container.
  let data: String
  /// The folder of the files of all containers.
  let base: String

  /// The pauses of traffic; missing if there are none.
  public var paused: String { data + "/paused.json" }

  /// The shares that ended for this person; missing before the first.
  public var ended: String { data + "/ended.json" }

  /// The programs that use zones of this person; missing before the first.
  public var programs: String { data + "/programs.json" }

  /// The mounts of this device; missing before the first.
  public var mounts: String { data + "/mounts.json" }

  /// The folder for the caches of views, a folder for each view; 0700. Missing before the first.
  public var views: String { base + "/views" }

  /// The file for the standard error of views.
  public var viewLog: String { logs + "/mount.log" }

  /// The file for the standard error of a background daemon.
  public var log: String { logs + "/cairnd.log" }

  /// Computes the home from environment variables. Throws `invalidArguments` if `CAIRN_HOME` is not
  /// absolute, if `CAIRN_CONTAINER` can't be a container's name, or if there is no home folder at
  /// all.
  public init(environment: [String: String] = Home.environment()) throws(ControlError) {
    container = try Self.container(in: environment)
    if let root = environment["CAIRN_HOME"], !root.isEmpty {
      guard root.hasPrefix("/") else {
        throw ControlError(
          .invalidArguments, "CAIRN_HOME is \(root), which is not an absolute path.",
          remedy: "Set it to a path that begins with a slash.")
      }
      let root = Self.trimmed(root)
      self.root = root
      configuration = root + "/cairn.conf"
      keys = root + "/keys"
      index = root + "/index"
      rescue = root + "/rescue"
      logs = root + "/log"
      lock = root + "/cairnd.pid"
      (data, base) = (root, root)
      (runtime, socket) = Self.socket(in: root)
      return
    }
    root = nil
    func folder(_ variable: String, _ fallback: String) throws(ControlError) -> String {
      if let value = environment[variable], value.hasPrefix("/") { return Self.trimmed(value) }
      guard let home = environment["HOME"], home.hasPrefix("/") else {
        throw ControlError(
          .invalidArguments, "HOME is not set, so there is no place for Cairn's files.",
          remedy: "Set HOME or CAIRN_HOME to an absolute path.")
      }
      return Self.trimmed(home) + fallback
    }
    let data = try folder("XDG_DATA_HOME", "/.local/share") + "/cairn"
    configuration = try folder("XDG_CONFIG_HOME", "/.config") + "/cairn/cairn.conf"
    keys = data + "/keys"
    index = data + "/index"
    rescue = data + "/rescue"
    logs = try folder("XDG_STATE_HOME", "/.local/state") + "/cairn/log"
    lock = data + "/cairnd.pid"
    (self.data, base) = (data, data)
    let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    (self.runtime, socket) = Self.socket(in: runtime.map { Self.trimmed($0) + "/cairn" } ?? data)
  }

  /// Computes the place of a further container's files in a home.
  init(_ home: Home, in folder: String) {
    root = nil
    configuration = folder + "/cairn.conf"
    keys = folder + "/keys"
    index = folder + "/index"
    rescue = folder + "/rescue"
    (logs, runtime, socket, lock) = (home.logs, home.runtime, home.socket, home.lock)
    (container, base, data) = (home.container, home.base, folder)
  }

  /// The relevant environment variables of this process. A variable with invalid UTF-8 counts as
  /// unset.
  public static func environment() -> [String: String] {
    let names = [
      "CAIRN_HOME", "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
      Self.containerVariable,
    ]
    return names.reduce(into: [:]) { values, name in
      values[name] = getenv(name).flatMap { String(validatingCString: $0) }
    }
  }

  /// The folders with the home's files, the outer ones first. Those that Cairn creates are 0700.
  public var folders: [String] {
    let all = [root, Self.parent(of: configuration), data, keys, index, logs]
    var unique: [String] = []
    for folder in all.compactMap({ $0 }) where !unique.contains(folder) { unique.append(folder) }
    return unique
  }

  private static func trimmed(_ path: String) -> String {
    var path = path[...]
    while path.count > 1 && path.hasSuffix("/") { path.removeLast() }
    return path == "/" ? "" : String(path)
  }

  static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path
  }
}

extension Home {
  /// The length of `sun_path` without the NUL at its end: unix(7).
  static let socketPathLimit = 107

  /// The folder for sockets whose own path would be too long.
  static var shortFolder: String { "/tmp/cairn-\(getuid())" }

  /// The socket's folder and path. If the path is too long for a Unix socket, a short path is
  /// derived from the folder's name and the user.
  static func socket(in folder: String) -> (folder: String, socket: String) {
    let socket = folder + "/cairnd.sock"
    guard socket.utf8.count > socketPathLimit else { return (folder, socket) }
    // It only has to distinguish the homes of one user.
    let digits = String(fnv1a(folder.utf8), radix: 16)
    let name = String(repeating: "0", count: 16 - digits.count) + digits
    let short = "\(shortFolder)/\(name)"
    return (short, short + "/cairnd.sock")
  }
}

extension Home {
  /// A Boolean value that indicates whether the home is set up. An unreadable file does not count
  /// as missing.
  public var isSetUp: Bool {
    access(configuration, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)
  }

  /// The error for operations that need an account, in a home without one.
  public var noAccount: ControlError {
    guard access(keys + "/account", F_OK) == 0 else {
      return ControlError(
        .notAuthenticated, "There is no account in this home yet.",
        remedy: "Run `cairn init --container DIR --name NAME --handle HANDLE` first.")
    }
    return ControlError(
      .notAuthenticated, "This home has keys (\(keys)), but no cairn.conf.",
      remedy: "To use the keys, run `cairn init --container DIR --name NAME --handle HANDLE` with "
        + "your container and your handle.")
  }
}

/// The home's folders on the disk. Missing folders are created for this user alone. Existing
/// folders are checked and never changed: another program may use them.
extension Home {
  /// Creates the missing folders for the home's files; the folder for keys only if `withKeys`.
  /// Throws `permissionFailure` if a folder is another user's, or if others could read or replace
  /// its contents.
  public func makeFolders(withKeys: Bool) throws(ControlError) {
    for folder in folders where withKeys || folder != keys {
      try Self.make(folder)
      try check(folder)
    }
  }

  /// Creates the socket's folder, 0700, with missing parents. Throws `permissionFailure` if the
  /// folder is another user's or open to others.
  public func makeRuntimeFolder() throws(ControlError) {
    try Self.make(runtime)
    try checkFolder(of: socket)
  }

  /// Checks that only this user can have created the socket at that path: its folder is theirs, and
  /// so is the folder above it in a world-writable place.
  /// - Throws: `permissionFailure` if not; `notRunning` if the folder is missing.
  func checkFolder(of socket: String) throws(ControlError) {
    let folder = Self.parent(of: socket)
    var status = stat()
    guard lstat(folder, &status) == 0 || errno != ENOENT else {
      throw ControlError(
        .notRunning, "No cairnd answers at \(socket).", remedy: "Start it with `cairn start`.",
        path: .init(socket))
    }
    if Self.parent(of: folder) == Self.shortFolder {
      try Self.check(Self.shortFolder, against: 0o077)
    }
    try check(folder)
  }

  /// Creates `folder`, 0700, with missing parents. An existing folder must be this user's and
  /// closed to others; it is never changed.
  public static func makePrivateFolder(_ folder: String) throws(ControlError) {
    try make(folder)
    try check(folder, against: 0o077)
  }

  /// Creates the log's folder if it is missing. Refuses the same folders as `makeFolders`.
  func makeLogFolder() throws(ControlError) {
    try Self.make(logs)
    try check(logs)
  }

  /// Checks an existing folder. Others may read a folder that a person created as a home, or one
  /// whose files are closed individually, as after a copy without modes. They must not be able to
  /// replace its contents.
  private func check(_ folder: String) throws(ControlError) {
    let open = [root, Self.parent(of: configuration), data, index, logs]
    try Self.check(folder, against: open.contains(folder) ? 0o022 : 0o077)
  }

  private static func make(_ folder: String) throws(ControlError) {
    var outer = ""
    for component in folder.split(separator: "/") {
      outer += "/" + component
      guard mkdir(outer, 0o700) != 0, errno != EEXIST else { continue }
      let number = errno
      guard access(outer, F_OK) != 0 else { continue }
      throw ControlError(
        number == EACCES || number == EROFS ? .permissionFailure : .internalError,
        "Cannot create the folder \(outer): \(String(cString: strerror(number))).",
        remedy: "Make it yourself, or set CAIRN_HOME to a folder of yours.", path: .init(outer))
    }
  }

  /// Refuses a folder of another user, or one that gives others any of these rights.
  private static func check(_ folder: String, against rights: mode_t) throws(ControlError) {
    var status = stat()
    guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      status.st_uid == geteuid()
    else {
      throw ControlError(
        .permissionFailure, "\(folder) is not a folder of yours.",
        remedy: "Look who made it; it is removed safely if it is empty.", path: .init(folder))
    }
    guard status.st_mode & rights == 0 else {
      let (what, remedy) =
        rights & 0o044 == 0 ? ("others may write to it", "go-w") : ("it is open to others", "700")
      throw ControlError(
        .permissionFailure,
        "\(folder) holds files of Cairn's, and \(what) (mode "
          + "\(String(status.st_mode & 0o7777, radix: 8))).",
        remedy: "If it is for Cairn alone, run `chmod \(remedy) \(Control.Path(folder).typed)`; "
          + "else set CAIRN_HOME to another folder.", path: .init(folder))
    }
  }
}
