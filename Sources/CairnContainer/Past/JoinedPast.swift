import CairnIndex
import CairnReplica
public import CairnZone

/// A zone together with the zones that its records came from, as one past. It is read through
/// `PastView`, and written through the zone alone.
public struct JoinedPast: Sendable {
  /// A former zone, and the parts of it that moved on.
  struct Origin {
    let zone: Zone
    /// The present locations of these parts. Empty for the zone itself.
    let links: [FormerZone]
    /// The number of the zone that they moved to.
    let parent: Int
  }

  /// A zone with the times of its entries.
  struct Layer: Sendable {
    let zone: Zone
    let links: [FormerZone]
    let parent: Int
    let clock: PastClock

    /// The last entry that counts.
    var through: UInt64 { links.map(\.through).max() ?? .max }
  }

  /// The maximum number of joined zones: a zone's number has one byte, and one value means "none".
  static let most = 255

  /// The zones. The first one is the zone itself.
  let layers: [Layer]

  /// The zone in its present state.
  public var zone: Zone { layers[0].zone }

  init(_ origins: [Origin]) throws {
    guard origins.count > 1 else {
      layers = origins.map { Layer(zone: $0.zone, links: [], parent: 0, clock: PastClock([])) }
      return
    }
    // A zone's clock continues after those of the zones that moved into it.
    var clocks: [Int: PastClock] = [:]
    for number in origins.indices.reversed() {
      var floors: [(sequence: UInt64, tick: Int64)] = []
      for other in origins.indices where other != number && origins[other].parent == number {
        guard let clock = clocks[other] else { continue }
        floors += origins[other].links.filter { $0.through < FormerZone.open }
          .map { ($0.joined, clock.tick(of: $0.through)) }
      }
      let times = try origins[number].zone.read { try $0.state.log.times() }
      clocks[number] = PastClock(times, floors: floors.sorted { $0 < $1 })
    }
    layers = origins.enumerated().map { number, origin in
      Layer(
        zone: origin.zone, links: origin.links, parent: origin.parent,
        clock: clocks[number] ?? PastClock([]))
    }
  }

  /// A Boolean value that indicates whether there are former zones.
  public var isJoined: Bool { layers.count > 1 }

  /// Reads all zones as of their last replay.
  /// - Parameter body: A function that gets the view. The view is valid only inside of it.
  /// - Returns: The result of `body`.
  /// - Throws: Any error of `body`.
  public func read<Result>(_ body: (PastView) throws -> Result) throws -> Result {
    try read([], body)
  }

  private func read<Result>(
    _ views: [ZoneView], _ body: (PastView) throws -> Result
  ) throws -> Result {
    guard views.count < layers.count else { return try body(PastView(layers, views)) }
    return try layers[views.count].zone.read { try read(views + [$0], body) }
  }

  /// Returns the zones that contain versions of a record, the zone itself first, with the record's
  /// id in each.
  /// - Throws: `IndexFailure` if an index can't be read.
  public func zones(of id: RecordID) throws -> [(zone: Zone, record: RecordID)] {
    try read { try $0.ids(of: id) }.compactMap { number, id in (layers[number].zone, id) }
  }

  /// Reads the bytes of a content that some version has.
  /// - Throws: The errors of `Zone.readContent`.
  public func readContent(
    _ content: Content, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let number = try isJoined ? read { try $0.layer(having: content) } ?? 0 : 0
    try layers[number].zone.readContent(content, body)
  }

  /// Commits changes to the zone. They may use contents of versions in former zones. Chunks that
  /// the zone lacks are then added from their present storage.
  /// - Parameters:
  ///   - records: The changes.
  ///   - sequence: The position in the zone's log.
  ///   - reversal: The restore or rewind that the changes belong to.
  /// - Returns: The zone's header after the commit.
  /// - Throws: The errors of `Zone.commit`.
  public func commit(
    _ records: [RecordChange], expecting sequence: UInt64, as reversal: ReversalNote? = nil
  ) throws -> ZoneHeader {
    let chunks = try isJoined ? read { try $0.chunksElsewhere(of: records) } : []
    try zone.carry(chunks)
    return try zone.exclusively {
      try $0.commit(
        records: records, share: [], expecting: sequence, bringing: chunks, as: reversal)
    }
  }
}
