import CairnCloud
import CairnControl
import CairnFolders

extension Control.Phase {
  /// How a mount stands whose turn failed. `offline` says that the container can't be reached, and
  /// nothing else does: whoever looks at the container because of it must not look in vain.
  /// - Parameters:
  ///   - error: why the turn failed.
  ///   - isLogInTrouble: whether the log of the zone is known to be what can't be read on.
  init(of error: any Error, isLogInTrouble: Bool) {
    switch error {
    case let error as FolderError where error.code == .detached || error.code == .notFound:
      self = .detached
    case let error as CloudError where error.isPaused: self = .paused
    case let error as CloudError:
      if error.code == .accountTemporarilyUnavailable {
        // What changed here waits; what others change still comes.
        self = .sending
      } else if isLogInTrouble || !(error.isWorthRetrying || Self.isOfAnother(error)) {
        self = .damaged
      } else {
        self = error.isAway ? .offline : .waiting
      }
    default:
      // The folder's disk, or the index's: its problem says which, and what to do.
      self = .waiting
    }
  }

  /// Whether nothing is wrong with any log: the container lets nobody in, or another one is in its
  /// place.
  private static func isOfAnother(_ error: CloudError) -> Bool {
    error.isOfContainer || error.code == .badContainer
  }
}
