import CairnIndex
public import CairnZone

/// A consistent view onto what the records of a zone are and were, also in the zones that they came
/// from; valid inside of `JoinedPast.read` only. Ids and places are those of the zone. A *moment*
/// is a number that grows with time: without former zones it is a place of the zone's log; with
/// them, the entries of all zones are in one order. It decides nothing, and must not know who asks.
public struct PastView {
  /// The zone as it is.
  public let present: ZoneView
  private let layers: [JoinedPast.Layer]
  private let views: [ZoneView]
  /// Of each zone the entries by which records left it for another one.
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

  /// Whether there are former zones.
  public var isJoined: Bool { layers.count > 1 }

  private static let outside = RecordID.outside

  // MARK: Moments

  /// Later than everything.
  public var now: UInt64 { isJoined ? .max : present.header.sequence }

  /// The moment of an entry of one of the logs.
  private func moment(_ sequence: UInt64, _ layer: Int) -> UInt64 {
    guard isJoined, sequence != .max else { return sequence }
    return UInt64(clamping: layers[layer].clock.tick(of: sequence)) << 8 | UInt64(layer)
  }

  /// The last entry of a log that was there at a moment; 0: none.
  private func place(_ moment: UInt64, _ layer: Int) -> UInt64 {
    let through = layers[layer].through
    guard isJoined, moment != .max else { return min(moment, through) }
    let (tick, clock) = (Int64(moment >> 8), layers[layer].clock)
    let sequence = clock.sequence(at: tick)
    let isLater =
      sequence > 0 && clock.tick(of: sequence) == tick && layer > Int(moment & 0xff)
    return min(isLater ? sequence - 1 : sequence, through)
  }

  /// The place of the zone's own log at a moment.
  public func place(at moment: UInt64) -> UInt64 {
    min(place(moment, 0), present.header.sequence)
  }

  /// The moment after an entry.
  /// - Parameters:
  ///   - sequence: The place of the log.
  ///   - zone: The former zone whose log that is: its id, or the beginning; nil: the zone's own.
  /// - Returns: the moment; nil if there is no such zone, or no such place.
  public func moment(after sequence: UInt64, in zone: String?) -> UInt64? {
    guard let zone else {
      return (1...max(present.header.sequence, 1)).contains(sequence) ? moment(sequence, 0) : nil
    }
    let found = layers.indices.dropFirst().filter { layers[$0].zone.id.begins(with: zone) }
    guard found.count == 1, let layer = found.first, sequence > 0,
      sequence <= layers[layer].through
    else { return nil }
    return moment(sequence, layer)
  }

  /// The moment of a time, in nanoseconds since 1970.
  public func moment(at time: Int64) throws -> UInt64 {
    guard isJoined else { return try present.place(at: time) }
    return UInt64(min(max(time / 1_000, 0), 1 << 54)) << 8 | 0xff
  }

  /// Whether anything had happened by a moment.
  public func isBegun(_ moment: UInt64) -> Bool {
    layers.indices.contains { place(moment, $0) > 0 }
  }

  /// The last entry that had come by a moment.
  /// - Returns: the place of a log, and the former zone whose log that is; nil: the zone's own.
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

  /// The entry before the one at a moment, in the same log; nil if that is the first.
  public func entry(before moment: UInt64) -> UInt64? {
    guard isJoined else { return moment > 1 ? moment - 1 : nil }
    let layer = Int(moment & 0xff)
    guard layer < layers.count else { return nil }
    let place = place(moment, layer)
    return place > 1 ? self.moment(place - 1, layer) : nil
  }

  /// Who signed the entry at a moment, and when by their clock; nil if that isn't known.
  public func stamp(at moment: UInt64) throws -> Stamp? {
    guard isJoined else { return try present.stamp(at: moment) }
    let layer = Int(moment & 0xff)
    guard layer < layers.count else { return nil }
    return try views[layer].stamp(at: place(moment, layer)).map { raised($0, layer) }
  }

  /// The restore or rewind that an entry of the zone's own log was a part of, by the place of its
  /// first entry.
  public func act(at moment: UInt64) throws -> UInt64? {
    guard isJoined else { return try present.act(at: moment) }
    return moment & 0xff == 0 ? try present.act(at: place(moment, 0)) : nil
  }

  // MARK: Ids

  /// The id in the zone of what has that one in a former zone.
  private func raised(_ id: RecordID, _ layer: Int) -> RecordID {
    guard layer > 0 else { return id }
    let links = layers[layer].links
    let above =
      links.first { $0.base == id }?.part.base ?? (id == .root ? Self.outside : id)
    return raised(above, layers[layer].parent)
  }

