import CairnControl
import CairnFolders
import CairnIdentity

extension Control.Phase {
  /// Creates the phase of a mount whose sync cycle failed. Only `offline` says that the container
  /// is unavailable: a person who therefore checks the container must not do so in vain.
  /// - Parameters:
  ///   - error: The error of the sync cycle.
  ///   - isLogInTrouble: Whether the zone's log is known to be the reason.
  init(of error: any Error, isLogInTrouble: Bool) {
    switch error {
    case let error as FolderError where error.code == .detached || error.code == .notFound:
      self = .detached
    case let error as CloudError where error.isPaused: self = .paused
    case let error as CloudError:
      if error.code == .accountTemporarilyUnavailable {
        // Local changes wait; changes of others are still received.
        self = .sending
      } else if isLogInTrouble || !(error.isWorthRetrying || Self.isOfAnother(error)) {
        self = .damaged
      } else {
        self = error.isAway ? .offline : .waiting
      }
    default:
      // The disk of the folder or of the index: its problem names it, with advice.
      self = .waiting
    }
  }

  /// Returns whether no log is damaged: the container denies access, or another one is in its
  /// place.
  private static func isOfAnother(_ error: CloudError) -> Bool {
    error.isOfContainer || error.code == .badContainer
  }
}
