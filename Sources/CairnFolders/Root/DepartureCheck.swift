import CairnCloud
import CairnPlan
import CairnZone

/// When a mount is over, by what the zone says and by what became of its root.
struct DepartureCheck {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Why this person has no business in the zone any more; nil as long as they have. Where the log
  /// may say so, and wasn't read to its end in this run, it is read first: a turn may have failed
  /// before it came to that, and for good if the folder is half given up already.
  /// - Throws: `CloudError` if the container can't be read.
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

  /// Whether the root that was attached has no name any more, on which the file system of an open
  /// directory can be relied; one that was renamed or hidden by a mount has.
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
