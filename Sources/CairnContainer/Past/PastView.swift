import CairnIndex
import CairnReplica
public import CairnZone

/// A consistent view of the present and past records of a zone, including the zones that they came
/// from. It is valid only inside of `JoinedPast.read`. Ids and positions in the tree are those of
/// the zone. A *moment* is a number that grows with time. Without former zones it is a position in
/// the zone's log. With former zones the entries of all zones have one order. The view decides
/// nothing, and must not know its caller.
public struct PastView {
  /// The zone in its present state.
  public let present: ZoneView
  private let layers: [JoinedPast.Layer]
  private let views: [ZoneView]
  /// For each zone, the entries that moved records to another zone.
  private let departures: [Set<UInt64>]

  init(_ layers: [JoinedPast.Layer], _ views: [ZoneView]) throws {
    (self.layers, self.views, present) = (layers, views, views[0])
    departures =
      try layers.count == 1
      ? [[]]
      : zip(layers, views).map { layer, view in
        try view.nestings(after: 0).union(layer.links.map { $0.through + 1 })
      }
  }

  /// A Boolean value that indicates whether there are former zones.
  public var isJoined: Bool { layers.count > 1 }

  private static let outside = RecordID.outside

  // MARK: Moments

  /// A moment after all others.
  public var now: UInt64 { isJoined ? .max : present.header.sequence }

  /// Returns the moment of an entry of one of the logs.
  private func moment(_ sequence: UInt64, _ layer: Int) -> UInt64 {
    guard isJoined, sequence != .max else { return sequence }
    return UInt64(clamping: layers[layer].clock.tick(of: sequence)) << 8 | UInt64(layer)
  }

  /// Returns the last entry of a log that existed at a moment; 0 if there is none.
  private func place(_ moment: UInt64, _ layer: Int) -> UInt64 {
    let through = layers[layer].through
    guard isJoined, moment != .max else { return min(moment, through) }
    let (tick, clock) = (Int64(moment >> 8), layers[layer].clock)
    let sequence = clock.sequence(at: tick)
    let isLater =
      sequence > 0 && clock.tick(of: sequence) == tick && layer > Int(moment & 0xff)
    return min(isLater ? sequence - 1 : sequence, through)
  }

  /// Returns the position in the zone's own log at a moment.
  public func place(at moment: UInt64) -> UInt64 {
    min(place(moment, 0), present.header.sequence)
  }

  /// Returns the moment after an entry.
  /// - Parameters:
  ///   - sequence: The position in the log.
  ///   - zone: The former zone that the log belongs to: its id, or the beginning of its id; nil for
  ///     the zone itself.
  /// - Returns: The moment; nil if there is no such zone or position.
  public func moment(after sequence: UInt64, in zone: String?) -> UInt64? {
    guard let zone else {
      return (1...max(present.header.sequence, 1)).contains(sequence) ? moment(sequence, 0) : nil
    }
    // A file has few former zones, so that fewer than six digits are enough.
    let found = layers.indices.dropFirst().filter {
      layers[$0].zone.id.description.hasPrefix(zone.lowercased())
    }
    guard found.count == 1, let layer = found.first, sequence > 0,
      sequence <= layers[layer].through
    else { return nil }
    return moment(sequence, layer)
  }

  /// Returns the moment of a time, in nanoseconds since 1970.
  public func moment(at time: Int64) throws -> UInt64 {
    guard isJoined else { return try present.place(at: time) }
    return UInt64(min(max(time / 1_000, 0), 1 << 54)) << 8 | 0xff
  }

  /// Returns whether there was any entry by a moment.
  public func isBegun(_ moment: UInt64) -> Bool {
    layers.indices.contains { place(moment, $0) > 0 }
  }

  /// Returns the last entry that existed at a moment.
  /// - Returns: The position in a log, and the former zone that the log belongs to; nil for the
  ///   zone itself.
  public func entry(at moment: UInt64) -> (zone: ZoneID?, sequence: UInt64) {
    guard isJoined else { return (nil, moment) }
    guard moment != .max else { return (nil, present.header.sequence) }
    let last = layers.indices.compactMap { layer -> (moment: UInt64, layer: Int, UInt64)? in
      let place = min(place(moment, layer), views[layer].header.sequence)
      return place > 0 ? (self.moment(place, layer), layer, place) : nil
    }.max { $0.moment < $1.moment }
    guard let (_, layer, sequence) = last else { return (nil, 0) }
    return (layer == 0 ? nil : layers[layer].zone.id, sequence)
  }

  /// Returns the entry before the one at a moment, in the same log; nil if that is the first.
  public func entry(before moment: UInt64) -> UInt64? {
    guard isJoined else { return moment > 1 ? moment - 1 : nil }
    let layer = Int(moment & 0xff)
    guard layer < layers.count else { return nil }
    let place = place(moment, layer)
    return place > 1 ? self.moment(place - 1, layer) : nil
  }

