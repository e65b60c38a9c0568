import CairnCloud
import CairnPlan
import CairnZone

/// When a mount is over, by what the zone says and by what became of its root.
extension MountEngine {
  /// Why this person has no business in the zone any more; nil as long as they have.
  public func departure() throws -> Departure? { try Departure(from: zone) }

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

  // MARK: Deletions wait

  static let grace = Deferred.second * 3 / 10

  /// Takes what was deleted here out of the batch until no further deletion came for a while, in a
  /// share that this person accepted: if it is the whole folder that goes, its root goes last, and
  /// that is leaving (CLOUDKIT.md D8). The turn looks at the root before anything is committed. The
  /// directories whose times the deletions changed wait, too.
  func holdDeletions(_ ids: [RecordID]) throws -> [RecordID] {
    guard zone.scope == .shared else { return ids }
    var deleted: Set<RecordID> = []
    var directories: Set<RecordID> = []
    try index.read(mount) { tree in
      for id in ids {
        guard let row = try tree.node(id), row.synced != nil else { continue }
        if row.local == nil { deleted.insert(id) }
        if row.local?.node.isDirectory == true { directories.insert(id) }
      }
    }
    let now = clock.now
    if deleted.contains(where: { deferrals[$0]?.reason != .held }) { lastDeletion = now }
    guard now - lastDeletion < Self.grace else { return ids }
    let held = deleted.union(directories)
    for id in held {
      deferrals[id] = Deferred(
        reason: .held, explanation: "deleted here a moment ago", until: lastDeletion + Self.grace,
        tries: 0)
    }
    return ids.filter { !held.contains($0) }
  }
}
