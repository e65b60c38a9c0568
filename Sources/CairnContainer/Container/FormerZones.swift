import CairnIdentity
import CairnReplica
import CairnStore
public import CairnZone

/// The former zones of the records in this person's zones.
///
/// It uses these parts of the container: `account`, `accountZone`, `dropMounts`, `entries`,
/// `mounts`, `nestings`, `note`, `ownership`, `refresh`, `zone`, `zoneIDs`.
public struct FormerZones: Sendable {
  let container: Container

  /// Creates a value for a container.
  public init(_ container: Container) { self.container = container }

  /// Returns all former zones that the account notes.
  public func all() throws -> [FormerZone] { try AccountZone.formers(in: container.accountZone) }

  /// Returns the zones whose contents have all moved to another zone of the account. They are kept
  /// for their past only.
  ///
  /// The account's note alone isn't enough, because a stolen device can write it. A zone that this
  /// home mirrors, or that other people can read by its own log, hasn't ended.
  public func ended() throws -> Set<ZoneID> {
    let noted = try all().filter(\.isWhole)
    guard !noted.isEmpty else { return [] }
    let known = Set(try container.entries().map(\.zone))
    let mirrored = Set(try container.mounts().map(\.zone))
    return try Set(
      noted.filter { known.contains($0.part.zone) && known.contains($0.zone) }.map(\.zone)
    ).subtracting(mirrored).filter { try container.zone($0)?.header.hasReaders != true }
  }

  /// Returns the zones with records that are now in the given zone: the zones that the account
  /// notes, and the outer zones of their shared folders.
  func of(_ zone: ZoneID) throws -> [FormerZone] {
    var found = try all().filter { $0.part.zone == zone }
    for nesting in try container.nestings.all(of: zone) {
      guard let outer = try container.zone(nesting.outer), let inner = try container.zone(zone)
      else { continue }
      let left = try outer.read { try $0.record(nesting.reference)?.created.sequence }
      let joined = try inner.read { try $0.record(nesting.part.base)?.created.sequence }
      guard let left, left > 0 else { continue }
      found.append(
        FormerZone(
          part: nesting.part, zone: nesting.outer, base: nesting.record, through: left - 1,
          joined: joined ?? 1, isWhole: false))
    }
    return found.sorted { ($0.zone, $0.part.base) < ($1.zone, $1.part.base) }
  }

  /// Notes that records of a zone move to another one, one by one and under the same ids, while the
  /// zone stays in use. Call it before the records are in the other zone. A second call changes
  /// nothing.
  /// - Parameters:
  ///   - record: The first of the records.
  ///   - source: The zone that they leave.
  ///   - target: The zone that they enter.
  /// - Throws: `CloudError`.
  public func follow(_ record: RecordID, from source: Zone, to target: Zone) throws {
    let isKnown = try all().contains { $0.part.zone == target.id && $0.zone == source.id }
    guard !isKnown else { return }
    let former = FormerZone(
      part: ZonePart(target.id, base: record), zone: source.id, base: record,
      through: FormerZone.open, joined: target.header.sequence + 1, isWhole: false)
    let account = container.accountZone
    try account.save { try [AccountZone.change(of: former, in: account)].compactMap { $0 } }
  }

  /// Makes a folder of this device mirror a part of another zone. The folder mirrored a private
  /// zone before, and all of that zone was copied to the part. The old zone is kept for its past.
  /// - Parameters:
  ///   - source: The zone that the folder mirrored.
  ///   - mount: The mount from now on.
  ///   - target: The zone of that mount.
  /// - Throws: `CloudError`; then the account is unchanged.
  public func replace(_ source: Zone, by mount: MountEntry, of target: Zone) throws {
    let came = try target.read { try $0.record(mount.part.base)?.created.sequence }
    let former = FormerZone(
      part: mount.part, zone: source.id, through: source.header.sequence,
      joined: came ?? target.header.sequence, isWhole: true)
    try AccountZone.replace(former, by: mount, in: container.accountZone)
    try container.note(mount, replacing: source.id)
  }

