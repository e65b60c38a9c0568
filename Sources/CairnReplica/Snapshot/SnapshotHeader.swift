import CairnIdentity
import CairnZone

/// The check whether a log can have reached the header of a snapshot at a checkpoint. Readers of
/// the entries know that by the digest. A newcomer cannot know that anybody did, and continues from
/// this header with the rules of replay. It must not know its author.
struct SnapshotHeader {
  private let header: ZoneHeader

  init(_ header: ZoneHeader) { self.header = header }

  /// Returns whether the header is one of the zone in that folder, and complete.
  func isOf(_ folder: ZoneFolder) -> Bool {
    header.zone == folder.zone && header.kind == .owned && header.genesis?.owner == folder.founder
      && header.owner != nil && header.lock == nil && !header.isPurged && header.epoch > 0
      && isCheckpoint && hasItsMembers && header.closings.count <= ClosedPast.most
  }

  /// A Boolean value that indicates whether its own position is its last checkpoint, and all
  /// checkpoints are above its log start.
  private var isCheckpoint: Bool {
    let checkpoints = header.checkpoints
    guard let first = checkpoints.first, checkpoints.last == header.sequence,
      checkpoints.count <= Floor.mostCheckpoints,
      zip(checkpoints, checkpoints.dropFirst()).allSatisfy(<)
    else { return false }
    guard let floor = header.floor else { return first > 0 }
    return floor.forgotten <= floor.checkpoint && floor.checkpoint < first
  }

  /// A Boolean value that indicates whether exactly its members have keys, and the owner is no
  /// participant.
  private var hasItsMembers: Bool {
    guard let owner = header.owner else { return false }
    let participants = header.share.map { Set($0.participants.keys) } ?? []
    return !participants.contains(owner) && participants.union([owner]) == Set(header.keys.keys)
  }
}
