import CairnStore
public import CairnZone

/// The zones that records of this person's zones came from.
public struct FormerZones: Sendable {
  let container: Container

  /// In that container.
  public init(_ container: Container) { self.container = container }

  /// All that the account notes.
  public func all() throws -> [FormerZone] { try AccountZone.formers(in: container.accountZone) }

  /// The zones of which everything moved to another one that the account has: they are there for
  /// the past only.
  public func ended() throws -> Set<ZoneID> {
    let known = Set(try container.entries().map(\.zone))
    return Set(
      try all().filter { $0.isWhole && known.contains($0.part.zone) && known.contains($0.zone) }
        .map(\.zone))
  }

  /// The zones of which something is now in that one: those that the account notes, and the zones
  /// around folders of theirs that are shared by themselves.
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

  /// Notes that records of a zone move to another one, each by itself and under their ids, while
  /// the zone goes on. Called before they are in the other one; again, it changes nothing.
  /// - Parameters:
  ///   - record: The first of them.
  ///   - source: The zone that they come from.
  ///   - target: The zone that they go to.
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

  /// Has a folder of this device, which mirrored a private zone, mirror a part of another zone that
  /// all of that one was copied to. The old zone stays for its past.
  /// - Parameters:
  ///   - source: The zone that it mirrored.
  ///   - mount: What it mirrors from now on.
  ///   - target: The zone of that.
  /// - Throws: `CloudError`; then the account is as it was.
  public func replace(_ source: Zone, by mount: MountEntry, of target: Zone) throws {
    let came = try target.read { try $0.record(mount.part.base)?.created.sequence }
    let former = FormerZone(
      part: mount.part, zone: source.id, through: source.header.sequence,
      joined: came ?? target.header.sequence, isWhole: true)
    try AccountZone.replace(former, by: mount, in: container.accountZone)
    try container.dropMounts { $0.zone == source.id }
    try container.note(mount)
  }

  /// Has a zone stay for its past whose records are back in the zones that they came out of. In the
  /// same step the account forgets that they had left, and who mirrored them.
  /// - Parameters:
  ///   - inner: The zone.
  ///   - nestings: What is back.
  ///   - through: The last entry of the zone before it was taken out there.
  ///   - isWhole: Whether nothing else is in the zone.
  ///   - parts: Of which parts the past is kept; nil: of all.
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

  /// Has the past in former zones be kept by the rules of the zones that it went to: what stood in
  /// them last is deleted there, once no device mirrors them, and so has its time as other versions
  /// have; and they take over the zone's policy. An interruption leaves the rest to the next call.
  /// - Throws: `CloudError`.
  public func settle() throws {
    guard try !all().isEmpty else { return }
    // What another device changed counts: a zone that is in use again keeps all that it has.
    try container.refresh()
    let (ended, me) = (try ended(), container.account.user)
    let mounted = Set(try AccountZone.mounts(in: container.accountZone).map(\.zone))
    let groups = Dictionary(grouping: try all().filter(\.isWhole), by: \.zone)
    for (id, formers) in groups.sorted(by: { $0.key < $1.key }) where ended.contains(id) {
      guard let zone = try container.zone(id), zone.header.owner == me, !mounted.contains(id),
        !zone.header.isPurged
      else { continue }
      try zone.pull()
      if !formers.allSatisfy(\.isEmptied) {
        try AccountZone.empty(formers, through: zone.header.sequence, in: container.accountZone)
      }
      try deleteAll(in: zone)
      // Of several that it went to, the first decides.
      guard let target = try formers.first.flatMap({ try container.zone($0.part.zone) }),
        target.header.owner == me
      else { continue }
      try container.ownership.setHistory(target.header.history, of: zone)
    }
  }

  /// So many records are deleted in one commit.
  private static let portion = 5_000

  private func deleteAll(in zone: Zone) throws {
    var isMore = true
    while isMore {
      try whileOvertaken {
        try zone.pull()
        let (changes, sequence) = try zone.read { view in
          let subtree = try Subtree(.root, in: view, isAll: true)
          // What is in a directory goes before it.
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

  /// How many bytes of former zones are there for the past of a zone only.
  /// - Throws: `IndexFailure` if an index can't be read.
  public func bytes(of zone: Zone) throws -> UInt64 {
    let ended = try ended()
    return try past(of: zone).layers.dropFirst().reduce(0) { sum, layer in
      guard ended.contains(layer.zone.id) else { return sum }
      return try layer.zone.read { view in
        sum.adding(saturating: try view.pastBytes()).adding(saturating: view.header.bytes)
      }
    }
  }

  /// What a zone is, and was, with all that its records were in former zones.
  /// - Parameter zone: one of this person's.
  /// - Returns: all of it, to be read.
  /// - Throws: `CloudError` if a former zone is damaged. If the container can't be used now, what
  ///   is known of it counts.
  public func past(of zone: Zone) throws -> JoinedPast {
    var nodes = [JoinedPast.Origin(zone: zone, links: [], parent: 0)]
    var seen: Set<ZoneID> = [zone.id]
    var next = 0
    while next < nodes.count, zone.scope != .public {
      let links = Dictionary(grouping: try of(nodes[next].zone.id), by: \.zone)
      for (id, links) in links.sorted(by: { $0.key < $1.key }) where seen.insert(id).inserted {
        guard nodes.count < JoinedPast.most, let former = try container.zone(id) else { continue }
        if !former.isReadThrough {
          do { try former.pull() } catch let error as CloudError {
            guard error.isWorthRetrying else { throw error }
          }
        }
        nodes.append(JoinedPast.Origin(zone: former, links: links, parent: next))
      }
      next += 1
    }
    return try JoinedPast(nodes)
  }
}

extension Container {
  /// Where records were before they came to the zones that they are in.
  public var formers: FormerZones { FormerZones(self) }
}
