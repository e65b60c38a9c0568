import CairnIdentity
import CairnReplica
import CairnStore
public import CairnZone

/// The return of parts from another zone when its share ends, and the removal of an interruption's
/// remains.
///
/// It uses these parts of the container: `account`, `accountZone`, `close`, `dropMounts`, `erase`,
/// `formers`, `givenZones`, `nestings`, `store`, `zone`.
public struct Returning: Sendable {
  let container: Container

  /// Creates a value for a container.
  public init(_ container: Container) { self.container = container }

  /// Returns records to their zones of origin, in one commit for each zone. The records keep their
  /// old ids, and their content stays where it is stored. Their mounts on this device stop first.
  /// - Parameters:
  ///   - nestings: The parts, all of one zone.
  ///   - modified: The modification times of the directories on the disk, by part, in nanoseconds
  ///     since 1970. Other directories get the present time.
  ///   - keepsZone: A Boolean value that indicates whether the zone is needed afterwards, although
  ///     no other part is left in it: it is still shared.
  /// - Throws: `CloudError`; with `.limitExceeded` if they don't fit into one commit, and then
  ///   nothing is changed in that zone.
  public func bringBack(
    _ nestings: [Nesting], modified: [ZonePart: Int64] = [:], keepsZone: Bool = false
  ) throws {
    guard let first = nestings.first, let inner = try container.zone(first.part.zone) else {
      throw Self.noZone
    }
    try inner.pull()
    guard try nestings.allSatisfy({ try isConfirmed($0, inner) }) else { throw Self.unconfirmed }
    let ends = try !keepsZone && !stays(inner.id, without: nestings)
    let apart = try parts(of: inner.id).union(nestings.map(\.part.base))
    var strays = ends ? first.outer : nil
    for (outer, group) in Dictionary(grouping: nestings, by: \.outer).sorted(by: {
      $0.key < $1.key
    }) {
      guard let outer = try container.zone(outer) else { throw Self.noZone }
      // Entries beside all parts, which would lose their parent, are added to one of the parts.
      let takesStrays = strays == outer.id
      try whileOvertaken {
        try outer.pull()
        let back = try inner.read {
          try ReturnPlan(of: group, of: apart, strays: takesStrays, in: $0)
        }
        let (changes, chunks, sequence) = try outer.read { view in
          let changes = try back.changes(modified, now: WallClock.now, in: view)
          let batches = try Subtree.batches(changes, of: back.subtrees) { try view.hasChunk($0) }
          return (changes, batches.flatMap(\.chunks), view.header.sequence)
        }
        guard !changes.isEmpty else { return }
        try outer.commit(changes, bringing: chunks, expecting: sequence)
      }
      if takesStrays { strays = nil }
    }
  }

  private static let unconfirmed = CloudError(
    .serverRecordChanged,
    "the account's note about where this came from doesn't fit the folder's log: one of your "
      + "devices changed the note",
    remedy: "run `cairn device revoke` for a device that isn't yours any more, then repeat this")

  /// Returns whether the logs confirm a nesting: a reference to the part is or was in the outer
  /// zone, and the part is of the noted kind. The account's record alone isn't enough: the records
  /// would return to a zone that never had them, and their own zone would be deleted.
  private func isConfirmed(_ nesting: Nesting, _ inner: Zone) throws -> Bool {
    guard let outer = try container.zone(nesting.outer) else { throw Self.noZone }
    try outer.catchUp()
    let wasThere = try outer.read { view in
      try view.versions(of: nesting.reference, limit: 1_000).contains {
        $0.record.target == nesting.part.bytes
      }
    }
    let base = try inner.read { try $0.record(nesting.part.base) }
    return wasThere && (base.map { ($0.type == .file) == nesting.isFile } ?? true)
  }

  /// Returns the parts of a zone that stay when another part returns: parts that came from outer
  /// zones, and parts that devices mirror by themselves. One of them may be inside of the part that
  /// returns, if that is all of the zone.
  private func parts(of zone: ZoneID) throws -> Set<RecordID> {
    let mirrored = try AccountZone.mounts(in: container.accountZone).filter { $0.zone == zone }
      .map(\.part.base)
    let nested = try container.nestings.all(of: zone).map(\.part.base)
    return Set(nested + mirrored.filter { $0 != .root })
  }

