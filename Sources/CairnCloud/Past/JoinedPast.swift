import CairnIndex
public import CairnZone

/// A zone together with the zones that its records came from, as one past. It is read through
/// `PastView`, and written through the zone alone.
public struct JoinedPast: Sendable {
  /// A zone, and what of it moved on.
  struct Origin {
    let zone: Zone
    /// What of it is where; of the zone itself nothing.
    let links: [FormerZone]
    /// The number of the zone to which that moved.
    let parent: Int
  }

  /// A zone, and when its entries were made.
  struct Layer: Sendable {
    let zone: Zone
    let links: [FormerZone]
    let parent: Int
    let clock: PastClock

    /// The last entry that counts.
    var through: UInt64 { links.map(\.through).max() ?? .max }
  }

  /// So many zones are joined at most: their numbers have one byte, and one of its values is none.
  static let most = 255

  /// The zone itself first.
  let layers: [Layer]

  /// The zone as it is.
  public var zone: Zone { layers[0].zone }

  init(_ origins: [Origin]) throws {
    guard origins.count > 1 else {
      layers = origins.map { Layer(zone: $0.zone, links: [], parent: 0, clock: PastClock([])) }
      return
    }
    // A zone's clock goes on behind those of the zones that moved into it.
    var clocks: [Int: PastClock] = [:]
    for number in origins.indices.reversed() {
      var floors: [(sequence: UInt64, tick: Int64)] = []
      for other in origins.indices where other != number && origins[other].parent == number {
        guard let clock = clocks[other] else { continue }
        floors += origins[other].links.filter { $0.through < FormerZone.open }
          .map { ($0.joined, clock.tick(of: $0.through)) }
      }
      let times = try origins[number].zone.read { try $0.state.entryTimes() }
      clocks[number] = PastClock(times, floors: floors.sorted { $0 < $1 })
    }
    layers = origins.enumerated().map { number, origin in
      Layer(
        zone: origin.zone, links: origin.links, parent: origin.parent,
        clock: clocks[number] ?? PastClock([]))
    }
  }

  /// Whether there is more than the zone itself.
  public var isJoined: Bool { layers.count > 1 }

  /// Reads all zones as of their last fold.
  /// - Parameter body: Gets the view, which is valid inside of it only.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  public func read<Result>(_ body: (PastView) throws -> Result) throws -> Result {
    try read([], body)
  }

  private func read<Result>(
    _ views: [ZoneView], _ body: (PastView) throws -> Result
  ) throws -> Result {
    guard views.count < layers.count else { return try body(PastView(layers, views)) }
    return try layers[views.count].zone.read { try read(views + [$0], body) }
  }

  /// The zones in which versions of a record are, the zone itself first, and its id in each.
  /// - Throws: `IndexFailure` if an index can't be read.
  public func zones(of id: RecordID) throws -> [(zone: Zone, record: RecordID)] {
    try read { try $0.ids(of: id) }.compactMap { number, id in (layers[number].zone, id) }
  }

  /// Hands out the bytes of a content that some version has.
  /// - Throws: as `Zone.readContent`.
  public func readContent(
    _ content: Content, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let number = try isJoined ? read { try $0.layer(having: content) } ?? 0 : 0
    try layers[number].zone.readContent(content, body)
  }

  /// Commits changes to the zone, whose contents may be those of versions in former zones: what the
  /// zone lacks of them comes along from where it is stored.
  /// - Parameters:
  ///   - records: the changes.
  ///   - sequence: the place of the zone's log.
  ///   - reversal: the restore or rewind that they are a part of.
  /// - Returns: the zone's header after the commit.
  /// - Throws: as `Zone.commit`.
  public func commit(
    _ records: [RecordChange], expecting sequence: UInt64, as reversal: ReversalNote? = nil
  ) throws -> ZoneHeader {
    let chunks = try isJoined ? read { try $0.chunksElsewhere(of: records) } : []
    return try zone.exclusively {
      try $0.commit(
        records: records, share: [], expecting: sequence, bringing: chunks, as: reversal)
    }
  }
}
