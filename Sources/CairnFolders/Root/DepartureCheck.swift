import CairnPlan
import CairnReplica
import CairnZone

/// The check whether a mount is over, by the zone and by its root.
///
/// It uses these parts of the state: `part`, `root`, `scope`, `stagingName`, `zone`.
struct DepartureCheck {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// The reason why this person has lost access to the zone; nil while they have it. If the log may
  /// say so and was not read to its end in this run, it is read first. A sync cycle may have failed
  /// before that, and permanently if the folder is already half given up.
  /// - Throws: `CloudError` if the container cannot be read.
  func departure() throws -> Departure? {
    if !state.zone.isReadThrough, state.zone.header.genesis == nil || !state.zone.mayRead {
      try state.zone.pull()
    }
    return try Departure(from: state.zone)
  }

  /// Returns whether the person deleted the folder. Then they leave the share, or stop mirroring
  /// somebody's public directory. The attached root must be gone, and no folder with its mark may
  /// be at the path, for instance a restored copy. If the path can't be read now, this proves
  /// nothing. Neither does the kernel's name for the root, because a network file system forgets it
  /// after a failure.
  func isRootDeleted() throws -> Bool {
    guard try isRootGone() else { return false }
    do {
      guard let there = try RootCheck(state).openRootIfThere() else { return true }
      return try MountMark.marker(in: there, state.stagingName)
        != Array(state.part.description.utf8)
    } catch is FolderError {
      return false
    }
  }

  /// Returns whether the attached root has no name any more, if the file system of an open
  /// directory is reliable here. A root that was renamed, or hidden by a mount, has one.
  func isRootGone() throws -> Bool {
    let isOthers =
      switch state.zone.scope {
      case .private: false
      case .shared: state.scope.base == .root
      case .public: !state.zone.mayWrite
      }
    guard isOthers, let root = state.root else { return false }
    return try FileStat.of(root).links == 0
  }
}