  private static let noZone = CloudError(
    .zoneNotFound, "the folder's zone, or the one around it, isn't there any more",
    remedy: "see `cairn status`")

  /// Returns whether a zone is needed after the return. It is if it existed before the parts, has
  /// its own folders on some device, or has more parts from others.
  private func stays(_ zone: ZoneID, without nestings: [Nesting]) throws -> Bool {
    let all = try container.nestings.all(of: zone)
    let (back, parts) = (Set(nestings.map(\.part)), Set((all + nestings).map(\.part)))
    guard all.allSatisfy({ back.contains($0.part) }), nestings.contains(where: \.founds) else {
      return true
    }
    return try AccountZone.mounts(in: container.accountZone).contains {
      $0.zone == zone && !parts.contains($0.part)
    }
  }

  /// Returns a zone that parts have left, to compare it with what returned. The zone may be gone:
  /// that is no trouble of this device.
  /// - Parameter id: The zone.
  /// - Returns: The zone, nil if nothing opens it any more; and whether it was read to its end now.
  /// - Throws: `CloudError` if the container can't be used now.
  public func left(_ id: ZoneID) throws -> (zone: Zone?, isReadThrough: Bool) {
    let finder = ZoneFinder(container)
    guard let zone = try container.zone(id) ?? finder.open(id) else { return (nil, false) }
    guard try finder.isBegun(zone) else { return (zone, false) }
    do { try zone.pull() } catch let error as CloudError {
      guard !error.isWorthRetrying else { throw error }
      container.close(id)
      return (zone, false)
    }
    return (zone, zone.trouble == nil)
  }

  /// Removes returned records from their zone, and the zone itself with the last of them. Packs
  /// remain, because the outer zones use them. A zone with changes of its own is kept for its past.
  /// Changes that another device of this person made in the zone meanwhile are returned, too.
  /// - Parameters:
  ///   - nestings: The returned parts, all of one zone.
  ///   - hadReaders: A Boolean value that indicates whether others could ever read the zone. They
  ///     have to learn its end from its log, so its objects remain for a while.
  ///   - keepsZone: A Boolean value that indicates whether the zone stays in any case.
  /// - Throws: `CloudError`; the next call removes what is left.
  public func drop(
    _ nestings: [Nesting], hadReaders: Bool, keepsZone: Bool = false
  ) throws {
    guard let id = nestings.first?.part.zone else { return }
    let inner = try container.zone(id)
    guard let inner, try keepsZone || stays(id, without: nestings) else {
      if let inner, inner.header.owner == container.account.user, inner.header.genesis != nil {
        do {
          try inner.pull()
          try bringLate(nestings, inner)
        } catch let error as CloudError where !error.isWorthRetrying {
          // The log of the zone is deleted already, completely or in part.
        }
        if try hasPast(inner, nestings) {
          let all = try container.nestings.all(of: id)
          return try container.formers.keep(
            inner, all, through: inner.header.sequence, isWhole: true)
        }
      }
      return try drop(id, hadReaders: hadReaders)
    }
    var (back, through): ([Nesting], UInt64) = ([], 0)
    try whileOvertaken {
      try inner.pull()
      try bringLate(nestings, inner)
      // A part that no outer zone has or had did not return, whatever the account's record says.
      back = try nestings.filter { nesting in
        guard let outer = try container.zone(nesting.outer) else { return false }
        return try !NestingWork(outer: outer, nestings: [nesting])
          .isTouched(in: inner, without: parts(of: inner.id))
      }
      through = inner.header.sequence
      try takeOut(back, inner)
    }
    try container.formers.keep(
      inner, nestings, through: through, isWhole: false,
      keeping: try wereLinked(nestings) ? Set(back.map(\.part)) : [])
  }

  /// Returns whether the references to these parts were ever in their outer zones, so that the
  /// records there now have returned.
  private func wereLinked(_ nestings: [Nesting]) throws -> Bool {
    try nestings.allSatisfy { nesting in
      try container.zone(nesting.outer)?.read {
        try !$0.versions(of: nesting.reference, limit: 1).isEmpty
      } ?? false
    }
  }

