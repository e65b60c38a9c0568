import Glibc

/// Where everything of one person lives on this machine: under one folder if `CAIRN_HOME` names
/// it, else in the XDG folders. It only says where; it makes folders, and touches no file.
public struct Home: Hashable, Sendable {
  /// The folder that `CAIRN_HOME` names, if it does.
  public let root: String?
  /// `cairn.conf`.
  public let configuration: String
  /// The folder of the device's keys; 0700.
  public let keys: String
  /// The folder of the SQLite files; 0700.
  public let index: String
  /// The folder of what only a folder had whose share ended; 0700.
  public let rescue: String
  /// The folder of `cairnd.log`; 0700.
  public let logs: String
  /// The folder that the socket is in; 0700.
  public let runtime: String
  /// The Unix socket, at most 107 bytes long.
  public let socket: String
  /// The file that the running daemon has locked and wrote its process id to.
  public let lock: String

  /// What of the traffic is paused; missing if nothing is.
  public var paused: String { Self.parent(of: lock) + "/paused.json" }

  /// Which shares ended for this person; missing before the first.
  public var ended: String { Self.parent(of: lock) + "/ended.json" }

  /// What a background daemon writes its standard error to.
  public var log: String { logs + "/cairnd.log" }

  /// The home that these environment variables describe. Throws `invalidArguments` if `CAIRN_HOME`
  /// isn't absolute, or if there is no home folder at all.
  public init(environment: [String: String] = Home.environment()) throws(ControlError) {
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
    let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    (self.runtime, socket) = Self.socket(in: runtime.map { Self.trimmed($0) + "/cairn" } ?? data)
  }

  /// The variables of this process that matter here. One that isn't valid UTF-8 counts as unset.
  public static func environment() -> [String: String] {
    let names = [
      "CAIRN_HOME", "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
    ]
    return names.reduce(into: [:]) { values, name in
      values[name] = getenv(name).flatMap { String(validatingCString: $0) }
    }
  }

  /// The folders that hold the home's files, the outer ones first; those that Cairn makes are 0700.
  public var folders: [String] {
    let all = [root, Self.parent(of: configuration), Self.parent(of: lock), keys, index, logs]
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
  /// The length of `sun_path`, less the NUL at its end: unix(7).
  static let socketPathLimit = 107

  /// Where the sockets are whose own place has too long a path.
  static var shortFolder: String { "/tmp/cairn-\(getuid())" }

  /// The socket's folder and path. Where the path would be too long for a Unix socket, a short one
  /// that depends on the folder's name and the user alone.
  static func socket(in folder: String) -> (folder: String, socket: String) {
    let socket = folder + "/cairnd.sock"
    guard socket.utf8.count > socketPathLimit else { return (folder, socket) }
    // FNV-1a, 64 bits: it only has to tell the homes of one user apart.
    let hash = folder.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
    let digits = String(hash, radix: 16)
    let name = String(repeating: "0", count: 16 - digits.count) + digits
    let short = "\(shortFolder)/\(name)"
    return (short, short + "/cairnd.sock")
  }
}

extension Home {
  /// Whether somebody has set this home up. What can't be looked at isn't taken for missing.
  public var isSetUp: Bool {
    access(configuration, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)
  }

  /// What whoever needs an account is told where there is none.
  public static let noAccount = ControlError(
    .notAuthenticated, "There is no account in this home yet.",
    remedy: "Run `cairn init --container DIR --name NAME --handle HANDLE` first.")
}

/// The home's folders on the disk. What is missing is made for this user alone; what is there
/// already is looked at and never changed: somebody else may have made it, for something else.
extension Home {
  /// Makes the folders that hold the home's files, where they are missing; that of the keys only
  /// for whoever is about to make keys. Throws `permissionFailure` where one isn't this user's, or
  /// where others could read or exchange what is in it.
  public func makeFolders(withKeys: Bool) throws(ControlError) {
    for folder in folders where withKeys || folder != keys {
      try Self.make(folder)
      try check(folder)
    }
  }

  /// Makes the socket's folder, 0700, with those above it that are missing. Throws
  /// `permissionFailure` where the folder is another user's or open to others.
  public func makeRuntimeFolder() throws(ControlError) {
    try Self.make(runtime)
    try checkFolder(of: socket)
  }

  /// Whether nobody but this user can have put the socket at that path: its folder is theirs, and
  /// so is the one above it in a place where all may make folders.
  /// - Throws: `permissionFailure` if not; `notRunning` if the folder isn't there.
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

  /// Makes `folder`, 0700, with those above it that are missing. One that exists must be this
  /// user's and closed to others; it is never changed.
  public static func makePrivateFolder(_ folder: String) throws(ControlError) {
    try make(folder)
    try check(folder, against: 0o077)
  }

  /// Makes the folder of the log, where it is missing; refuses what `makeFolders` refuses.
  func makeLogFolder() throws(ControlError) {
    try Self.make(logs)
    try check(logs)
  }

  /// Others may look into what a person made themselves, as the place for a home, and into what
  /// holds files that are closed to them one by one, as after a copy that took no modes along; they
  /// only must not be able to exchange what is in it.
  private func check(_ folder: String) throws(ControlError) {
    let open = [root, Self.parent(of: configuration), Self.parent(of: lock), index, logs]
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
        "The folder \(outer) can't be made: \(String(cString: strerror(number))).",
        remedy: "Make it yourself, or set CAIRN_HOME to a folder of yours.", path: .init(outer))
    }
  }

  /// Refuses a folder that isn't this user's own, or that gives others any of these rights.
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
