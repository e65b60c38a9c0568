import CairnIndex
import CairnStore
import CairnZone

/// Packs, counted.
public struct PackCount: Hashable, Sendable {
  /// How many.
  public private(set) var packs = 0
  /// The bytes of all of them.
  public private(set) var bytes: UInt64 = 0

  /// None.
  public init() {}

  mutating func add(_ size: UInt64) {
    packs += 1
    bytes += size
  }
}

/// What of this person's packs is garbage, and what was done about it.
public struct GarbageReport: Hashable, Sendable {
  /// All packs in this person's folder of the container.
  public var all = PackCount()
  /// Those that no entry names: what a crash or a lost race left, or what is on its way.
  public var unnamed = PackCount()
  /// Those that nothing needs but versions which aren't kept any more.
  public var unneeded = PackCount()
  /// Those that wait for the end of their time.
  public var waiting = PackCount()
  /// When the next of them may go, in seconds from now; nil if none waits.
  public var rest: Int64?
  /// Those that were deleted.
  public var deleted = PackCount()
  /// The keys of those that the container doesn't let this person delete.
  public var refused: [String] = []
  /// Those of which less than half was needed, and whose rest was packed anew; of a survey, those
  /// that would be.
  public var repacked = PackCount()
  /// In how many zones older packs were closed.
  public var closed = 0
}

/// Throwing packs away that nobody needs. Generations decide which these are, and no clock: a pack
/// goes only once all zones that may ever name it have closed it and none does. The time that it
/// stands on after that is for readers who are in the middle of it.
extension Container {
  /// How long a pack stands that nobody can name any more, in seconds: seven days.
  public static let garbageLife: Int64 = 7 * 86_400

  /// Says what is garbage, changing nothing.
  /// - Throws: `CloudError`, also if one zone can't be read to its end.
  public func surveyGarbage() throws -> GarbageReport {
    let survey = try Garbage(self, at: WallClock.seconds).survey()
    var report = survey.report
    for pack in survey.sparse { report.repacked.add(pack.size) }
    return report
  }

  /// Closes packs in all zones of this person's if something is won by it, and deletes those that
  /// have been closed and without a name for `garbageLife`. An interruption loses nothing: the next
  /// call goes on.
  /// - Throws: `CloudError`, also if one zone can't be read to its end; then nothing is deleted.
  public func collectGarbage() throws -> GarbageReport {
    try collectGarbage(at: WallClock.seconds)
  }

  /// The same by another clock than the machine's.
  /// - Parameter clock: seconds since 1970.
  /// - Returns: what was found and done.
  /// - Throws: as above.
  public func collectGarbage(at clock: Int64) throws -> GarbageReport {
    try Garbage(self, at: clock).collect()
  }

  /// Takes an object away that nobody needs.
  /// - Returns: false if the container doesn't let this person.
  /// - Throws: `CloudError` if it can't be used now.
  fileprivate func discard(_ key: ObjectKey) throws -> Bool {
    do throws(StoreError) { try store.delete(key) } catch {
      guard error.code == .denied else { throw CloudError(error) }
      return false
    }
    return true
  }
}

/// One look for garbage.
private struct Garbage {
  /// A pack as it stands in the container.
  struct Pack {
    var key: ObjectKey
    var stamp: PackStamp
    var size: UInt64
  }

  /// What was found.
  struct Survey {
    var report = GarbageReport()
    /// The packs that no zone names.
    var unnamed: [Pack] = []
    /// The first generation that a zone may still name packs of.
    var open: UInt32 = 0
    /// The last generation that a zone of this person's has opened.
    var newest: UInt32 = 0

    /// The packs that nobody can ever name again.
    var garbage: [Pack] {
      unnamed.filter { $0.stamp.generation < open && $0.stamp.isOfOwnedZones }
    }

    /// The packs of which less than half is needed. While one is open, more of it may come to be.
    var sparse: [Pack] = []

    /// Those of them that are closed, as many as are packed anew in one go.
    var repackable: [Pack] {
      var bytes: UInt64 = 0
      return sparse.filter { $0.stamp.generation < open }.prefix {
        bytes += $0.size
        return bytes <= Garbage.mostRepacked
      }
    }

    /// Whether closing all older packs makes more of them garbage.
    var isWorthClosing: Bool {
      report.unneeded.packs > 0
        || (unnamed + sparse).contains {
          $0.stamp.generation >= open && $0.stamp.isOfOwnedZones
        }
    }
  }

  /// So many bytes of packs are packed anew in one go.
  private static let mostRepacked: UInt64 = 1 << 30

  let container: Container
  let clock: Int64

  init(_ container: Container, at clock: Int64) {
    self.container = container
    self.clock = clock
  }

  private var me: UserID { container.account.user }

  func collect() throws -> GarbageReport {
    var survey = try survey()
    let before = survey.report
    var closed = try close(survey, isWorthIt: survey.isWorthClosing)
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
    try sweep(survey.garbage, &report)
    if report.deleted.packs > 0 { try prune(survey) }
    return report
  }

  /// Opens a new generation in all zones, or has those follow that an interruption left behind.
  /// - Returns: in how many it did.
  private func close(_ survey: Survey, isWorthIt: Bool) throws -> Int {
    let goal = isWorthIt ? Retirement.generation(after: survey.newest) : survey.newest
    let behind = own(of: try all()).filter { $0.header.generation < goal }
    if behind.contains(where: { $0.header.share?.participants.isEmpty == false }) {
      try claimFolders(goal)
    }
    var closed = 0
    for zone in behind {
      if try zone.exclusively({ try $0.retire(to: goal, at: clock) }) { closed += 1 }
    }
    return closed
  }