  /// Returns whether there were changes in a zone whose parts have all returned to outer zones.
  private func hasPast(_ inner: Zone, _ nestings: [Nesting]) throws -> Bool {
    guard try wereLinked(nestings) else { return false }
    let me = container.account.user
    return try inner.read { try $0.state.versions.hasAny() || $0.state.records.hasWork(notBy: me) }
  }

  /// Forgets nestings, and the mounts of these on this device. The zones remain.
  private func forget(_ nestings: [Nesting]) throws {
    try AccountZone.remove(nestings, from: container.accountZone)
    let parts = Set(nestings.map(\.part))
    try container.dropMounts { parts.contains($0.part) }
  }

  private func drop(_ id: ZoneID, hadReaders: Bool) throws {
    // The zone belongs to somebody else now, so this person must not remove its contents.
    guard
      try !container.givenZones().contains(id)
        || container.zone(id)?.header.owner == container.account.user
    else {
      return try forget(container.nestings.all(of: id))
    }
    if !hadReaders { try deleteObjects(of: id) }
    try AccountZone.removeNested(
      id, from: container.accountZone, remembering: hadReaders ? WallClock.now : nil)
    try container.dropMounts { $0.zone == id }
    container.close(id)
    try container.erase(id, in: .private)
  }

  /// Returns contents that a zone received after its records had returned.
  private func bringLate(_ nestings: [Nesting], _ inner: Zone) throws {
    for nesting in nestings {
      guard let outer = try container.zone(nesting.outer) else { continue }
      let bases = try parts(of: inner.id).union(nestings.map(\.part.base))
      let subtree = try inner.read { view in
        try view.record(nesting.part.base) == nil
          ? nil : try Subtree(nesting.part.base, in: view, without: bases)
      }
      guard let subtree else { continue }
      try whileOvertaken {
        try outer.pull()
        let (changes, chunks, sequence) = try outer.read { view in
          let changes = try subtree.all.compactMap { record -> RecordChange? in
            guard record.type == .file, try !NestingWork.isKnown(record, to: view),
              let known = try view.record(record.id), known.type == .file
            else { return nil }
            return RecordChange(
              id: record.id, act: .update, content: record.content, attributes: record.attributes)
          }
          let batches = try subtree.batches(changes) { try view.hasChunk($0) }
          return (changes, batches.flatMap(\.chunks), view.header.sequence)
        }
        guard !changes.isEmpty else { return }
        try outer.commit(changes, bringing: chunks, expecting: sequence)
      }
    }
  }

  /// Deletes returned records from their zone, as far as it was read. Records of other parts that
  /// somebody put below them are moved to the root.
  private func takeOut(_ nestings: [Nesting], _ inner: Zone) throws {
    let back = Set(nestings.map(\.part.base))
    let others = try parts(of: inner.id).subtracting(back)
    let (changes, sequence) = try inner.read { view in
      var (gone, changes): ([RecordID], [RecordChange]) = ([], [])
      for base in back.sorted() where try view.record(base) != nil {
        gone += try Subtree(base, in: view, without: others.union(back)).all.map(\.id)
      }
      gone.removeAll { $0 == .root }
      let ids = Set(gone)
      for id in others {
        guard let place = try view.record(id)?.place, ids.contains(place.parent),
          let name = try place.name.free({ try view.child(of: .root, named: $0) != nil })
        else { continue }
        changes.append(
          RecordChange(id: id, act: .update, place: Place(parent: .root, name: name)))
      }
      return (
        changes + gone.map { RecordChange(id: $0, act: .delete) }, view.header.sequence
      )
    }
    guard !changes.isEmpty else { return }
    try inner.commit(changes, expecting: sequence)
  }

  // MARK: What is left over

