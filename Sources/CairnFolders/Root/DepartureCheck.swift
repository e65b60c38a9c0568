import CairnCloud
import CairnPlan
import CairnZone

/// The check whether a mount is over, by the zone and by its root.
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

  /// Whether the person deleted the folder, and so leaves the share, or has no mirror of somebody's
  /// public directory any more: the root that was attached is gone, and none with its mark stands
  /// at the path, put back from a copy perhaps. What can't be looked at now says nothing, nor does
  /// the kernel's name for the root: a network's file system forgets that after a failure.
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