  /// Keeps a zone for its past after its records returned to their zones of origin. In the same
  /// step the account forgets that the records had left, and the mounts that mirrored them.
  /// - Parameters:
  ///   - inner: The zone.
  ///   - nestings: The parts that returned.
  ///   - through: The last entry of the zone before the records were removed from it.
  ///   - isWhole: A Boolean value that indicates whether the zone contains nothing else.
  ///   - parts: The parts whose past is kept; nil for all.
  /// - Throws: `CloudError`.
  func keep(
    _ inner: Zone, _ nestings: [Nesting], through: UInt64, isWhole: Bool,
    keeping parts: Set<ZonePart>? = nil
  ) throws {
    let formers = try nestings.compactMap { nesting -> FormerZone? in
      guard parts?.contains(nesting.part) ?? true, let outer = try container.zone(nesting.outer)
      else { return nil }
      let back = try outer.read { try $0.record(nesting.record)?.created.sequence }
      return FormerZone(
        part: ZonePart(nesting.outer, base: nesting.record), zone: inner.id,
        base: nesting.part.base, through: through, joined: back ?? outer.header.sequence,
        isWhole: isWhole)
    }
    try AccountZone.remove(nestings, keeping: formers, from: container.accountZone)
    let gone = Set(nestings.map(\.part))
    try container.dropMounts { gone.contains($0.part) }
  }

  /// Subjects the past in former zones to the rules of the zones that replaced them. Once no device
  /// mirrors a former zone, its last records are deleted there, so that they expire like other
  /// versions. The former zone also adopts the policy of the new zone. After an interruption the
  /// next call does the rest.
  /// - Throws: `CloudError`.
  public func settle() throws {
    guard try !all().isEmpty else { return }
    // Changes by other devices count: a zone that is in use again keeps all of its contents.
    try container.refresh()
    let (ended, me) = (try ended(), container.account.user)
    let mounted = Set(try AccountZone.mounts(in: container.accountZone).map(\.zone))
    let groups = Dictionary(grouping: try all().filter(\.isWhole), by: \.zone)
    for (id, formers) in groups.sorted(by: { $0.key < $1.key }) where ended.contains(id) {
      guard let zone = try container.zone(id), zone.header.owner == me, !mounted.contains(id),
        !zone.header.isPurged
      else { continue }
      try zone.pull()
      // A note that a stolen device wrote deletes nothing that isn't elsewhere.
      guard try hasMoved(zone, to: Set(formers.map(\.part.zone))) else { continue }
      if !formers.allSatisfy(\.isEmptied) {
        try AccountZone.empty(formers, through: zone.header.sequence, in: container.accountZone)
      }
      try deleteAll(in: zone)
      // If several zones replaced it, the first one decides.
      guard let target = try formers.first.flatMap({ try container.zone($0.part.zone) }),
        target.header.owner == me
      else { continue }
      try container.ownership.setHistory(target.header.history, of: zone)
    }
  }

  /// Returns whether the content of each file of a zone is in one of these zones.
  private func hasMoved(_ zone: Zone, to targets: Set<ZoneID>) throws -> Bool {
    let targets = try targets.compactMap { try container.zone($0) }
    var missing: Set<ChunkName> = []
    try zone.read { try $0.state.records.forEachChunkList { missing.formUnion($0) } }
    for target in targets where !missing.isEmpty {
      let left = missing
      missing = try target.read { view in
        try left.filter { try !view.state.chunks.isReadable($0) }
      }
    }
    return missing.isEmpty
  }

  /// The number of records that one commit deletes.
  private static let portion = 5_000

  private func deleteAll(in zone: Zone) throws {
    var isMore = true
    while isMore {
      try whileOvertaken {
        try zone.pull()
        let (changes, sequence) = try zone.read { view in
          let subtree = try Subtree(.root, in: view, isAll: true)
          // The contents of a directory are deleted before the directory.
          let ids = (subtree.typed + subtree.below.reversed()).map(\.id)
          return (
            ids.prefix(Self.portion).map { RecordChange(id: $0, act: .delete) },
            view.header.sequence
          )
        }
        isMore = !changes.isEmpty
        if isMore { try zone.commit(changes, expecting: sequence) }
      }
    }
  }

  /// Returns the number of bytes in former zones that are kept only for the past of a zone.
  /// - Throws: `IndexFailure` if an index can't be read.
  public func bytes(of zone: Zone) throws -> UInt64 {
    let ended = try ended()
    return try past(of: zone).layers.dropFirst().reduce(0) { sum, layer in
      guard ended.contains(layer.zone.id) else { return sum }
      return try layer.zone.read { view in
        sum.adding(saturating: try view.pastBytes().all).adding(saturating: view.header.bytes)
      }
    }
  }
}

extension ZoneHeader {
  /// A Boolean value that indicates whether anybody except the owner may read the zone.
  fileprivate var hasReaders: Bool {
    guard let share else { return false }
    return !share.participants.isEmpty || !share.links.isEmpty || share.publicPermission != .none
  }
}

extension Container {
  /// The former zones of the records in this container.
  public var formers: FormerZones { FormerZones(self) }
}
