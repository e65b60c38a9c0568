import CairnStore

/// Packs, counted.
public struct PackCount: Hashable, Sendable {
  /// How many.
  public private(set) var packs = 0
  /// The bytes of all of them.
  public private(set) var bytes: UInt64 = 0

  /// None.
  public init() {}

  mutating func add(_ size: UInt64) {
    packs += 1
    bytes = bytes.adding(saturating: size)
  }
}

/// What of this person's packs is garbage, and what was done about it.
public struct GarbageReport: Hashable, Sendable {
  /// All packs in this person's folder of the container.
  public var all = PackCount()
  /// Those that no entry names: what a crash or a lost race left, or what is on its way.
  public var unnamed = PackCount()
  /// Those that nothing needs but versions which aren't kept any more.
  public var unneeded = PackCount()
  /// Those that wait for the end of their time.
  public var waiting = PackCount()
  /// When the next of them may go, in seconds from now; nil if none waits.
  public var rest: Int64?
  /// Those that were deleted.
  public var deleted = PackCount()
  /// The keys of those that the container doesn't let this person delete.
  public var refused: [String] = []
  /// Those of which less than half was needed, and whose rest was packed anew; of a survey, those
  /// that would be.
  public var repacked = PackCount()
  /// In how many zones older packs were closed.
  public var closed = 0
  /// In how many zones the floor was raised.
  public var floors = 0
  /// The entries below floors that stand in the container yet; of a survey, those below the floors
  /// that would be raised, too.
  public var entries = EntryCount()
  /// The entries below floors that were deleted.
  public var deletedEntries = EntryCount()
}

/// Entries of logs, counted.
public struct EntryCount: Hashable, Sendable {
  /// How many.
  public private(set) var entries = 0
  /// The bytes of all of them.
  public private(set) var bytes: UInt64 = 0

  /// None.
  public init() {}

  mutating func add(_ size: UInt64) {
    entries += 1
    bytes = bytes.adding(saturating: size)
  }
}