  /// The id in a former zone of what has that one in the zone.
  private func lowered(_ id: RecordID, _ layer: Int) -> RecordID {
    guard layer > 0 else { return id }
    let above = lowered(id, layers[layer].parent)
    return layers[layer].links.first { $0.part.base == above }?.base
      ?? (above == .root ? Self.outside : above)
  }

  /// Whether all that moved is below the record, or is that record.
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
      // What moved as a whole stands where the zone has it.
      raised.place = try present.versions(of: raised.id, limit: 1).first?.record.place
    } else {
      raised.place = record.place.map {
        Place(parent: self.raised($0.parent, layer), name: $0.name)
      }
    }
    return raised
  }

  // MARK: Versions of a record

  /// All versions of a record, in their order, as if it had always been in the zone.
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
    /// Whether nothing but the move to another zone ended it.
    var goesOn: Bool
  }

  /// Whether single records moved between these zones: then what is in another one under its id,
  /// after it was deleted, was moved there.
  private var haveMoves: Bool {
    layers.contains { $0.links.contains { $0.through == FormerZone.open } }
  }

  /// Has versions go on in the next zone: what stayed as it was through a move is one version.
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

  /// What left a zone and never came to the next one is gone since then.
  private func ended(_ all: [Part]) throws -> [RecordVersion] {
    var versions = all.map(\.version)
    if let last = all.last, last.layer > 0, last.version.end == nil {
      var stamp = last.version.record.changed
      stamp.sequence = moment(layers[last.layer].through, last.layer)
      versions[versions.count - 1].end = RecordVersion.End(stamp: stamp, ending: .deleted)
    }
    return versions
  }

  /// The record as it is; nil if it isn't there.
  public func record(_ id: RecordID) throws -> Record? {
    guard let record = try present.record(id), isJoined else { return try present.record(id) }
    let last = try timeline(id).last
    return last?.end == nil ? last?.record ?? record : try raised(record, 0)
  }

  /// The versions of a record, the latest first, as `ZoneView.versions` tells them.
  public func versions(
    of id: RecordID, before began: UInt64 = .max, limit: Int
  ) throws -> [RecordVersion] {
    guard isJoined else { return try present.versions(of: id, before: began, limit: limit) }
    return Array(try timeline(id).reversed().filter { $0.began < began }.prefix(limit))
  }

  /// The versions of a record that stood after a moment, the one that stood at it first.
  public func versions(of id: RecordID, since moment: UInt64) throws -> [RecordVersion] {
    guard isJoined else { return try present.versions(of: id, since: moment) }
    return try timeline(id).filter { $0.end.map { $0.stamp.sequence > moment } ?? true }
  }

  /// The version of a record that stood at a moment; nil if it wasn't there then.
  public func version(of id: RecordID, at moment: UInt64) throws -> RecordVersion? {
    guard isJoined else { return try present.version(of: id, at: moment) }
    return try timeline(id).last { $0.stood(at: moment) }
  }

  /// Whether the record had that content in a version that began before a moment.
  public func hadContent(
    _ content: ContentID, record id: RecordID, before moment: UInt64
  ) throws -> Bool {
    guard isJoined else { return try present.hadContent(content, record: id, before: moment) }
    return try timeline(id).contains { $0.began < moment && $0.record.content?.id == content }
  }

  // MARK: Contents

  /// Whether the bytes of a content can be had.
  public func hasChunks(of content: Content) throws -> Bool {
    try content.chunks.allSatisfy { name in
      try views.contains { try $0.state.isReadable(name) }
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

  /// The chunks that these changes need, that the zone lacks and a former one has.
  func chunksElsewhere(of changes: [RecordChange]) throws -> [ChunkEntry] {
    let names = Set(changes.flatMap { $0.content?.chunks ?? [] })
    return try names.sorted().compactMap { name in
      guard try !present.state.isReadable(name) else { return nil }
      for view in views.dropFirst() {
        if let entry = try view.state.readableChunk(name) { return entry }
      }
      return nil
    }
  }

  // MARK: Trees and events

  /// The zones, as other parts of the view look through them: what each has, and how it is told.
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
  /// What is no record of the zone.
  fileprivate static let outside: RecordID = {
    guard let id = RecordID(bytes: [UInt8](repeating: 0xff, count: 16)) else {
      preconditionFailure("sixteen bytes that are no id")
    }
    return id
  }()
}

extension Record {
  /// Whether nobody sees a difference: the time of a directory says only that something in it is
  /// another one.
  fileprivate func isSame(as other: Record) -> Bool {
    type == other.type && place == other.place && content == other.content
      && target == other.target && (type == .directory || attributes == other.attributes)
  }
}
