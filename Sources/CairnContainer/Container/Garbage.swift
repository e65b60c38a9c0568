import CairnIdentity
import CairnIndex
import CairnReplica
import CairnStore
import CairnZone

/// One run of the garbage collection.
///
/// It uses these parts of the container: `account`, `drops`, `formers`, `givenZones`, `indexes`,
/// `privateDatabase`, `publicZones`, `refresh`, `sharedDatabase`, `store`, `upkeep`.
struct Garbage {
  /// A pack in the container.
  struct Pack {
    var key: ObjectKey
    var stamp: PackStamp
    var size: UInt64
  }

  /// The findings.
  struct Survey {
    var report = GarbageReport()
    /// The packs that no zone references.
    var unnamed: [Pack] = []
    /// The first generation whose packs may still be referenced by zones.
    var open: UInt32 = 0
    /// The last generation that a zone of this person has opened.
    var newest: UInt32 = 0

    /// The packs that can never be referenced again.
    var garbage: [Pack] {
      unnamed.filter { $0.stamp.generation < open && $0.stamp.isOfOwnedZones }
    }

    /// The packs with less than half of their contents in use. While a pack is open, more of it may
    /// become used.
    var sparse: [Pack] = []

    /// The packs that contain something that is to be forgotten, beside used chunks.
    var marked: [Pack] = []

    /// The closed packs of both lists. The number of sparse ones is limited to one run.
    var repackable: [Pack] {
      var bytes: UInt64 = 0
      let few = sparse.prefix {
        bytes += $0.size
        return bytes <= Garbage.mostRepacked
      }
      return (marked + few).filter { $0.stamp.generation < open }
    }

    /// A Boolean value that indicates whether closing all older packs makes more of them garbage.
    var isWorthClosing: Bool {
      report.unneeded.packs > 0
        || (unnamed + sparse + marked).contains {
          $0.stamp.generation >= open && $0.stamp.isOfOwnedZones
        }
    }
  }

  /// The maximum number of bytes of packs that one run repacks.
  private static let mostRepacked: UInt64 = 1 << 30

  let container: Container
  let clock: Int64
  /// The number of entries that make the next log start worthwhile.
  let least: UInt64

  init(_ container: Container, at clock: Int64, floorAfter least: UInt64) {
    self.container = container
    self.clock = clock
    self.least = least
  }

  var me: UserID { container.account.user }

  func collect() throws -> GarbageReport {
    try container.formers.settle()
    var survey = try survey()
    let before = survey.report
    let due = try zonesDue()
    for zone in due { try zone.packPast(at: clock) }
    var closed = try close(
      survey, isWorthIt: survey.isWorthClosing || !due.isEmpty, dropping: Set(due.map(\.id)))
    if closed > 0 { survey = try self.survey() }
    let repacked = survey.repackable
    if !repacked.isEmpty {
      try repack(Set(repacked.map(\.stamp.pack)))
      closed = max(closed, try close(survey, isWorthIt: true))
      survey = try self.survey()
    }
    var report = survey.report
    (report.unnamed, report.unneeded, report.closed) = (before.unnamed, before.unneeded, closed)
    for pack in repacked { report.repacked.add(pack.size) }
    for zone in due {
      // Chunks that couldn't be removed yet would be in the snapshot, and nobody would know of them
      // any more.
      guard try zone.packsToForget(repackable: false).isEmpty else { continue }
      if try zone.exclusively({ try FloorRaise($0, at: clock).raise() }) { report.floors += 1 }
    }
    let swept = try own(of: try all()).compactMap { try FloorSweep($0, container) }
    try sweep(survey.garbage, swept, &report)
    if report.deleted.packs > 0 { try prune(survey) }
    return report
  }

  /// Opens a new generation in all zones, or completes this after an interruption.
  /// - Returns: The number of zones that were changed.
  private func close(
    _ survey: Survey, isWorthIt: Bool, dropping: Set<ZoneID> = []
  ) throws -> Int {
    let goal = isWorthIt ? try openGeneration(after: survey.newest) : survey.newest
    let behind = own(of: try all()).filter { $0.header.generation < goal }
    if behind.contains(where: { $0.header.share?.participants.isEmpty == false }) {
      try claimFolders(goal)
    }
    var closed = 0
    for zone in behind {
      let drops = dropping.contains(zone.id)
      let isClosed = try zone.exclusively {
        try PackClosing($0).retire(to: goal, at: clock, droppingInline: drops)
      }
      if isClosed { closed += 1 }
    }
    return closed
  }

  private func repack(_ packs: Set<PackName>) throws {
    for zone in own(of: try all()) { try zone.repack(packs, at: clock) }
  }

  // MARK: What is there

