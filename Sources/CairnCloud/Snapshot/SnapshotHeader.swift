import CairnZone

/// Whether the header of a snapshot is one that a log can have come to at a checkpoint. Everybody
/// who read the entries knows that by the digest; a newcomer can't know that anybody did, and goes
/// on from this header with the rules of the fold. It must not know who says so.
struct SnapshotHeader {
  private let header: ZoneHeader

  init(_ header: ZoneHeader) { self.header = header }

  /// Whether it is one of the zone in that folder, and whole.
  func isOf(_ folder: ZoneFolder) -> Bool {
    header.zone == folder.zone && header.kind == .owned && header.genesis?.owner == folder.founder
      && header.owner != nil && header.lock == nil && !header.isPurged && header.epoch > 0
      && isCheckpoint && hasItsMembers && header.closings.count <= ClosedPast.most
  }

  /// Its own place is the last checkpoint that it knows, and all are above its floor.
  private var isCheckpoint: Bool {
    let checkpoints = header.checkpoints
    guard let first = checkpoints.first, checkpoints.last == header.sequence,
      checkpoints.count <= Floor.mostCheckpoints,
      zip(checkpoints, checkpoints.dropFirst()).allSatisfy(<)
    else { return false }
    guard let floor = header.floor else { return first > 0 }
    return floor.forgotten <= floor.checkpoint && floor.checkpoint < first
  }

  /// Its members are those that have a key, and the owner is no participant.
  private var hasItsMembers: Bool {
    guard let owner = header.owner else { return false }
    let participants = header.share.map { Set($0.participants.keys) } ?? []
    return !participants.contains(owner) && participants.union([owner]) == Set(header.keys.keys)
  }
}
