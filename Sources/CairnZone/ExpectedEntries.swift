/// The knowledge about a log's next positions from entries behind them, by the digests that these
/// name: it counts, whatever object is in the position.
public struct ExpectedEntries: Hashable, Sendable {
  /// The digest of the entry at each position.
  public var digests: [UInt64: Bytes32] = [:]
  /// The bytes of the lowest of them, and of those that were read from a spare copy.
  public var entries: [UInt64: [UInt8]] = [:]
  /// The positions without the entry itself: it was found as a spare copy.
  var copied: Set<UInt64> = []

  /// Creates a value without any knowledge.
  public init() {}

  /// Returns whether the entry for a position is known.
  public func tells(_ sequence: UInt64) -> Bool { digests[sequence] != nil }

  /// Adds the knowledge of another value.
  mutating func take(_ other: ExpectedEntries) {
    digests.merge(other.digests) { $1 }
    entries.merge(other.entries) { $1 }
    copied.formUnion(other.copied)
  }

  /// Adds the entry of one position.
  mutating func take(_ entry: LogEntry, at sequence: UInt64) {
    digests[sequence] = entry.digest
    entries[sequence] = entry.bytes
  }

  /// The entries that were found as spare copies, in order.
  var copies: [(sequence: UInt64, entry: LogEntry)] {
    copied.sorted().compactMap { sequence in
      guard let bytes = entries[sequence], let digest = digests[sequence] else { return nil }
      return (sequence, LogEntry(digest: digest, bytes: bytes))
    }
  }

  /// Forgets positions that were read.
  public mutating func drop(upTo sequence: UInt64) {
    for place in digests.keys where place <= sequence {
      (digests[place], entries[place]) = (nil, nil)
      copied.remove(place)
    }
  }
}
