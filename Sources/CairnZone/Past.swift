/// A log start: a position from which the log suffices, together with the state there. Earlier
/// entries may be deleted. The commit is valid only for readers with the same digest, so all
/// readers of that position confirm it.
public struct Floor: Hashable, Sendable {
  /// The position of an earlier checkpoint.
  public var checkpoint: UInt64
  /// The digest of the state after the commit at that position.
  public var digest: Bytes32
  /// Deletions up to this position are forgotten; not above `checkpoint`.
  public var forgotten: UInt64
  /// The digest of the history that the owner keeps below it. Only readers of those entries can
  /// check it.
  public var past: Bytes32

  /// Creates a log start.
  public init(checkpoint: UInt64, digest: Bytes32, forgotten: UInt64, past: Bytes32 = .zero) {
    self.checkpoint = checkpoint
    self.digest = digest
    self.forgotten = forgotten
    self.past = past
  }

  /// The maximum number of remembered checkpoints; the oldest is dropped first.
  public static let mostCheckpoints = 64
}

/// The owner's policy for replaced versions and deleted files. A version is kept if one of the
/// three parts keeps it. Its age counts from the time when an owner's device saw it replaced.
public struct HistoryPolicy: Hashable, Sendable {
  /// The number of seconds during which every version is kept.
  public var all: UInt64?
  /// The number of seconds during which the last version of each day is kept.
  public var daily: UInt64?
  /// The number of latest versions of a file that are kept.
  public var versions: UInt32?

  /// Creates a policy. Without any part, only the present is kept.
  public init(all: UInt64? = nil, daily: UInt64? = nil, versions: UInt32? = nil) {
    self.all = all
    self.daily = daily
    self.versions = versions
  }
}

/// The packs that new commits may still refer to, from a given commit on. A writer stores the bytes
/// of other packs again. So unreferenced packs are known without a clock.
public struct Retirement: Hashable, Sendable {
  /// The first open generation.
  public var generation: UInt32
  /// Older packs that are kept because something refers to them.
  public var kept: Set<PackName>
  /// A Boolean value that indicates whether chunks inside entries leave the zone, unless a live
  /// record has them.
  public var dropsInline: Bool

  /// Creates a retirement.
  public init(generation: UInt32, kept: Set<PackName>, dropsInline: Bool = false) {
    self.generation = generation
    self.kept = kept
    self.dropsInline = dropsInline
  }

  /// The generation that an owner opens in all zones after `newest`, the last one that any of them
  /// opened. It skips the generation of public zones.
  public static func generation(after newest: UInt32) -> UInt32 {
    let next = newest == .max ? newest : newest + 1
    return max(next, PackStamp.publicGeneration + 1)
  }
}

/// Past versions of a record to erase. Every reader drops its knowledge of them, and the owner
/// deletes their bytes. The present version stays.
public struct Forgetting: Hashable, Sendable {
  /// The record, which may be deleted.
  public var record: RecordID
  /// The positions of the log where these versions began.
  public var versions: Set<UInt64>

  /// Creates a value.
  public init(record: RecordID, versions: Set<UInt64>) {
    self.record = record
    self.versions = versions
  }
}

/// The name of a pack in its owner's folder.
public struct PackName: Identifier {
  /// Sixteen random bytes.
  public let value: Bytes16

  /// Creates a name from sixteen bytes.
  @inlinable
  public init(_ value: Bytes16) { self.value = value }
}

/// The pack of a chunk, and the generation that was open when the pack was written.
public struct PackStamp: Hashable, Sendable {
  /// The pack.
  public var pack: PackName
  /// The generation, counted by the packs' owner from 0.
  public var generation: UInt32

  /// Creates a stamp.
  public init(pack: PackName, generation: UInt32) {
    self.pack = pack
    self.generation = generation
  }

  /// The generation of all packs of public zones, where nobody closes packs.
  public static let publicGeneration: UInt32 = 1

  /// A Boolean value that indicates whether only owned zones name the pack, so that it can be
  /// closed.
  public var isOfOwnedZones: Bool { generation != Self.publicGeneration }

  /// Returns whether a zone with this `retirement` may still refer to the pack.
  public func isOpen(after retirement: Retirement) -> Bool {
    generation >= retirement.generation || retirement.kept.contains(pack)
  }
}

/// The attributes of files that a zone carries beside the executable bit and the time.
public struct CarriedAttributes: OptionSet, Hashable, Sendable {
  /// One bit for each kind; no others are set.
  public let rawValue: UInt32

  /// Creates a value with any bits. Use `init(known:)` for values from others.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Creates a value; nil if an unknown bit is set.
  public init?(known bits: UInt32) {
    guard bits & ~3 == 0 else { return nil }
    rawValue = bits
  }

  /// The twelve permission bits.
  public static let mode = CarriedAttributes(rawValue: 1)
  /// Extended attributes of the `user` namespace.
  public static let extended = CarriedAttributes(rawValue: 2)
}
