import CairnControl
import CairnFolders
import CairnPlan
import Glibc

/// The operation that lists directories of the person's home for a picker. It follows no symlink,
/// and has no access to files.
struct DirectoryOperations: Operations {
  /// The largest number of listed directories.
  static let limit = 5_000
  /// The largest number of names that are looked at.
  private static let scanned = 100_000

  /// The home folder; nil if the environment names none.
  let home: String?

  /// Creates the operation for the home folder of this environment.
  init(home: String? = getenv("HOME").flatMap { String(validatingCString: $0) }) {
    self.home = home.flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Directories.self) { request, _ in try list(request.path) }
  }

  func list(_ path: Control.Path?) throws(ControlError) -> Control.DirectoriesReply {
    guard let home, home != "/" else { throw Self.elsewhere(path) }
    let top = Self.withoutSlashes(Array(home.utf8))
    let wanted = Self.withoutSlashes(path?.bytes ?? top)
    let names = WatchRoots.relative(wanted, to: top).split(separator: UInt8(ascii: "/"))
    guard WatchRoots.isInside(wanted, top),
      !names.contains(where: { $0.elementsEqual("..".utf8) || $0.elementsEqual(".".utf8) })
    else { throw Self.elsewhere(path) }
    let disk = SystemDisk()
    let root = disk.openRoot(top)
    guard root >= 0 else { throw Self.unreadable(wanted, -root) }
    defer { disk.close(root) }
    let relative = names.isEmpty ? Array(".".utf8) : WatchRoots.relative(wanted, to: top)
    let folder = disk.open(relative, beneath: root, flags: O_RDONLY | O_DIRECTORY, mode: 0)
    guard folder >= 0 else { throw Self.unreadable(wanted, -folder) }
    defer { disk.close(folder) }
    var all: [[UInt8]] = []
    let result = disk.list(folder, &all)
    guard result >= 0 else { throw Self.unreadable(wanted, -result) }
    let directories = all.prefix(Self.scanned).filter { name in
      var status = FileStat()
      return disk.status(of: name, in: folder, &status) >= 0 && status.kind == .directory
    }.sorted { $0.lexicographicallyPrecedes($1) }
    return Control.DirectoriesReply(
      path: Control.Path(wanted), home: Control.Path(top),
      names: directories.prefix(Self.limit).map { Control.Path($0) },
      isCut: directories.count > Self.limit || all.count > Self.scanned)
  }

  private static func withoutSlashes(_ path: [UInt8]) -> [UInt8] {
    var path = path
    while path.count > 1, path.last == UInt8(ascii: "/") { path.removeLast() }
    return path
  }

  private static func elsewhere(_ path: Control.Path?) -> ControlError {
    ControlError(
      .permissionFailure,
      path.map { "\($0) isn't in your home folder, so its directories aren't listed." }
        ?? "There is no home folder to list.",
      remedy: "Type the path of the folder.", path: path)
  }

  private static func unreadable(_ path: [UInt8], _ number: CInt) -> ControlError {
    let path = Control.Path(path)
    let isGone = number == ENOENT || number == ENOTDIR
    return ControlError(
      isGone ? .unknownItem : .permissionFailure,
      isGone
        ? "There is no directory at \(path)."
        : "\(path) can't be listed: \(String(cString: strerror(number))).",
      remedy: "Choose another directory, or type the path.", path: path)
  }
}