  /// Returns the author of the entry at a moment, and its time by the author's clock; nil if
  /// unknown.
  public func stamp(at moment: UInt64) throws -> Stamp? {
    guard isJoined else { return try present.stamp(at: moment) }
    let layer = Int(moment & 0xff)
    guard layer < layers.count else { return nil }
    return try views[layer].stamp(at: place(moment, layer)).map { raised($0, layer) }
  }

  /// Returns the restore or rewind that contains an entry of the zone's own log, as the position of
  /// its first entry.
  public func act(at moment: UInt64) throws -> UInt64? {
    guard isJoined else { return try present.act(at: moment) }
    return moment & 0xff == 0 ? try present.act(at: place(moment, 0)) : nil
  }

  // MARK: Ids

  /// Converts a record's id in a former zone to its id in the zone.
  private func raised(_ id: RecordID, _ layer: Int) -> RecordID {
    guard layer > 0 else { return id }
    let links = layers[layer].links
    let above =
      links.first { $0.base == id }?.part.base ?? (id == .root ? Self.outside : id)
    return raised(above, layers[layer].parent)
  }

  /// Converts a record's id in the zone to its id in a former zone.
  private func lowered(_ id: RecordID, _ layer: Int) -> RecordID {
    guard layer > 0 else { return id }
    let above = lowered(id, layers[layer].parent)
    return layers[layer].links.first { $0.part.base == above }?.base
      ?? (above == .root ? Self.outside : above)
  }

  /// Returns whether a record contains everything that moved, or is everything that moved.
  private func isTop(_ id: RecordID, _ layer: Int) -> Bool {
    guard layer > 0 else { return false }
    if layers[layer].links.contains(where: { $0.base == id }) { return true }
    return isTop(id, layers[layer].parent)
  }

  private func raised(_ stamp: Stamp, _ layer: Int) -> Stamp {
    var stamp = stamp
    stamp.sequence = moment(stamp.sequence, layer)
    return stamp
  }

  private func raised(_ record: Record, _ layer: Int) throws -> Record {
    var raised = record
    raised.id = self.raised(record.id, layer)
    raised.created = self.raised(record.created, layer)
    raised.changed = self.raised(record.changed, layer)
    if isTop(record.id, layer) {
      // A part that moved as a whole has the position that the zone gives it.
      raised.place = try present.versions(of: raised.id, limit: 1).first?.record.place
    } else {
      raised.place = record.place.map {
        Place(parent: self.raised($0.parent, layer), name: $0.name)
      }
    }
    return raised
  }

  // MARK: Versions of a record

  /// Returns all versions of a record, in order, as if the record had always been in the zone.
  private func timeline(_ id: RecordID) throws -> [RecordVersion] {
    var all: [Part] = []
    for layer in layers.indices {
      let (own, through) = (lowered(id, layer), layers[layer].through)
      guard own != Self.outside else { continue }
      for version in try views[layer].versions(of: own, limit: .max).reversed()
      where version.began <= through {
        let end = version.end.flatMap { $0.stamp.sequence <= through ? $0 : nil }
        let isDeparture =
          version.end?.ending == .deleted
          && departures[layer].contains(version.end?.stamp.sequence ?? 0)
        all.append(
          Part(
            version: RecordVersion(
              record: try raised(version.record, layer),
              end: end.map { RecordVersion.End(stamp: raised($0.stamp, layer), ending: $0.ending) }
            ),
            layer: layer, goesOn: end == nil ? layer > 0 : isDeparture))
      }
    }
    all.sort { $0.version.began < $1.version.began }
    return try ended(joined(all))
  }

  /// A version in one of the zones.
  private struct Part {
    var version: RecordVersion
    var layer: Int
    /// A Boolean value that indicates whether only the move to another zone ended the version.
    var goesOn: Bool
  }

  /// A Boolean value that indicates whether single records moved between these zones. Then a
  /// deleted record that exists in another zone under its id was moved there.
  private var haveMoves: Bool {
    layers.contains { $0.links.contains { $0.through == FormerZone.open } }
  }

  /// Joins versions across zones: a record that did not change in a move has one version.
  private func joined(_ all: [Part]) -> [Part] {
    var result: [Part] = []
    for var next in all {
      guard let last = result.last, last.layer != next.layer,
        last.goesOn || haveMoves && last.version.end?.ending == .deleted
      else {
        result.append(next)
        continue
      }
      next.version.record.created = last.version.record.created
      let (before, after) = (last.version.record, next.version.record)
      if before.isSame(as: after) {
        next.version.record.changed = before.changed
        result[result.count - 1] = next
        continue
      }
      result[result.count - 1].version.end = RecordVersion.End(
        stamp: after.changed, ending: before.place == after.place ? .changed : .moved)
      result.append(next)
    }
    return result
  }

