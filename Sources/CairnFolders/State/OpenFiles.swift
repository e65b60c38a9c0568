import CairnIdentity
import CairnPlan
public import CairnZone

/// A file of the zone that a person has open on this device, according to its lock file.
public struct OpenFile: Hashable, Sendable {
  /// The record of the file.
  public var record: RecordID
  /// The path of the file, relative to the folder.
  public var path: [UInt8]
  /// The time of the lock file, in nanoseconds since 1970.
  public var since: Int64
}

extension MountState {
  /// The largest number of open files of a folder; those of more lock files aren't reported.
  private static let mostOpen = 1_000
  /// The largest number of names in a directory that are compared with a shortened name.
  private static let mostNames = 10_000

  /// Finds the open files by their lock files, if these may have changed, and reports the
  /// differences.
  func findOpenFiles() throws {
    guard notices.mayHaveLocks, let root = folder.attached?.root else { return }
    var (found, isUnmatched): ([OpenFile], Bool) = ([], false)
    let locks = try read { tree in
      try tree.ignored.locks().prefix(Self.mostOpen).compactMap { place in
        try tree.path(of: place.parent).map { (place, $0) }
      }
    }
    for (lock, path) in locks {
      guard let since = Self.time(of: lock.name, in: path, root) else { continue }
      let file = try read { try Self.file(of: lock, in: $0) }
      guard let (record, name) = file else {
        isUnmatched = true
        continue
      }
      found.append(OpenFile(record: record, path: joined(path + [name.bytes]), since: since))
    }
    notices.foundLocks(isUnmatched: isUnmatched)
    report.setOpen(found)
  }

  /// Returns the time of a lock file; nil if it isn't there now.
  private static func time(
    of name: FileName, in path: [FileNameBytes], _ root: Descriptor
  ) -> Int64? {
    do throws(FolderError) {
      let stat = try FileStat.at(root.openDirectory(path), name.bytes)
      return stat?.kind == .file ? stat?.modified : nil
    } catch {
      // The next scan reports why its directory can't be read.
      return nil
    }
  }

  /// Returns the record and the name of the file that a lock file belongs to; nil if none is known.
  private static func file(
    of lock: Place, in tree: FolderTree
  ) throws -> (RecordID, FileName)? {
    guard let lockFile = LockFile(lock.name) else { return nil }
    func record(_ name: FileName) throws -> (RecordID, FileName)? {
      let row = try tree.child(at: Place(parent: lock.parent, name: name))
      return row.flatMap { $0.local?.node.isDirectory == false ? ($0.id, name) : nil }
    }
    if let found = try record(lockFile.name) { return found }
    let names = try tree.children(of: lock.parent, after: [], limit: mostNames)
    return try lockFile.file(among: names.lazy.compactMap { FileName($0.name) }).flatMap(record)
  }
}