  /// Returns the zones that this person owns. Only the end of a log proves this: somebody may just
  /// have handed a zone over.
  private func own(of zones: [Zone]) -> [Zone] {
    zones.filter { $0.header.owner == me && !$0.header.isPurged }
  }

  /// Returns all zones of this person, read to their ends: those of the account, and those in this
  /// person's folder of the container, whatever the account says. An entry that blocks the log of
  /// somebody else's zone blocks nothing here, if the zone was never this person's. Nobody can have
  /// read on there, so the zone isn't this person's by now either.
  private func all() throws -> [Zone] {
    let given = try container.givenZones()
    let listed = try (container.privateDatabase.zones() + container.sharedDatabase.zones()).filter {
      do { return try !read([$0]).isEmpty } catch let error as CloudError {
        guard $0.trouble?.kind == .held, $0.trouble?.isRubbish == true, $0.header.owner != me,
          !given.contains($0.id)
        else { throw error }
        return false
      }
    }
    // A record of the account may name a wrong founder, or wrong keys.
    let proven = Set(listed.filter { $0.header.genesis != nil }.map(\.id))
    let unlisted = try ZoneFinder(container).unlisted(beside: proven)
    let found = Set(unlisted.map(\.id))
    return try listed.filter { !found.contains($0.id) }
      + read(unlisted.filter { !given.contains($0.id) })
  }

  private func read(_ zones: [Zone]) throws -> [Zone] {
    for zone in zones {
      try zone.pull()
      if let trouble = zone.trouble { throw trouble.error }
      guard try zone.header.genesis != nil || !ZoneFinder(container).isBegun(zone) else {
        throw CloudError(
          .assetNotAvailable,
          "nothing was deleted: no key that your account has opens the zone \(zone.id.digits)",
          remedy: "if you lost a device, revoke it with `cairn device revoke`: that restores the "
            + "keys; otherwise see `cairn verify`")
      }
      guard zone.isReadThrough else {
        throw CloudError(
          .serviceUnavailable,
          "nothing was deleted: the zone \(zone.id.digits) can't be read to its end now",
          remedy: "try again later")
      }
    }
    return zones
  }

  /// Returns the zones of others that may reference this person's packs, because they were this
  /// person's once.
  private func given(of zones: [Zone]) throws -> [Zone] {
    let ids = try container.givenZones()
    guard ids.isSubset(of: zones.map(\.id)) else {
      throw CloudError(
        .serverRejectedRequest,
        "nothing was deleted: a folder that you handed to somebody else may need packs of yours, "
          + "and can't be read here",
        remedy: "take part in that share again, then try again")
    }
    return zones.filter { ids.contains($0.id) && $0.header.owner != me }
  }

  func survey() throws -> Survey {
    // The account comes first. It lists the zones of folders that another device shares separately,
    // before these zones reference the packs.
    try container.refresh()
    let zones = try all()
    let (own, given) = (own(of: zones), try given(of: zones))
    var survey = Survey()
    let generations = (own + given).map(\.header.generation)
    survey.open = generations.min() ?? 0
    survey.newest = own.map(\.header.generation).max() ?? 0
    var named: Set<PackName> = []
    // The number of bytes of each pack that all zones together need.
    var needed: [PackName: UInt64] = [:]
    var marked: Set<PackName> = []
    for zone in own {
      marked.formUnion(try zone.packsToForget(repackable: true))
      let packs = try zone.packs(at: clock)
      named.formUnion(packs.named)
      needed.merge(packs.needed) { $0.adding(saturating: $1) }
    }
    for zone in try given + read([container.publicZones.own()]) {
      for pack in try zone.read({ try $0.state.chunks.namedPacks() }) {
        named.insert(pack)
        needed[pack] = .max
      }
    }
    for pack in try packs() {
      survey.report.all.add(pack.size)
      guard named.contains(pack.stamp.pack) else {
        survey.unnamed.append(pack)
        survey.report.unnamed.add(pack.size)
        continue
      }
      let bytes = needed[pack.stamp.pack] ?? 0
      if bytes == 0 {
        survey.report.unneeded.add(pack.size)
      } else if marked.contains(pack.stamp.pack), pack.stamp.isOfOwnedZones {
        survey.marked.append(pack)
      } else if PackWriter.stored(bytes) <= pack.size / 2, pack.stamp.isOfOwnedZones {
        survey.sparse.append(pack)
      }
    }
    return survey
  }