  /// Ends the versions of records that left a zone and never arrived in the next one: they are
  /// deleted from then on.
  private func ended(_ all: [Part]) throws -> [RecordVersion] {
    var versions = all.map(\.version)
    if let last = all.last, last.layer > 0, last.version.end == nil {
      var stamp = last.version.record.changed
      stamp.sequence = moment(layers[last.layer].through, last.layer)
      versions[versions.count - 1].end = RecordVersion.End(stamp: stamp, ending: .deleted)
    }
    return versions
  }

  /// Returns the present record; nil if there is none.
  public func record(_ id: RecordID) throws -> Record? {
    guard let record = try present.record(id), isJoined else { return try present.record(id) }
    let last = try timeline(id).last
    return last?.end == nil ? last?.record ?? record : try raised(record, 0)
  }

  /// Returns the versions of a record, the latest first, like `ZoneView.versions`.
  public func versions(
    of id: RecordID, before began: UInt64 = .max, limit: Int
  ) throws -> [RecordVersion] {
    guard isJoined else { return try present.versions(of: id, before: began, limit: limit) }
    return Array(try timeline(id).reversed().filter { $0.began < began }.prefix(limit))
  }

  /// Returns the versions of a record that were valid after a moment, beginning with the one at
  /// that moment.
  public func versions(of id: RecordID, since moment: UInt64) throws -> [RecordVersion] {
    guard isJoined else { return try present.versions(of: id, since: moment) }
    return try timeline(id).filter { $0.end.map { $0.stamp.sequence > moment } ?? true }
  }

  /// Returns the version of a record at a moment; nil if the record did not exist then.
  public func version(of id: RecordID, at moment: UInt64) throws -> RecordVersion? {
    guard isJoined else { return try present.version(of: id, at: moment) }
    return try timeline(id).last { $0.stood(at: moment) }
  }

  /// Returns whether the record had that content in a version that began before a moment.
  public func hadContent(
    _ content: ContentID, record id: RecordID, before moment: UInt64
  ) throws -> Bool {
    guard isJoined else { return try present.hadContent(content, record: id, before: moment) }
    return try timeline(id).contains { $0.began < moment && $0.record.content?.id == content }
  }

  // MARK: Contents

  /// Returns whether the bytes of a content are available.
  public func hasChunks(of content: Content) throws -> Bool {
    try content.chunks.allSatisfy { name in
      try views.contains { try $0.state.chunks.isReadable(name) }
    }
  }

  func ids(of id: RecordID) throws -> [(layer: Int, id: RecordID)] {
    try layers.indices.map { ($0, lowered(id, $0)) }.filter { layer, id in
      try layer == 0 || id != Self.outside && !views[layer].versions(of: id, limit: 1).isEmpty
    }
  }

  func layer(having content: Content) throws -> Int? {
    try views.firstIndex { try $0.hasChunks(of: content) }
  }

  /// Returns the chunks that these changes need, if the zone lacks them and a former zone has them.
  func chunksElsewhere(of changes: [RecordChange]) throws -> [ChunkEntry] {
    let names = Set(changes.flatMap(\.contents).flatMap(\.chunks))
    return try names.sorted().compactMap { name in
      guard try !present.state.chunks.isReadable(name) else { return nil }
      for view in views.dropFirst() {
        if let entry = try view.state.chunks.readable(name) { return entry }
      }
      return nil
    }
  }

  // MARK: Trees and events

  /// Calls `body` for each zone with its view and the conversion of ids, for other parts of this
  /// view.
  func forEachLayer(
    _ body: (_ view: ZoneView, _ lowered: (RecordID) -> RecordID, _ number: Int) throws -> Void
  ) rethrows {
    for layer in layers.indices {
      try body(views[layer], { lowered($0, layer) }, layer)
    }
  }

  func raisedID(_ id: RecordID, _ layer: Int) -> RecordID? {
    let raised = raised(id, layer)
    return raised == Self.outside ? nil : raised
  }

  func placeOfLayer(_ moment: UInt64, _ layer: Int) -> UInt64 { place(moment, layer) }

  func momentOfLayer(_ sequence: UInt64, _ layer: Int) -> UInt64 { moment(sequence, layer) }
}

extension RecordID {
  /// An id that no record of the zone has.
  fileprivate static let outside: RecordID = {
    guard let id = RecordID(bytes: [UInt8](repeating: 0xff, count: 16)) else {
      preconditionFailure("sixteen bytes that are no id")
    }
    return id
  }()
}

extension Record {
  /// Returns whether the records look the same to people. The time of a directory only says that
  /// something in it changed.
  fileprivate func isSame(as other: Record) -> Bool {
    type == other.type && place == other.place && content == other.content
      && target == other.target && (type == .directory || attributes == other.attributes)
  }
}
