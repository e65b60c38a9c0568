import CairnZone
import Glibc

/// What a folder holds before it is mirrored, for `cairn add --dry-run`.
public struct FolderCount: Sendable {
  /// Regular files and symlinks.
  public var files = 0
  /// Directories below the folder.
  public var directories = 0
  /// The sum of the files' sizes.
  public var bytes: UInt64 = 0
  /// Entries that the ignore rules leave out.
  public var ignored = 0
  /// Sockets, FIFOs, devices and what couldn't be read.
  public var skipped: [Problem] = []

  /// Counts the folder at an absolute path.
  public static func of(_ path: [UInt8], on disk: any Disk = SystemDisk()) throws -> FolderCount {
    let root = try Descriptor.openRoot(path, on: disk)
    let ignores = IgnoreTree(root: root)
    var count = FolderCount()
    var stack: [[FileNameBytes]] = [[]]
    while let path = stack.popLast() {
      let directory = try root.openDirectory(path)
      for name in try DirectoryListing.names(of: directory) {
        guard let fileName = FileName(name), !(path.isEmpty && name == Staging.folder),
          let stat = try FileStat.at(directory, name)
        else { continue }
        if try ignores.isIgnored(path, fileName, stat) {
          count.ignored += 1
          continue
        }
        switch stat.kind {
        case .directory:
          count.directories += 1
          stack.append(path + [name])
        case .file:
          count.files += 1
          count.bytes += stat.size
        case .symlink: count.files += 1
        case .other:
          count.skipped.append(
            Problem(
              path: joined(path + [name]), code: "notice",
              message: "sockets, FIFOs and devices aren't mirrored", remedy: "nothing to do"))
        }
      }
    }
    return count
  }

  /// Whether nothing but Cairn's own folder stands in the folder.
  public static func isEmpty(_ path: [UInt8], on disk: any Disk = SystemDisk()) throws -> Bool {
    try DirectoryListing.names(of: Descriptor.openRoot(path, on: disk)).allSatisfy {
      $0 == Staging.folder
    }
  }
}
