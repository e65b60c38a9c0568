import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// Symbolic links that lead out of their folder. The other members of a share get the link, and not
/// its target.
public enum OutwardLinks {
  /// The largest number of links that are reported.
  static let limit = 1_000

  /// Returns whether a link in a directory of a depth (0 for the root) leads out of the root:
  /// absolute, or above it by its text alone. Other links on its path are not followed.
  static func leadsOut(_ target: [UInt8], depth: Int) -> Bool {
    guard target.first != UInt8(ascii: "/") else { return true }
    var depth = depth
    for part in target.split(separator: UInt8(ascii: "/")) {
      if part.elementsEqual("..".utf8) {
        depth -= 1
        if depth < 0 { return true }
      } else if !part.elementsEqual(".".utf8) {
        depth += 1
      }
    }
    return false
  }

  /// Returns the links in the folder at an absolute path that lead out of it, except the ignored
  /// ones: paths relative to the folder.
  public static func find(
    in path: [UInt8], on disk: any Disk = SystemDisk()
  ) throws -> [[UInt8]] {
    let root = try Descriptor.openRoot(path, on: disk)
    let ignores = IgnoreTree(root: root)
    var found: [[UInt8]] = []
    var stack: [[FileNameBytes]] = [[]]
    while let path = stack.popLast(), found.count < limit {
      do throws(FolderError) {
        let directory = try root.openDirectory(path)
        for name in try DirectoryListing.names(of: directory) {
          guard let fileName = FileName(name), !(path.isEmpty && name == Staging.folder),
            let stat = try FileStat.at(directory, name),
            try !ignores.isIgnored(path, fileName, stat)
          else { continue }
          if stat.kind == .directory { stack.append(path + [name]) }
          guard stat.kind == .symlink else { continue }
          let target = try DirectoryListing.target(in: directory, name)
          if leadsOut(target, depth: path.count) { found.append(joined(path + [name])) }
        }
      } catch {
        // An unreadable directory isn't mirrored either; that is reported elsewhere.
      }
    }
    return found.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Returns the notice about such a link in a shared folder.
  public static func notice(_ path: [UInt8]) -> PathProblem {
    PathProblem(
      path: path, code: nil,
      message: "this link leads out of the share: others get the link, not what it points to",
      remedy: "put what it points to into the folder, or leave it as it is")
  }
}

extension FolderTree {
  /// Returns the paths of the links that lead out of the mount.
  func outwardLinks() throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    for row in try links() where found.count < OutwardLinks.limit {
      guard case .symlink(let target) = row.local?.node.kind, let path = try path(of: row.id),
        OutwardLinks.leadsOut(target, depth: path.count - 1)
      else { continue }
      found.append(joined(path))
    }
    return found
  }
}
