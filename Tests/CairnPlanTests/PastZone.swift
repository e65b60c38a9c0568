import CairnPlan
import CairnZone

/// A zone in memory that remembers the past states of its records, as an index does.
struct PastZone: PastTrees {
  private(set) var zone: MemoryZone
  private var past: [RecordID: [RecordVersion]] = [:]
  /// The position from which versions are reported.
  var since: UInt64 = 0
  /// Contents that nobody keeps any more.
  var forgotten: Set<ContentID> = []

  static let user = UserID(PastZone.bytes32(1))
  var carried: CarriedAttributes { zone.header.carried }
  var sequence: UInt64 { zone.header.sequence }

  init() {
    zone = MemoryZone(zone: ZoneID(Self.bytes32(7)))
    let founding = fold([], by: Self.device(1), Genesis(owner: Self.user, name: "zone"))
    precondition(founding == nil, "a zone can't be founded: \(founding ?? "")")
  }

  static func bytes32(_ value: UInt64) -> Bytes32 {
    Bytes32([UInt8](repeating: 0, count: 24) + Bytes16(high: 0, low: value).bytes.suffix(8))
      ?? .zero
  }

  static func device(_ value: UInt64) -> DeviceID { DeviceID(Bytes16(high: 1, low: value)) }

  static func isBy(_ device: UInt64) -> (Author) -> Bool {
    { $0.device == PastZone.device(device) }
  }

  /// Commits changes.
  /// - Returns: the reason for a refusal, or nil.
  mutating func commit(_ changes: [RecordChange], by device: UInt64) -> String? {
    fold(changes, by: Self.device(device), nil)
  }

  private mutating func fold(
    _ changes: [RecordChange], by device: DeviceID, _ genesis: Genesis?
  ) -> String? {
    let header = zone.header
    let place = header.sequence + 1
    let names = Set(changes.flatMap { $0.content?.chunks ?? [] }).sorted()
    let commit = Commit(
      previous: header.head, author: Author(user: Self.user, device: device),
      time: Int64(place) * 10, genesis: genesis, epoch: 1,
      chunks: names.map { ChunkEntry(name: $0, size: 1, place: []) }, records: changes,
      keys: genesis == nil ? [:] : [Self.user: Self.bytes32(5)])
    let before = zone
    switch zone.fold(commit, at: place, digest: Self.bytes32(1_000 + place)) {
    case .refused(let refusal): return "\(refusal.code) \(refusal.reason)"
    case .applied(let delta):
      let stamp = Stamp(
        sequence: place, user: Self.user, device: device, time: commit.time)
      for id in delta.saved.keys {
        end(id, before, stamp, delta.left[id] == nil ? .changed : .moved)
      }
      for id in delta.deleted.keys { end(id, before, stamp, .deleted) }
      return nil
    }
  }

  private mutating func end(
    _ id: RecordID, _ before: MemoryZone, _ stamp: Stamp, _ ending: RecordVersion.Ending
  ) {
    guard let record = before.record(id) else { return }
    past[id, default: []].append(
      RecordVersion(record: record, end: RecordVersion.End(stamp: stamp, ending: ending)))
  }

  // MARK: Past trees

  func record(_ id: RecordID) -> Record? { zone.record(id) }

  func child(at place: Place) -> RecordID? { zone.child(of: place.parent, named: place.name) }

  func children(of directory: RecordID) -> [RecordID] {
    zone.children(of: directory, after: nil, limit: .max)
  }

  func has(_ content: Content) -> Bool { !forgotten.contains(content.id) }

  func versions(of id: RecordID) -> [RecordVersion] {
    (past[id] ?? []).filter { $0.end.map { $0.stamp.sequence > since } ?? true }
      + (zone.record(id).map { [RecordVersion(record: $0)] } ?? [])
  }

  /// The records that changed since `since`.
  var changed: [RecordID] {
    Set(past.keys).union(zone.records.keys).filter { id in
      id != .root && versions(of: id).contains { $0.began > since || $0.end != nil }
    }.sorted()
  }

  // MARK: Inspection

  /// The visible aspects of a record.
  struct Seen: Hashable {
    var place: Place?
    var content: ContentID?
    var attributes: Attributes
  }

  /// All records as a person sees them.
  var seen: [RecordID: Seen] {
    zone.records.filter { $0.key != .root }.mapValues {
      Seen(place: $0.place, content: $0.content?.id, attributes: $0.attributes)
    }
  }

  /// The paths of all files, with their contents. Directories have none.
  var paths: [String: ContentID?] {
    var paths: [String: ContentID?] = [:]
    for record in zone.records.values where record.id != .root {
      let names = Ascent(from: record.id) { zone.record($0)?.place }.names
      paths.updateValue(
        record.content?.id, forKey: names.map(\.description).joined(separator: "/"))
    }
    return paths
  }

  // MARK: Reversals

  func reversal(to place: UInt64, isRestoring: Bool = false) -> Reversal<PastZone> {
    var view = self
    view.since = place
    var last: UInt64 = 1_000_000 + sequence * 1_000
    return Reversal(
      in: view, to: place, isRestoring: isRestoring,
      newID: {
        last += 1
        return RecordID(Bytes16(high: 0, low: last))
      },
      nameBeside: { version, attempt in
        fileName(
          "\(version.place?.name.description ?? "") (\(version.changed.sequence), \(attempt))")
      })
  }

  /// Commits a reversal, in batches of a limited size.
  /// - Returns: the reason why the zone refused a batch, or nil if it accepted all.
  mutating func carryOut(
    _ reversal: inout Reversal<PastZone>, ofAtMost most: Int = 3, by device: UInt64 = 9
  ) throws -> String? {
    for batch in try reversal.batches(ofAtMost: most) {
      if let refusal = commit(batch, by: device) { return refusal }
    }
    return nil
  }

  /// Reverts the changes since a position, those of some people or of all.
  mutating func rewind(
    to place: UInt64, ofAtMost most: Int = 3, by device: UInt64 = 9,
    _ isUndone: (Author) -> Bool = { _ in true }
  ) throws -> String? {
    var view = self
    view.since = place
    var reversal = reversal(to: place)
    for id in view.changed { try reversal.rewind(id, isUndone) }
    return try carryOut(&reversal, ofAtMost: most, by: device)
  }
}
