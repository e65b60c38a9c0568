import CairnControl
import CairnFolders
import CairnSystem
import CairnZone
import Glibc
import Logging

/// Folders that are about to become mirrors. They are checked and prepared before anything is
/// written to a log: after a refusal, nothing was done. The purpose of the mirrors is unknown here.
struct Places {
  let one: OpenContainer
  let mounts: Mounts
  let home: HomePlaces
  let log: Logger

  /// A prepared folder, and the parts that were created for it.
  struct PreparedPlace {
    let path: Control.Path
    let part: ZonePart
    fileprivate let wasMade: Bool
    fileprivate let wasMarked: Bool
    /// The place in the folder around it at which it was marked, and stays until an intent is
    /// noted; nil if no mirrored folder is around it.
    let hidden: [UInt8]?
    /// The folder around it that was created for it.
    fileprivate let outer: String?
  }

  /// Refuses a place in which nothing can be mirrored, and changes nothing: it must be an empty
  /// folder, or the name for one, where this person may write.
  /// - Parameters:
  ///   - path: The place.
  ///   - isNested: A Boolean value that indicates whether it may be inside of a mirrored folder, if
  ///     nothing is there yet.
  /// - Throws: The reason for a refusal.
  func checkReceivable(_ path: Control.Path, isNested: Bool = false) throws {
    var status = stat()
    guard path.bytes.withPath({ lstat($0, &status) }) != 0 else {
      do { try checkFree(path) } catch let error as ControlError
        where isNested && error.code == .alreadyMirrored && isInOpenFolder(path)
      {
        throw ControlError(
          error.code, error.message,
          remedy: "Name a path at which there is nothing yet, or another folder.", path: path)
      }
      guard try MountMark.mark(on: path.bytes) != nil || FolderCount.isEmpty(path.bytes) else {
        throw Self.notEmpty(path)
      }
      return
    }
    guard errno == ENOENT else { throw Self.unusable(path, "can't be looked at", errno) }
    try checkPlace(path) { isNested && isOpen($0, at: path.bytes) }
    guard WatchRoots.parent(of: path.bytes).withPath({ access($0, W_OK | X_OK) }) == 0 else {
      throw Self.unusable(path, "can't be made", errno)
    }
  }

  /// Returns whether a path is in a mirrored folder that can have other mirrors in it.
  private func isInOpenFolder(_ path: Control.Path) -> Bool {
    mounts.find(path.bytes).map { isOpen($0.mount, at: path.bytes) } ?? false
  }

  /// Creates the folder of an accepted share, or of the public database. A folder with contents is
  /// refused, unless it is the mirror of the very same already.
  /// - Parameters:
  ///   - path: The path.
  ///   - part: The part of a zone that it will mirror.
  ///   - outer: The folder of received shares around it, which is created if it is missing.
  ///   - isNested: A Boolean value that indicates whether it may be inside of a mirrored folder.
  /// - Returns: The value to undo the preparation with.
  /// - Throws: The reason for a refusal; then nothing was created.
  @discardableResult
  func prepare(
    _ path: Control.Path, for part: ZonePart, in outer: String? = nil, isNested: Bool = false
  ) throws -> PreparedPlace {
    let madeOuter = try outer.flatMap { try Self.makeFolder(Control.Path($0)) ? $0 : nil }
    do { return try prepared(path, for: part, madeOuter, isNested) } catch {
      if let madeOuter { rmdir(madeOuter) }
      throw error
    }
  }

  /// Creates a folder; false if it exists.
  @discardableResult
  static func makeFolder(_ path: Control.Path) throws(ControlError) -> Bool {
    if path.bytes.withPath({ mkdir($0, 0o777) }) == 0 { return true }
    guard errno == EEXIST else { throw unusable(path, "can't be made", errno) }
    return false
  }

  private func prepared(
    _ path: Control.Path, for part: ZonePart, _ outer: String?, _ isNested: Bool
  ) throws -> PreparedPlace {
    try checkReceivable(path, isNested: isNested)
    if let hidden = try Self.makeHidden(path, for: part, mounts, isAnew: true) {
      return PreparedPlace(
        path: path, part: part, wasMade: true, wasMarked: false, hidden: hidden, outer: outer)
    }
    let wasMade = path.bytes.withPath { mkdir($0, 0o777) } == 0
    guard wasMade || errno == EEXIST else { throw Self.unusable(path, "can't be made", errno) }
    let wasMarked = try MountMark.mark(on: path.bytes) == part
    let place = PreparedPlace(
      path: path, part: part, wasMade: wasMade, wasMarked: wasMarked, hidden: nil, outer: outer)
    guard try wasMarked || FolderCount.isEmpty(path.bytes) else { throw Self.notEmpty(path) }
    do { try MountMark.claim(path.bytes, for: part) } catch {
      if wasMade { _ = path.bytes.withPath { rmdir($0) } }
      throw error
    }
    return place
  }