  /// Removes the remains of an interrupted move out of other zones, and of parts that have returned
  /// to them. Needs the container.
  /// - Parameters:
  ///   - isFree: Returns whether nothing mirrors a part at present.
  ///   - leave: Called for each part before the account forgets it.
  /// - Throws: `CloudError`, or an error of `leave`; the next call does the rest.
  public func dropUnlinkedZones(
    where isFree: (Nesting) -> Bool = { _ in true },
    before leave: (Nesting) throws -> Void = { _ in }
  ) throws {
    try collectEndedZones(now: WallClock.now)
    let groups = Dictionary(grouping: try unlinkedNestings().filter(isFree)) {
      [$0.part.zone, $0.outer]
    }
    for (_, group) in groups {
      if let first = group.first, let outer = try container.zone(first.outer) {
        try dropIfUnlinked(group, outer, before: leave)
      }
    }
  }

  /// Returns the nestings of this device without a reference in the index of the outer zone: they
  /// were interrupted, or that index is behind.
  public func unlinkedNestings() throws -> [Nesting] {
    try container.nestings.own().filter { nesting in
      guard let outer = try container.zone(nesting.outer) else { return false }
      return try outer.read { try $0.record(nesting.reference) } == nil
    }
  }

  // All nestings are of one zone, and of one outer zone.
  func dropIfUnlinked(
    _ nestings: [Nesting], _ outer: Zone, before leave: (Nesting) throws -> Void = { _ in }
  ) throws {
    // Only the log itself says whether the references were committed.
    try outer.pull()
    var unlinked = try outer.read { view in
      try nestings.filter { try view.record($0.reference) == nil }
    }
    guard let id = unlinked.first?.part.zone else { return }
    for nesting in unlinked { try leave(nesting) }
    let known = try container.zone(id)
    guard known?.header.owner ?? container.account.user == container.account.user else {
      // The zone was handed to another owner, and this person has left it.
      return try forget(unlinked)
    }
    let returned = try unlinked.filter { try wereLinked([$0]) }
    if !returned.isEmpty {
      // Their return was interrupted after its commit. While the zone is shared, they were taken
      // out of it.
      try drop(
        returned, hadReaders: known.map { $0.hadReaders } ?? false,
        keepsZone: known.map { try isShared($0) } ?? false)
      unlinked.removeAll { returned.contains($0) }
      guard !unlinked.isEmpty else { return }
    }
    let isInUse = known.map { $0.header.share != nil && $0.hadReaders } ?? false
    guard let inner = known, try isInUse || stays(id, without: unlinked) else {
      return try drop(unlinked, hadReaders: known.map { $0.hadReaders } ?? false)
    }
    try inner.pull()
    let work = NestingWork(outer: outer, nestings: unlinked)
    guard
      try inner.header.share == nil || !work.isTouched(in: inner, without: parts(of: inner.id))
    else {
      // Participants have continued to use it: it remains in the share, and the local records
      // remain.
      return try forget(unlinked)
    }
    try drop(unlinked, hadReaders: true, keepsZone: isInUse)
  }

  /// Returns whether a zone is shared, by its log if that can be read.
  private func isShared(_ zone: Zone) throws -> Bool {
    do { try zone.pull() } catch let error as CloudError where !error.isWorthRetrying {
      // The log is deleted already, completely or in part.
      return false
    }
    return zone.header.share != nil && !zone.header.isPurged
  }

  /// The time for which members of an ended share can read the log of its zone, in nanoseconds:
  /// thirty days.
  public static let endedZoneLife: Int64 = 30 * 86_400 * 1_000_000_000

  /// Deletes the objects of zones that this device ended long enough ago.
  /// - Parameter now: The time in nanoseconds since 1970.
  /// - Throws: `CloudError` if the container can't be used now.
  public func collectEndedZones(now: Int64) throws {
    let zones = try AccountZone.endedZones(
      saidBy: container.account.device.id, in: container.accountZone)
    for (zone, ended) in zones where ended < now - Self.endedZoneLife {
      try deleteObjects(of: zone)
      try AccountZone.forgetEnded(zone, in: container.accountZone)
    }
  }

  func deleteObjects(of id: ZoneID) throws {
    let folder = ZoneFolder(zone: id, founder: container.account.user)
    do {
      while true {
        let keys = try container.store.list("\(folder.path)/", after: nil, limit: 1_000)
        for key in keys.reversed() { try container.store.delete(key) }
        if keys.isEmpty { break }
      }
      try container.store.prune(folder.path)
    } catch { throw CloudError(error) }
  }
}
