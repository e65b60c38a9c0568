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
