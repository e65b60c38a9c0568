import CairnPlan
import CairnZone

/// The opened folder of a mount. If it is missing or another one, nothing in it counts as deleted
/// and nothing is written: it is lost until it is found again.
enum MountRoot {
  /// It was never opened, or was given up.
  case unattached
  /// It was the mount's folder at the last check.
  case attached(Attached)
  /// It was not, or nobody knows; this is its earlier state.
  case lost(Attached)

  /// A folder with the mount's mark.
  struct Attached {
    /// The number of the mount in the index.
    var mount: Int64
    var root: Descriptor
    var staging: StagingAccess
    var scanner: Scanner
    /// The state of the root: device and inode identify it.
    var identity: FileStat
    /// A Boolean value that indicates whether it is an unscanned copy of the last run's folder,
    /// from a backup or on another disk.
    var isCopy: Bool
    /// The position in the log after which this device's changes can be this folder's; nil until it
    /// is read.
    var startsAfter: UInt64?
    /// A Boolean value that indicates whether the index notes that all of it was compared with the
    /// zone.
    var isCompared = false
  }

  /// The opened folder, lost or not.
  var attached: Attached? {
    switch self {
    case .unattached: nil
    case .attached(let attached), .lost(let attached): attached
    }
  }

  var isLost: Bool { if case .lost = self { true } else { false } }

  /// Notes that the path has another folder, none, or cannot be checked.
  mutating func lose() {
    if let attached { self = .lost(attached) }
  }

  /// Notes that it is the folder, again or for the first time.
  mutating func find() {
    if let attached { self = .attached(attached) }
  }

  /// Changes the notes about the opened folder.
  mutating func note(_ change: (inout Attached) -> Void) {
    switch self {
    case .unattached: return
    case .attached(var attached):
      change(&attached)
      self = .attached(attached)
    case .lost(var attached):
      change(&attached)
      self = .lost(attached)
    }
  }
}
