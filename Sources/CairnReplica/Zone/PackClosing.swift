import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// Closes packs in a zone. The log names the packs that are kept. It doesn't decide about the kept
/// past; it owns nothing.
public struct PackClosing {
  private let replica: ZoneReplica

  /// Creates a value for a replica.
  public init(_ replica: ZoneReplica) { self.replica = replica }

  private var header: ZoneHeader { replica.header }

  /// Closes all generations before the given one, except the packs that the zone needs. A zone that
  /// has closed them already stays unchanged.
  /// - Parameters:
  ///   - generation: The first open generation from then on.
  ///   - clock: The time in seconds since 1970.
  ///   - dropsInline: A Boolean value that indicates whether chunks inside of entries leave the
  ///     zone, too, if neither a record nor a kept version has them.
  /// - Returns: Whether this closed any.
  /// - Throws: `CloudError`, with `.permissionFailure` for anybody but the owner.
  public func retire(
    to generation: UInt32, at clock: Int64, droppingInline dropsInline: Bool = false
  ) throws -> Bool {
    var kept: KeptPacks?
    return try retire(to: generation) { state in
      if try kept?.follow(state, at: clock) != true {
        kept = try KeptPacks(
          state, below: generation, at: clock, droppingInline: dropsInline)
      }
      return Retirement(
        generation: generation, kept: kept?.names ?? [], dropsInline: kept?.dropsInline ?? false)
    }
  }

  /// The same, but a function chooses the older packs to keep, by the state of the zone at that
  /// time.
  func retire(
    to generation: UInt32, _ retirement: (IndexedZone) throws -> Retirement
  ) throws -> Bool {
    try whileOvertaken {
      _ = try replica.pull()
      guard header.generation < generation else { return false }
      let retirement = try replica.index.read {
        try retirement(IndexedZone($0, zone: replica.zone, header: header))
      }
      _ = try replica.commit(
        records: [], share: [.zone(.retire(retirement))], expecting: header.sequence)
      return true
    }
  }
}

extension Zone {
  /// Returns the closed packs of the zone, by the replayed log; nil if none ever was.
  public func closedPacks() throws -> Retirement? {
    try read { view in
      let generation = view.header.generation
      guard generation > 0 else { return nil }
      return Retirement(generation: generation, kept: Set(try view.state.chunks.keptPacks()))
    }
  }
}
