import CairnCloud
import CairnPlan
import CairnZone

/// Conflicts whose bytes stand in a conflict copy already: another copy would tell nobody anything
/// (LESSONS.md §2.8).
extension MountEngine {
  /// Whether the zone has a conflict copy of the file, beside it, with the very bytes that the
  /// folder shows.
  func hasEqualConflictCopy(_ id: RecordID) throws -> Bool {
    guard only == nil,
      let local = try index.read(mount, { try $0.node(id)?.local?.node }),
      case .file(let content?) = local.kind, local.place.parent != .parked
    else { return false }
    return try zone.read { view in
      let records = ScopedRecords(view, scope)
      guard let place = try records.node(id)?.place else { return false }
      return try records.children(of: place.parent).contains { other in
        guard other != id, let node = try records.node(other), node.kind == .file(content) else {
          return false
        }
        return nameBeforeConflict(node.place.name) == place.name
      }
    }
  }

  /// Takes the local version out of the zone's version's way. It goes to the kept folder, where its
  /// bytes are compared with the zone's once more before they go.
  func displace(_ id: RecordID) throws {
    guard let root, let staging,
      let path = try index.read(mount, { try $0.path(of: id) }), let name = path.last
    else { return }
    do throws(FolderError) {
      let directory = try root.openDirectory(Array(path.dropLast()))
      try Rename.toFreeName(directory, name, staging.kept, staging.freshName(for: id))
    } catch {
      guard error.code == .notFound else { throw error }
    }
    kept.load(staging, clock.now)
    try index.write(mount) { tree in
      guard var row = try tree.node(id) else { return }
      row.local = nil
      row.synced = nil
      try tree.markDirty(id)
      try tree.put(row)
    }
    hint(changed: [joined(path)])
  }
}
