import CairnCloud
import CairnPlan
import CairnZone

/// When a mount is over, by what the zone says and by what became of its root.
extension MountEngine {
  /// Why this person has no business in the zone any more; nil as long as they have. Where the log
  /// may say so, and wasn't read to its end in this run, it is read first: a turn may have failed
  /// before it came to that, and for good if the folder is half given up already.
  /// - Throws: `CloudError` if the container can't be read.
  public func departure() throws -> Departure? {
    if !zone.isReadThrough, zone.header.genesis == nil || !zone.mayRead {
      for refusal in try zone.pull().refused { report.note(refusal) }
    }
    return try Departure(from: zone)
  }

  /// Whether the root that was attached was deleted, not renamed or hidden by a mount. The engine
  /// holds a descriptor of it, so the system can tell.
  func isRootDeleted() throws -> Bool {
    guard zone.scope == .shared, scope.base == .root, let root else { return false }
    if try FileStat.of(root).links == 0 { return true }
    // Some file systems count a directory's links otherwise; the kernel's name for it tells.
    var name: [UInt8] = []
    guard disk.path(of: root.number, &name) >= 0 else { return false }
    guard name.suffix(10).elementsEqual(" (deleted)".utf8) else { return false }
    // A folder may be called that.
    do throws(FolderError) {
      guard let identity else { return true }
      return try !FileStat.of(Descriptor.openRoot(name, on: disk)).isSameInode(as: identity)
    } catch {
      return true
    }
  }
}
