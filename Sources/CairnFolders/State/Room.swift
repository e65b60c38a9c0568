import CairnPlan
import CairnZone

/// The space that may still be written: a disk that is nearly full accepts nothing more from the
/// zone, so that its person can still work on it.
struct Room: Hashable {
  /// The number of bytes beyond the reserve.
  var left: UInt64
  /// The place with the least space, for people: the folder, or the index.
  var place: String
  /// The number of free bytes there.
  var free: UInt64

  /// Takes that many bytes, if they fit.
  mutating func takes(_ size: UInt64) -> Bool {
    guard size <= left else { return false }
    left -= size
    return true
  }
}
