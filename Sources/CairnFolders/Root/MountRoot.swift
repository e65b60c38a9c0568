import CairnPlan
import CairnZone

/// The folder of a mount, as an engine has it open. Where it isn't the one that is mirrored, or
/// isn't there, nothing in it is taken for deleted and nothing is written: then it is lost, until
/// it is found again.
enum MountRoot {
  /// It was never opened, or was given up.
  case unattached
  /// It was the mount's folder when it was last looked at.
  case attached(Attached)
  /// It wasn't, or nobody could tell; this is what it was before.
  case lost(Attached)

  /// A folder that carries the mount's mark.
  struct Attached {
    /// The number of the mount in the index.
    var mount: Int64
    var root: Descriptor
    var staging: Staging
    var scanner: Scanner
    /// How the root itself looked: device and inode tell whether it still is the one.
    var identity: FileStat
    /// Whether it is a copy of the folder of the last run, from a backup or on another disk, and
    /// wasn't looked at yet.
    var isCopy: Bool
    /// From where on in the log this device's changes can be this folder's; nil until it is read.
    var startsAfter: UInt64?
    /// Whether the index notes that all of it was compared with the zone.
    var isCompared = false
  }

  /// What is open, whether it is lost or not.
  var attached: Attached? {
    switch self {
    case .unattached: nil
    case .attached(let attached), .lost(let attached): attached
    }
  }

  var isLost: Bool { if case .lost = self { true } else { false } }

  /// Something else stands at the path, or nothing, or nobody could look.
  mutating func lose() {
    if let attached { self = .lost(attached) }
  }

  /// It is the folder again, or for the first time.
  mutating func find() {
    if let attached { self = .attached(attached) }
  }

  /// Notes something about the folder that is open.
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
