import CairnIndex
import CairnZone

/// The older packs that a zone keeps when they are closed, as of a place in its log. All chunks of
/// a large zone take longer to look through than a busy zone is at rest: whoever is overtaken looks
/// through what came since, and keeps what nobody needs any more until the next time.
struct KeptPacks {
  /// Their names.
  private(set) var names: Set<PackName>
  /// Whether everything leaves the zone that stands in entries themselves and no record has; false
  /// if a version that is kept has some of it.
  private(set) var dropsInline: Bool
  private let generation: UInt32
  private let policies: Set<HistoryPolicy?>
  private var through: UInt64

  /// Looks through everything.
  /// - Parameters:
  ///   - state: the zone.
  ///   - generation: the first one that isn't older.
  ///   - clock: seconds since 1970.
  ///   - droppingInline: whether what stands in entries themselves is to leave the zone.
  /// - Throws: what SQLite says.
  init(
    _ state: IndexedZone, below generation: UInt32, at clock: Int64, droppingInline: Bool
  ) throws {
    let retention = try state.retention(at: clock)
    self.generation = generation
    policies = retention.policies
    names = try state.packsNeeded(below: generation, retention)
    dropsInline = try droppingInline && state.inlineOfPast(retention).isEmpty
    through = state.header.sequence
  }

  /// Looks through what came since. What a record lost in between it had at the first look.
  /// - Parameters:
  ///   - state: the zone, later.
  ///   - clock: seconds since 1970.
  /// - Returns: whether that was enough; if not, everything is to be looked through once more,
  ///   since the policy is another one.
  /// - Throws: what SQLite says.
  mutating func follow(_ state: IndexedZone, at clock: Int64) throws -> Bool {
    guard through <= state.header.sequence,
      try state.retention(at: clock).policies == policies
    else { return false }
    if dropsInline { dropsInline = try !state.hasInlineVersion(endedAfter: through) }
    while through < state.header.sequence {
      let (ids, next) = try state.changes(after: through, limit: 1_000)
      for id in ids {
        for name in try state.record(id)?.content?.chunks ?? [] {
          let pack = try state.readableChunk(name)?.pack
          if let pack, pack.generation < generation { names.insert(pack.pack) }
        }
      }
      through = next
    }
    return true
  }
}

extension IndexedZone {
  /// Whether a content that stands in entries themselves, or a part of it, became a past version.
  fileprivate func hasInlineVersion(endedAfter sequence: UInt64) throws -> Bool {
    var query = try query(
      """
      SELECT chunks FROM past INDEXED BY past_ended
      WHERE zone = ? AND ended > ? AND chunks IS NOT NULL
      """)
    query.bind(Int64(sequence))
    while try query.next() {
      for name in try IndexRow.chunks(query.bytes(0) ?? []) {
        if let entry = try chunk(name), entry.pack == nil { return true }
      }
    }
    return false
  }
}
