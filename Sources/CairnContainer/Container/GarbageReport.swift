import CairnStore

/// A number of packs and their bytes.
public struct PackCount: Hashable, Sendable {
  /// The number of packs.
  public private(set) var packs = 0
  /// The bytes of all of them.
  public private(set) var bytes: UInt64 = 0

  /// Creates a count of zero.
  public init() {}

  mutating func add(_ size: UInt64) {
    packs += 1
    bytes = bytes.adding(saturating: size)
  }
}

/// This person's garbage packs, and the actions on them.
public struct GarbageReport: Hashable, Sendable {
  /// All packs in this person's folder of the container.
  public var all = PackCount()
  /// The packs that no entry names: remains of a crash or a lost race, or packs in transit.
  public var unnamed = PackCount()
  /// The packs that only expired versions need.
  public var unneeded = PackCount()
  /// The packs whose grace period has not ended.
  public var waiting = PackCount()
  /// The seconds until the next of them may be deleted; nil if there is none.
  public var rest: Int64?
  /// The deleted packs.
  public var deleted = PackCount()
  /// The keys of packs that the container does not let this person delete.
  public var refused: [String] = []
  /// The packs that were less than half needed, and were repacked; in a survey, those that would
  /// be.
  public var repacked = PackCount()
  /// The number of zones in which older packs were closed.
  public var closed = 0
  /// The number of zones in which the log start was moved.
  public var floors = 0
  /// The entries below log starts that still exist; in a survey, also those below the log starts
  /// that would be set.
  public var entries = EntryCount()
  /// The deleted entries below log starts.
  public var deletedEntries = EntryCount()
}

/// A number of log entries and their bytes.
public struct EntryCount: Hashable, Sendable {
  /// The number of entries.
  public private(set) var entries = 0
  /// The bytes of all of them.
  public private(set) var bytes: UInt64 = 0

  /// Creates a count of zero.
  public init() {}

  mutating func add(_ size: UInt64) {
    entries += 1
    bytes = bytes.adding(saturating: size)
  }
}
