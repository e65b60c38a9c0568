import Glibc

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
        remedy: "If it is for Cairn alone, run `chmod \(remedy) \(folder)`; else set CAIRN_HOME to "
          + "another folder.", path: .init(folder))
    }
  }
}