  /// Has the folders of a generation belong to this person before others put packs there: where
  /// only its owner may tidy a folder, theirs could never go.
  private func claimFolders(_ generation: UInt32) throws {
    let folder = PackStamp.folder(of: generation, owner: me)
    do throws(StoreError) {
      for number: UInt8 in .min ... .max {
        try container.store.claim("\(folder)/\(hexadecimal([number]))")
      }
    } catch {
      throw CloudError(error)
    }
  }

  /// Removes the folders of closed generations in which no pack stands any more.
  private func prune(_ survey: Survey) throws {
    let packs = Set(try self.packs().map(\.stamp.generation))
    let own = "users/\(me)/packs/"
    do throws(StoreError) {
      for name in try container.store.folders(in: own) {
        guard let generation = UInt32(name, radix: 16), generation < survey.open,
          !packs.contains(generation), generation != PackStamp.publicGeneration,
          "\(own)\(name)" == PackStamp.folder(of: generation, owner: me)
        else { continue }
        try container.store.prune("\(own)\(name)")
      }
    } catch {
      throw CloudError(error)
    }
  }

  private func repack(_ packs: Set<PackName>) throws {
    for zone in own(of: try all()) {
      try zone.exclusively { try $0.repack(packs, at: clock) }
    }
  }

  // MARK: What is there

  /// The zones that this person owns. Only the end of a log says who does: somebody may just have
  /// handed one over.
  private func own(of zones: [Zone]) -> [Zone] {
    zones.filter { $0.header.owner == me && !$0.header.isPurged }
  }

  /// All zones of this person's account, read to their ends.
  private func all() throws -> [Zone] {
    try read(container.privateDatabase.zones() + container.sharedDatabase.zones())
  }

  private func read(_ zones: [Zone]) throws -> [Zone] {
    for zone in zones {
      try zone.pull()
      if let trouble = zone.trouble { throw trouble.error }
      guard zone.isReadThrough else {
        throw CloudError(
          .serviceUnavailable,
          "nothing was deleted: the zone \(zone.id) can't be read to its end now",
          remedy: "try again later")
      }
    }
    return zones
  }

  /// Zones of others that may name this person's packs, since they were this person's once.
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
    // The account first: what another device shares by itself stands there before its packs are
    // named elsewhere.
    try container.refresh()
    let zones = try all()
    let (own, given) = (own(of: zones), try given(of: zones))
    var survey = Survey()
    let generations = (own + given).map(\.header.generation)
    survey.open = generations.min() ?? 0
    survey.newest = own.map(\.header.generation).max() ?? 0
    var named: Set<PackName> = []
    // How many bytes of each are needed, by all zones together.
    var needed: [PackName: UInt64] = [:]
    for zone in own {
      let packs = try zone.packs(at: clock)
      named.formUnion(packs.named)
      needed.merge(packs.needed) { $0.addingReportingOverflow($1).overflow ? .max : $0 + $1 }
    }
    for zone in try given + read([container.publicZone()]) {
      for pack in try zone.read({ try $0.state.namedPacks() }) {
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
      } else if bytes < pack.size / 2, pack.stamp.isOfOwnedZones {
        survey.sparse.append(pack)
      }
    }
    return survey
  }

  /// All packs in this person's folder.
  private func packs() throws -> [Pack] {
    var found: [Pack] = []
    var after: ObjectKey?
    do {
      while true {
        let keys = try container.store.list(
          "users/\(me)/packs/", after: after, limit: 1_000)
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

  // MARK: Throwing away

  /// Deletes what has been garbage for long enough, and notes what is.
  private func sweep(_ garbage: [Pack], _ report: inout GarbageReport) throws {
    guard let index = container.indexes[.private] else {
      preconditionFailure("no private index")
    }
    let (since, now) = try index.write { db in
      let now = try IndexedZone.readAgeClock(db, at: clock).time
      return (try LeavingPacks.note(garbage.map(\.key), at: now, db), now)
    }
    for pack in garbage {
      let rest = Container.garbageLife - (now - (since[pack.key] ?? now))
      guard rest <= 0 else {
        report.waiting.add(pack.size)
        report.rest = min(report.rest ?? rest, rest)
        continue
      }
      if try container.discard(pack.key) {
        report.deleted.add(pack.size)
      } else {
        report.refused.append(pack.key.description)
      }
    }
  }
}

extension Zone {
  /// The packs that the zone names, and how many bytes of each a record needs, or a version that is
  /// kept; where everything is kept, all of them.
  fileprivate func packs(
    at clock: Int64
  ) throws -> (named: Set<PackName>, needed: [PackName: UInt64]) {
    try read { view in
      let state = view.state
      let named = try state.namedPacks()
      let retention = try state.retention(at: clock)
      guard !retention.keepsAll else {
        let all = try state.packsNeeded(below: .max, retention)
        return (named, Dictionary(uniqueKeysWithValues: all.map { ($0, .max) }))
      }
      let needed = try state.chunksNeeded(below: .max, retention).mapValues { chunks in
        try state.stored(chunks).reduce(into: UInt64(1)) { $0 += UInt64($1.range.length) }
      }
      return (named, needed)
    }
  }
}
