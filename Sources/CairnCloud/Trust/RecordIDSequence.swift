public import CairnZone

/// Ids for records that are made together. They are in the order in which they are made, with gaps
/// that nobody can guess: indexes are ordered by ids, so what stands beside each other in a folder
/// stands beside each other in them, and is found and stored with it.
public struct RecordIDSequence {
  private let high: UInt64
  private var low: UInt64

  /// Begins at a random place.
  public init() {
    (high, low) = Self.random()
    // Room for more ids than there are files in the world.
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
