import CairnCloud
import CairnPlan
import CairnZone

/// Conflicts whose bytes stand in a conflict copy already: another copy would tell nobody anything.
extension MountEngine {
  /// Whether the zone has a conflict copy of the file, beside it, with the very bytes that the
  /// folder shows.
  func hasEqualConflictCopy(_ id: RecordID) throws -> Bool {
    let row = try index.read(mount) { tree in
      // Where its person put another of the folder's files in its place, that one goes where it
      // stood, and what others did with copies of its bytes relied on them.
      try tree.node(id).flatMap { try tree.wasAnother($0) ? nil : $0 }
    }
    guard only == nil, let local = row?.local?.node, case .file(let content?) = local.kind,
      local.place.parent != .parked
    else { return false }
    return try zone.read { view in
      let records = ScopedRecords(view, scope)
      guard let place = try records.node(id)?.place else { return false }
      return try records.children(of: place.parent).contains { other in
        guard other != id, let node = try records.node(other), node.kind == .file(content) else {
          return false
        }
        return try nameBeforeConflict(node.place.name) == place.name && stays(other, node)
      }
    }
  }

  /// Whether the person left the conflict copy as it is: one that they deleted, or renamed over the
  /// file, goes from the zone, too, and what another file stands in the place of gets its bytes.
  private func stays(_ copy: RecordID, _ node: Node) throws -> Bool {
    try index.read(mount) { tree in
      if let other = try tree.child(at: node.place), other.id != copy {
        return other.local?.node.kind == node.kind
      }
      guard let row = try tree.node(copy) else { return true }
      return row.local == nil ? row.synced == nil : row.local?.node.kind == node.kind
    }
  }

  /// Lets the zone's version take the place of the local one, whose bytes stand beside it: that is
  /// what both agreed on from now on. The swap keeps what it displaces, and compares its bytes with
  /// the zone's once more before they go.
  func giveWay(_ id: RecordID) throws {
    try index.write(mount) { tree in
      guard var row = try tree.node(id), let local = row.local else { return }
      row.synced = local.node
      try tree.markDirty(id)
      try tree.put(row)
    }
  }
}
