/// A place from which on the log is enough, together with the state there: what stands before it
/// may go. The commit is valid only for who finds the same digest, so a floor that stands is the
/// word of everybody who read that far.
public struct Floor: Hashable, Sendable {
  /// The place of an earlier checkpoint.
  public var checkpoint: UInt64
  /// The digest of the state after the commit at that place.
  public var digest: Bytes32
  /// Deletions at places up to this one are forgotten; not above `checkpoint`.
  public var forgotten: UInt64
  /// The digest of what the owner keeps of the past below it: their word, which nobody can check
  /// who hasn't read the entries.
  public var past: Bytes32

  /// Joins the four.
  public init(checkpoint: UInt64, digest: Bytes32, forgotten: UInt64, past: Bytes32 = .zero) {
    self.checkpoint = checkpoint
    self.digest = digest
    self.forgotten = forgotten
    self.past = past
  }

  /// No more checkpoints than that are remembered; the oldest goes first.
  public static let mostCheckpoints = 64
}

/// What the owner keeps of versions that were replaced and of files that were deleted. A version is
/// kept if any of the three says so; how old it is counts from when an owner's device saw it
/// replaced.
public struct HistoryPolicy: Hashable, Sendable {
  /// For that many seconds every version is kept.
  public var all: UInt64?
  /// For that many seconds the last version of each day is kept.
  public var daily: UInt64?
  /// That many of a file's latest versions are kept.
  public var versions: UInt32?

  /// Joins the three; with none of them, only the present is kept.
  public init(all: UInt64? = nil, daily: UInt64? = nil, versions: UInt32? = nil) {
    self.all = all
    self.daily = daily
    self.versions = versions
  }
}

/// The packs of chunks that new commits may still refer to, said at a moment: whoever wants bytes
/// that stand in another one stores them anew. So what nobody refers to can be told without a
/// clock.
public struct Retirement: Hashable, Sendable {
  /// Packs of this generation and later ones are open.
  public var generation: UInt32
  /// Older packs that live on, because something refers to them.
  public var kept: Set<PackName>
  /// Whether chunks that stand in entries themselves leave the zone, unless a live record has them.
  public var dropsInline: Bool

  /// Joins the three.
  public init(generation: UInt32, kept: Set<PackName>, dropsInline: Bool = false) {
    self.generation = generation
    self.kept = kept
    self.dropsInline = dropsInline
  }

  /// The generation that an owner opens in all zones when `newest` is the last one that any of them
  /// has opened. That of public zones' packs is passed over.
  public static func generation(after newest: UInt32) -> UInt32 {
    let next = newest == .max ? newest : newest + 1
    return max(next, PackStamp.publicGeneration + 1)
  }
}

/// Past versions of a record that are to be as if they had never been: every reader drops what it
/// knows of them, and the owner has their bytes go. What the record is stays.
public struct Forgetting: Hashable, Sendable {
  /// The record, which may be deleted.
  public var record: RecordID
  /// The places of the log with which these versions began.
  public var versions: Set<UInt64>

  /// Joins the two.
  public init(record: RecordID, versions: Set<UInt64>) {
    self.record = record
    self.versions = versions
  }
}

/// Names a pack in its owner's folder.
public struct PackName: Identifier {
  /// Sixteen random bytes.
  public let value: Bytes16

  /// Wraps sixteen bytes.
  @inlinable
  public init(_ value: Bytes16) { self.value = value }
}

/// The pack that a chunk stands in, and the generation that was open when the pack was written.
public struct PackStamp: Hashable, Sendable {
  /// The pack.
  public var pack: PackName
  /// Counted by the packs' owner, from 0.
  public var generation: UInt32

  /// Joins the two.
  public init(pack: PackName, generation: UInt32) {
    self.pack = pack
    self.generation = generation
  }

  /// The generation of all packs of public zones, in which nobody closes any.
  public static let publicGeneration: UInt32 = 1

  /// Whether only zones that somebody owns name the pack, so that they can close it.
  public var isOfOwnedZones: Bool { generation != Self.publicGeneration }

  /// Whether a zone in which `retirement` stands may still refer to the pack.
  public func isOpen(after retirement: Retirement) -> Bool {
    generation >= retirement.generation || retirement.kept.contains(pack)
  }
}

/// Which attributes of files a zone carries beside the executable bit and the time.
public struct CarriedAttributes: OptionSet, Hashable, Sendable {
  /// One bit for each kind; no others are set.
  public let rawValue: UInt32

  /// Keeps the bits as they are; a value from others needs `init(known:)`.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The bits, unless there is one among them that nothing here means.
  public init?(known bits: UInt32) {
    guard bits & ~3 == 0 else { return nil }
    rawValue = bits
  }

  /// The twelve permission bits.
  public static let mode = CarriedAttributes(rawValue: 1)
  /// Extended attributes of the `user` namespace.
  public static let extended = CarriedAttributes(rawValue: 2)
}
