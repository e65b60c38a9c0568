import CairnCloud
import CairnPlan
import CairnZone

extension MountEngine {
  /// Why a local version is set aside.
  func reason(for cause: RescueCause, of id: RecordID) -> String {
    switch cause {
    case .permission: reasonForRescue
    case .deletion: Self.reasonForDeletion
    case .damage: reasonForDamage(of: id)
    case .cameBack: Self.reasonForReturn
    }
  }

  /// Why a local version was set aside instead of being sent.
  var reasonForRescue: String {
    if zone.isReadOnly {
      return "this home is anonymous and only reads; use one with an account to put something there"
    }
    guard zone.scope == .public else {
      return "this share is read-only for you; ask its owner for permission to write"
    }
    return "somebody else put it into the public database and alone may change it; "
      + "put yours there under another name"
  }

  /// Why a file was set aside that the zone had and lost.
  static let reasonForDeletion =
    "it is what was deleted on another device; put it back if it is to be mirrored again"
}
