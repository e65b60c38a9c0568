public import CairnZone

/// Ids for records that are created together, ascending with gaps that nobody can guess. Indexes
/// are ordered by ids, so neighbours in a folder are neighbours in the indexes, and are found and
/// stored together.
public struct RecordIDSequence: Sendable {
  private let high: UInt64
  private var low: UInt64

  /// Starts at a random id.
  public init() {
    (high, low) = Self.random()
    // This leaves more ids than there are files in the world.
    low >>= 1
  }

  /// The next id.
  public mutating func next() -> RecordID {
    low &+= 1 + Self.random().0 >> 33
    return RecordID(Bytes16(high: high, low: low))
  }

  private static func random() -> (UInt64, UInt64) {
    Bytes16.random().withBytes {
      ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
  }
}
