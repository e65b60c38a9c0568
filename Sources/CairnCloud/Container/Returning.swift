import CairnStore
public import CairnZone

/// The return of parts from another zone when its share ends, and the removal of an interruption's
/// remains.
public struct Returning: Sendable {
  let container: Container

  /// In that container.
  public init(_ container: Container) { self.container = container }

  /// Brings records back into their zones of origin, in one commit for each, with their old ids and
  /// their content where it is. Their mounts on this device stop first.
  /// - Parameters:
  ///   - nestings: The parts, all of one zone.
  ///   - modified: The modification times of the directories on the disk, by part, in nanoseconds
  ///     since 1970; the present time for others.
  /// - Throws: `CloudError`; with `.limitExceeded` if they don't fit into one commit, and then
  ///   nothing is changed in that zone.
  public func bringBack(_ nestings: [Nesting], modified: [ZonePart: Int64] = [:]) throws {
    guard let first = nestings.first, let inner = try container.zone(first.part.zone) else {
      throw Self.noZone
    }
    try inner.pull()
    let ends = try !stays(inner.id, without: nestings)
    var strays = ends ? first.outer : nil
    for (outer, group) in Dictionary(grouping: nestings, by: \.outer).sorted(by: {
      $0.key < $1.key
    }) {
      guard let outer = try container.zone(outer) else { throw Self.noZone }
      // What stands beside all parts, and would have no place any more, comes to one of them.
      let takesStrays = strays == outer.id
      try whileOvertaken {
        try outer.pull()
        let back = try inner.read {
          try Homecoming(of: group, of: Set(nestings.map(\.part.base)), strays: takesStrays, in: $0)
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

  private static let noZone = CloudError(
    .zoneNotFound, "the folder's zone, or the one around it, isn't there any more",
    remedy: "see `cairn status`")

  /// Returns whether a zone is needed after the return: it existed before the parts, or has folders
  /// of its own on some device, or more parts from others.
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

  /// Takes what is back where it came from out of its zone, and with the last of it the zone; packs
  /// stay, since the outer zones use them. A zone in which something was done stays for its past.
  /// What another device of this person changed in the zone meanwhile is brought, too.
  /// - Parameters:
  ///   - nestings: which, all of one zone.
  ///   - hadReaders: whether others could read it at any time. They have to learn from its log that
  ///     it is over: then its objects stay for a while.
  /// - Throws: `CloudError`; what was not taken away is by the next call.
  public func drop(_ nestings: [Nesting], hadReaders: Bool) throws {
    guard let id = nestings.first?.part.zone else { return }
    let inner = try container.zone(id)
    guard let inner, try stays(id, without: nestings) else {
      if let inner, inner.header.owner == container.account.user, inner.header.genesis != nil {
        do {
          try inner.pull()
          try bringLate(nestings, inner)
        } catch let error as CloudError where !error.isWorthRetrying {
          // Its log is gone already, or in part.
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
      // What no outer zone has or had isn't back, whatever a record of the account says.
      back = try nestings.filter { nesting in
        guard let outer = try container.zone(nesting.outer) else { return false }
        return try !NestingWork(outer: outer, nestings: [nesting]).isTouched(in: inner)
      }
      through = inner.header.sequence
      try takeOut(back, inner)
    }
    try container.formers.keep(
      inner, nestings, through: through, isWhole: false,
      keeping: try wereLinked(nestings) ? Set(back.map(\.part)) : [])
  }

  /// Whether the references of these ever were in their outer zones, so that what is there now came
  /// back.
  private func wereLinked(_ nestings: [Nesting]) throws -> Bool {
    try nestings.allSatisfy { nesting in
      try container.zone(nesting.outer)?.read {
        try !$0.versions(of: nesting.reference, limit: 1).isEmpty
      } ?? false
    }
  }

  /// Whether something was done in a zone, all of which is back in outer zones.
  private func hasPast(_ inner: Zone, _ nestings: [Nesting]) throws -> Bool {
    guard try wereLinked(nestings) else { return false }
    let me = container.account.user
    return try inner.read { try $0.state.hasVersions() || $0.state.hasWork(notBy: me) }
  }

  /// Forgets nestings, and where this device mirrors them; the zones stay.
  private func forget(_ nestings: [Nesting]) throws {
    try AccountZone.remove(nestings, from: container.accountZone)
    let parts = Set(nestings.map(\.part))
    try container.dropMounts { parts.contains($0.part) }
  }

  private func drop(_ id: ZoneID, hadReaders: Bool) throws {
    // Somebody else's by now: what is there isn't this person's to remove.
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

  /// Brings contents that a zone got after its records were back.
  private func bringLate(_ nestings: [Nesting], _ inner: Zone) throws {
    for nesting in nestings {
      guard let outer = try container.zone(nesting.outer) else { continue }
      let bases = Set(nestings.map(\.part.base))
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

  /// Deletes what is back from its zone, as far as it was read; what somebody put there of other
  /// parts goes to the root.
  private func takeOut(_ nestings: [Nesting], _ inner: Zone) throws {
    let back = Set(nestings.map(\.part.base))
    let others = Set(try container.nestings.all(of: inner.id).map(\.part.base)).subtracting(back)
    let (changes, sequence) = try inner.read { view in
      var (gone, changes): ([RecordID], [RecordChange]) = ([], [])
      for base in back.sorted() where try view.record(base) != nil {
        gone += try Subtree(base, in: view, without: others.union(back)).all.map(\.id)
      }
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

  /// Takes away what was to come out of other zones when this device was interrupted, and what is
  /// back in them; needs the container.
  public func dropUnlinkedZones() throws {
    try collectEndedZones(now: WallClock.now)
    let groups = Dictionary(grouping: try unlinkedNestings()) { [$0.part.zone, $0.outer] }
    for (_, group) in groups {
      if let first = group.first, let outer = try container.zone(first.outer) {
        try dropIfUnlinked(group, outer)
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

  // All of one zone, and of one outer zone.
  func dropIfUnlinked(_ nestings: [Nesting], _ outer: Zone) throws {
    // Only the log itself says whether the references came to be.
    try outer.pull()
    let unlinked = try outer.read { view in
      try nestings.filter { try view.record($0.reference) == nil }
    }
    guard let id = unlinked.first?.part.zone else { return }
    let known = try container.zone(id)
    guard known?.header.owner ?? container.account.user == container.account.user else {
      // Handed on, and left since.
      return try forget(unlinked)
    }
    guard let inner = known, try stays(id, without: unlinked) else {
      return try drop(unlinked, hadReaders: known.map { $0.hadReaders } ?? false)
    }
    try inner.pull()
    let work = NestingWork(outer: outer, nestings: unlinked)
    guard try inner.header.share == nil || !work.isTouched(in: inner) else {
      // Who takes part has gone on with it: it stays in the share, and what is here stays here.
      return try forget(unlinked)
    }
    try drop(unlinked, hadReaders: true)
  }

  /// The time for which members of a share that went back can read the log of its zone, in
  /// nanoseconds: thirty days.
  public static let endedZoneLife: Int64 = 30 * 86_400 * 1_000_000_000

  /// Takes the objects of zones away that went back long enough ago, by this device's doing.
  /// - Parameter now: nanoseconds since 1970.
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