  /// Undoes a preparation that isn't needed.
  func takeBack(_ place: PreparedPlace) {
    guard !place.wasMarked else { return }
    let path = place.hidden ?? place.path.bytes
    do {
      try MountMark.unclaim(path, for: place.part)
    } catch {
      // The mark names its zone, so the same command finds it; the refusal is reported.
      log.warning("\(place.path): the mark of a mirror is left over: \(error)")
    }
    // Only if nobody has put anything into it since.
    if place.wasMade { _ = path.withPath { rmdir($0) } }
    if let outer = place.outer { rmdir(outer) }
  }

  /// Returns the folder for shares that are accepted without a path: `Cairn` in the home folder. It
  /// need not exist, and isn't created. A path that cannot become one is refused with advice.
  func receivingFolder() throws -> String {
    let remedy = "Say where with --at DIR."
    guard let home = getenv("HOME").flatMap({ String(validatingCString: $0) }),
      home.hasPrefix("/")
    else {
      throw ControlError(
        .invalidArguments, "There is no home folder to put the share into.", remedy: remedy)
    }
    let folder = home + (home.hasSuffix("/") ? "" : "/") + ReceivingFolder.name
    let path = Control.Path(folder)
    switch ReceivingFolder.look(folder) {
    case .folder: try checkWritable(path)
    case .nothing: try checkWritable(Control.Path(home))
    case .other(let what):
      throw ControlError(
        .invalidArguments,
        "\(path), the folder for accepted shares, \(what).",
        remedy: "\(remedy) Or make it a folder.", path: path)
    case .failure(let number): throw Self.unusable(path, "can't be looked at", number)
    }
    do {
      // With any name in it: this one belongs to nobody.
      try checkPlace(Control.Path(folder + "/.cairn"))
    } catch let error as ControlError {
      throw ControlError(error.code, error.message, remedy: remedy, path: path)
    }
    return folder
  }

  /// Refuses a folder that this person may not write to: a mirror has a mark.
  func checkWritable(_ path: Control.Path) throws {
    guard path.bytes.withPath({ access($0, W_OK | X_OK) }) == 0 else {
      throw Self.unusable(path, "can't be written to", errno)
    }
  }

  /// Creates a folder inside of a mirrored one, with its mark: it appears there by one rename, so
  /// that the scans of the other folder never take it for a directory of theirs.
  /// - Returns: False if no mirrored folder is around the path, or there is something already.
  static func makeInside(
    _ path: Control.Path, for part: ZonePart, _ mounts: Mounts
  ) throws -> Bool {
    guard let hidden = try makeHidden(path, for: part, mounts) else { return false }
    let result = rename(hidden, path.bytes)
    guard result != 0 else { return true }
    removeHidden(hidden, of: part)
    throw result == -EXDEV
      ? ControlError(
        .invalidArguments,
        "\(path) can't be made: it is on another file system than the mirrored folder around it.",
        remedy: "Name another place.", path: path)
      : unusable(path, "can't be made", -result)
  }

  /// Creates a folder with its mark in Cairn's own folder of a mirrored one, which no scan sees.
  /// A folder that is there already is used, or replaced if this is a new command.
  /// - Returns: Its place; nil if no mirrored folder is around the path, or there is something
  ///   already.
  private static func makeHidden(
    _ path: Control.Path, for part: ZonePart, _ mounts: Mounts, isAnew: Bool = false
  ) throws -> [UInt8]? {
    guard !path.exists, let outer = mounts.find(path.bytes)?.mount, !outer.isFile else {
      return nil
    }
    let own = outer.path + [UInt8(ascii: "/")] + FileName.reserved
    let hidden = own + Array("/\(part)".utf8)
    if isAnew { removeHidden(hidden, of: part) }
    try makeFolder(Control.Path(hidden))
    do { try MountMark.claim(hidden, for: part) } catch {
      removeHidden(hidden, of: part)
      throw error
    }
    return hidden
  }

  /// Removes a hidden folder. What can't be removed stays unseen, and the next command uses it.
  private static func removeHidden(_ hidden: [UInt8], of part: ZonePart) {
    guard (try? MountMark.unclaim(hidden, for: part)) != nil else { return }
    _ = hidden.withPath { rmdir($0) }
  }

  private static func rename(_ old: [UInt8], _ new: [UInt8]) -> Int32 {
    old.withPath { old in
      new.withPath { cairn_rename_noreplace(AT_FDCWD, old, AT_FDCWD, $0) }
    }
  }

  private static func notEmpty(_ path: Control.Path) -> ControlError {
    ControlError(
      .invalidArguments, "\(path) isn't empty.",
      remedy: "Name another place, or empty the folder.", path: path)
  }

  private static func unusable(
    _ path: Control.Path, _ what: String, _ number: Int32
  ) -> ControlError {
    let isForbidden = number == EACCES || number == EPERM || number == EROFS
    return ControlError(
      isForbidden ? .permissionFailure : .invalidArguments,
      "\(path) \(what): \(String(cString: strerror(number))).",
      remedy: isForbidden
        ? "Name another place, or ask whose it is for the right to write." : "Name another place.",
      path: path)
  }
}
