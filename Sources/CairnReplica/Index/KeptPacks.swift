import CairnIndex
import CairnZone

/// The older packs that a zone keeps when they are closed, as of a position in its log. Checking
/// all chunks of a large zone takes longer than a busy zone is idle. So after a lost race only the
/// new entries are checked, and packs that have become unneeded are kept until the next time.
struct KeptPacks {
  /// The names of the packs.
  private(set) var names: Set<PackName>
  /// A Boolean value that indicates whether everything inside entries without a record leaves the
  /// zone; false if a kept version needs some of it.
  private(set) var dropsInline: Bool
  private let generation: UInt32
  private let policies: Set<HistoryPolicy?>
  private var through: UInt64

  /// Checks all chunks.
  /// - Parameters:
  ///   - state: The zone.
  ///   - generation: The first newer generation.
  ///   - clock: Seconds since 1970.
  ///   - droppingInline: Whether chunks inside entries should leave the zone.
  /// - Throws: errors of SQLite.
  init(
    _ state: IndexedZone, below generation: UInt32, at clock: Int64, droppingInline: Bool
  ) throws {
    let retention = try state.ages.retention(at: clock)
    self.generation = generation
    policies = retention.policies
    names = try state.chunkUse.packsNeeded(below: generation, retention)
    dropsInline = try droppingInline && state.chunkUse.insideEntriesOfPast(retention).isEmpty
    through = state.header.sequence
  }

  /// Checks the new entries. A record that lost chunks in between had them at the first check.
  /// - Parameters:
  ///   - state: The zone, later.
  ///   - clock: Seconds since 1970.
  /// - Returns: whether that was enough; otherwise everything must be checked again, because the
  ///   policy changed.
  /// - Throws: errors of SQLite.
  mutating func follow(_ state: IndexedZone, at clock: Int64) throws -> Bool {
    guard through <= state.header.sequence,
      try state.ages.retention(at: clock).policies == policies
    else { return false }
    if dropsInline {
      dropsInline = try !state.chunkUse.hasVersionInsideEntries(endedAfter: through)
    }
    while through < state.header.sequence {
      let (ids, next) = try state.changes(after: through, limit: 1_000)
      for id in ids {
        for name in try state.record(id)?.contents.flatMap(\.chunks) ?? [] {
          let pack = try state.chunks.readable(name)?.pack
          if let pack, pack.generation < generation { names.insert(pack.pack) }
        }
      }
      through = next
    }
    return true
  }
}
