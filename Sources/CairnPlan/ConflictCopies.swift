import CairnZone

/// Conflicts whose bytes are in a conflict copy already, so that another copy would be useless.
extension Survey {
  /// Returns whether the zone has a conflict copy of the file, beside it, with exactly the folder's
  /// bytes, and the person left that copy unchanged.
  func hasEqualConflictCopy(_ merge: Merge) throws -> Bool {
    guard let local = merge.local, case .file(_?) = local.kind, !merge.isParked,
      let place = merge.shown?.place,
      // Where its person put another of the folder's files in its place, that one goes where it
      // stood, and what others did with copies of its bytes relied on them.
      try !trees.cameFromElsewhere(merge.id)
    else { return false }
    return try trees.remoteChildren(of: place.parent).contains { other in
      guard other != merge.id, let copy = try trees.remote(other).node, copy.kind == local.kind
      else {
        return false
      }
      return try nameBeforeConflict(copy.place.name) == place.name && stays(other, copy)
    }
  }

  /// Returns whether the person left the conflict copy unchanged: if they deleted it, or renamed it
  /// over the file, it leaves the zone, too, and if another file took its place, it gets that
  /// file's bytes.
  private func stays(_ copy: RecordID, _ node: Node) throws -> Bool {
    if let other = try trees.localChild(node.place), other != copy {
      return try trees.local(other)?.kind == node.kind
    }
    guard let local = try trees.local(copy) else { return try trees.synced(copy) == nil }
    return local.kind == node.kind
  }
}