  /// Returns all packs in this person's folder.
  func packs() throws -> [Pack] {
    var found: [Pack] = []
    var after: ObjectKey?
    do {
      while true {
        let keys = try container.store.list(
          ObjectKind.packs.path(me) + "/", after: after, limit: 1_000)
        for key in keys {
          guard let stamp = PackStamp(key: key, owner: me) else { continue }
          found.append(
            Pack(key: key, stamp: stamp, size: UInt64(try container.store.size(of: key) ?? 0)))
        }
        guard let last = keys.last else { return found }
        after = last
      }
    } catch {
      throw CloudError(error)
    }
  }

  // MARK: Floors

  /// The zones whose log start is to be raised.
  private func zonesDue() throws -> [Zone] {
    try own(of: try all()).filter { zone in
      try zone.isForgetting()
        || zone.exclusively { try FloorRaise($0, at: clock).isDue(after: least) }
    }
  }

  /// Counts the entries below the log starts, and below those that would be raised.
  func countEntries(in report: inout GarbageReport) throws {
    let due = Set(try zonesDue().map(\.id))
    for zone in own(of: try all()) {
      let end = due.contains(zone.id) ? zone.header.sequence : zone.header.floor?.checkpoint ?? 0
      try FloorSweep.count(zone, below: end, &report.entries)
    }
  }

  // MARK: Throwing away

  /// Deletes packs that have been garbage for long enough, and notes the other garbage.
  private func sweep(
    _ garbage: [Pack], _ floors: [FloorSweep], _ report: inout GarbageReport
  ) throws {
    guard let index = container.indexes[.private] else {
      preconditionFailure("no private index")
    }
    let dropped = try container.drops.garbage()
    let keys = garbage.map(\.key) + floors.flatMap { [$0.whole] + $0.unneeded } + dropped
    let (since, now) = try index.write { db in
      let now = try AgeTable.readClock(db, at: clock).time
      return (try LeavingPacks.note(keys, at: now, db), now)
    }
    func isOver(_ key: ObjectKey) -> Bool { now - (since[key] ?? now) >= Upkeep.garbageLife }
    for pack in garbage {
      guard isOver(pack.key) else {
        report.waiting.add(pack.size)
        let rest = Upkeep.garbageLife - (now - (since[pack.key] ?? now))
        report.rest = min(report.rest ?? rest, rest)
        continue
      }
      if try container.upkeep.discard(pack.key) {
        report.deleted.add(pack.size)
      } else {
        report.refused.append(pack.key.description)
      }
    }
    for key in dropped where isOver(key) {
      if try !container.upkeep.discard(key) { report.refused.append(key.description) }
    }
    for floor in floors {
      for key in floor.unneeded where isOver(key) {
        if try !container.upkeep.discard(key) { report.refused.append(key.description) }
      }
      if isOver(floor.whole) {
        try floor.throwAway(&report)
      } else {
        let rest = Upkeep.garbageLife - (now - (since[floor.whole] ?? now))
        if try floor.count(&report.entries) > 0 { report.rest = min(report.rest ?? rest, rest) }
      }
    }
  }
}

extension Zone {
  /// Returns the packs that the zone references, with the number of bytes of each that a record or
  /// a kept version needs. If everything is kept, these are all bytes.
  fileprivate func packs(
    at clock: Int64
  ) throws -> (named: Set<PackName>, needed: [PackName: UInt64]) {
    try read { view in
      let state = view.state
      let named = try state.chunks.namedPacks()
      let retention = try state.ages.retention(at: clock)
      // Content that is kept for ever isn't repacked to save little space.
      guard !retention.keepsAll else {
        let all = try state.chunkUse.packsNeeded(below: .max, retention)
        return (named, Dictionary(uniqueKeysWithValues: all.map { ($0, .max) }))
      }
      return (named, try state.chunkUse.neededChunks(below: .max, retention).bytes)
    }
  }

  /// Returns the packs with a chunk that is to be forgotten.
  /// - Parameter repackable: If true, only packs that can be repacked, because nothing behind a
  ///   history cutoff needs them. Otherwise the packs of chunks that would be in the next log
  ///   start's snapshot.
  /// - Returns: The names of the packs.
  /// - Throws: Any SQLite error.
  fileprivate func packsToForget(repackable: Bool) throws -> Set<PackName> {
    try read { view in
      let state = view.state
      let past = try state.chunks.pastNames()
      let forgotten = try state.chunkUse.forgottenChunks()
      func packs(_ chunks: Set<ChunkName>) throws -> Set<PackName> {
        try Set(state.chunks.stored(chunks).map(\.range.stamp.pack))
      }
      return try repackable
        ? packs(forgotten).subtracting(packs(past.subtracting(forgotten)))
        : packs(forgotten.subtracting(past))
    }
  }

  /// Returns whether there are entries after the log start with contents that are being forgotten.
  fileprivate func isForgetting() throws -> Bool { try read { try $0.state.forgotten.hasAny() } }
}
