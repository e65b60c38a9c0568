import CairnContainer
import CairnPlan
import CairnReplica
import CairnZone

/// A zone inside of one `JoinedPast.read`, as reversals are planned from it.
struct ZonePast: PastTrees {
  let view: PastView
  /// The moment that is gone back to.
  let place: UInt64

  var carried: CarriedAttributes { view.present.header.carried }

  func record(_ id: RecordID) throws -> Record? { try view.record(id) }

  func child(at place: Place) throws -> RecordID? {
    try view.child(of: place.parent, named: place.name)
  }

  func has(_ content: Content) throws -> Bool { try view.hasChunks(of: content) }

  func children(of directory: RecordID) throws -> [RecordID] { try view.children(of: directory) }

  func versions(of id: RecordID) throws -> [RecordVersion] {
    try view.versions(of: id, since: place)
  }
}
