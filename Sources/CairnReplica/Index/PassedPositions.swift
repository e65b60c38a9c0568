import CairnIdentity
import CairnZone

/// The digests of some entries up to a position: at each 1024th position, and at the last 1024.
/// They suffice to tell whether an entry counted, and whether a reader who was away has read this
/// log.
struct PassedPositions {
  private static let step: UInt64 = 1_024

  /// The last position.
  let last: UInt64
  /// 32 bytes each; zeros for unknown digests.
  let bytes: [UInt8]

  /// Collects the digests; `digest` returns the known ones.
  init(upTo last: UInt64, digest: (UInt64) throws -> Bytes32?) rethrows {
    self.last = last
    bytes = try Self.places(upTo: last).flatMap { try (digest($0) ?? .zero).bytes }
  }

  /// Parses the stored form; nil if it doesn't have one digest for each position.
  init?(_ bytes: [UInt8], upTo last: UInt64) {
    // The positions are listed only after the count is known to be small.
    guard Self.count(upTo: last) == UInt64(bytes.count / 32), bytes.count.isMultiple(of: 32) else {
      return nil
    }
    self.last = last
    self.bytes = bytes
  }

  /// Returns the listed positions, ascending.
  static func places(upTo last: UInt64) -> [UInt64] {
    let recent = last - min(last, step)
    return Array(stride(from: step, through: recent, by: Int(step))) + Array(recent + 1..<last + 1)
  }

  private static func count(upTo last: UInt64) -> UInt64 {
    let recent = last - min(last, step)
    return recent / step + (last - recent)
  }

  /// Returns the digest of the entry at a position; nil if it isn't listed.
  func digest(at place: UInt64) -> Bytes32? {
    let recent = last - min(last, Self.step)
    let index: UInt64
    if place > recent, place <= last {
      index = recent / Self.step + place - recent - 1
    } else if place > 0, place <= recent, place.isMultiple(of: Self.step) {
      index = place / Self.step - 1
    } else {
      return nil
    }
    let start = Int(index) * 32
    let digest = Crypto.bytes32(Array(bytes[start..<start + 32]))
    return digest == .zero ? nil : digest
  }
}
