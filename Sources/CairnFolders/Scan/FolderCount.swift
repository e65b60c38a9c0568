import CairnIdentity
import CairnZone
import Glibc

/// The contents of a folder before it is mirrored, for `cairn add --dry-run`.
public struct FolderCount: Sendable {
  /// The number of regular files and symbolic links.
  public var files = 0
  /// The number of directories below the folder.
  public var directories = 0
  /// The sum of the files' sizes.
  public var bytes: UInt64 = 0
  /// The number of entries that the ignore rules leave out.
  public var ignored = 0
  /// Sockets, FIFOs, devices and unreadable entries.
  public var skipped: [PathProblem] = []

  /// Counts the entries of the folder at an absolute path.
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
            PathProblem(
              path: joined(path + [name]), code: nil,
              message: "sockets, FIFOs and devices aren't mirrored", remedy: "nothing to do"))
        }
      }
    }
    return count
  }

  /// A Boolean value that indicates whether the folder contains nothing but Cairn's own folder.
  public static func isEmpty(_ path: [UInt8], on disk: any Disk = SystemDisk()) throws -> Bool {
    try DirectoryListing.names(of: Descriptor.openRoot(path, on: disk)).allSatisfy {
      $0 == Staging.folder
    }
  }
}
