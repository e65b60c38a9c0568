import CairnIdentity
import CairnReplica
import CairnZone

/// The permission and the space that a zone gives a person at one time. A change that was refused
/// for lack of one of them waits until the zone gives more: no timer tries it again.
struct Allowance: Hashable {
  var rights: Set<Right>
  var revoked: Int
  var quota: UInt64?
  /// The number of bytes that still fit.
  var room: UInt64

  /// Returns whether this may permit a change that was refused with the other.
  func isMore(than other: Allowance) -> Bool {
    rights != other.rights || revoked != other.revoked || quota != other.quota || room > other.room
  }
}

extension Allowance {
  /// Creates the zone's present allowance.
  init(_ view: ZoneView) {
    let header = view.header
    let quota = header.quota ?? .max
    self.init(
      rights: view.rights, revoked: header.revokedDevices.count, quota: header.quota,
      room: quota > header.bytes ? quota - header.bytes : 0)
  }
}
