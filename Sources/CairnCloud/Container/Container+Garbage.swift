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
    bytes = bytes.adding(saturating: size)
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
  /// In how many zones the floor was raised.
  public var floors = 0
  /// The entries below floors that stand in the container yet; of a survey, those below the floors
  /// that would be raised, too.
  public var entries = EntryCount()
  /// The entries below floors that were deleted.
  public var deletedEntries = EntryCount()
}

/// Entries of logs, counted.
public struct EntryCount: Hashable, Sendable {
  /// How many.
  public private(set) var entries = 0
  /// The bytes of all of them.
  public private(set) var bytes: UInt64 = 0

  /// None.
  public init() {}

  mutating func add(_ size: UInt64) {
    entries += 1
    bytes = bytes.adding(saturating: size)
  }
}

/// Throwing away what nobody needs. Generations decide which packs these are, and no clock: a pack
/// goes only once all zones that may ever name it have closed it and none does. Floors decide it of
/// entries. The time that both stand on after that is for readers who are in the middle of them.
extension Container {
  /// How long a pack stands that nobody can name any more, in seconds: seven days.
  public static let garbageLife: Int64 = 7 * 86_400

  /// Whether a look for garbage may find any beside what a crash left: somebody keeps less than
  /// everything, a log is long enough for a floor, or entries stand below one. It asks the
  /// container for next to nothing.
  /// - Throws: `CloudError`.
  public func mayHaveGarbage() throws -> Bool {
    try privateDatabase.zones().contains { zone in
      try zone.header.history != nil || FloorSweep.isOwed(of: zone)
        || zone.exclusively {
          try FloorRaise($0, at: WallClock.seconds).isDue(after: FloorRaise.worthwhile)
        }
    }
  }

  /// Says what is garbage, changing nothing.
  /// - Throws: `CloudError`, also if one zone can't be read to its end.
  public func surveyGarbage() throws -> GarbageReport {
    try surveyGarbage(at: WallClock.seconds)
  }

  /// The same by another clock than the machine's.
  /// - Parameters:
  ///   - clock: seconds since 1970.
  ///   - least: behind so many entries the next floor is worth it.
  /// - Returns: what was found.
  /// - Throws: as above.
  func surveyGarbage(
    at clock: Int64, floorAfter least: UInt64 = FloorRaise.worthwhile
  ) throws -> GarbageReport {
    let garbage = Garbage(self, at: clock, floorAfter: least)
    let survey = try garbage.survey()
    var report = survey.report
    for pack in survey.sparse { report.repacked.add(pack.size) }
    try garbage.countEntries(in: &report)
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
    try collectGarbage(at: clock, floorAfter: FloorRaise.worthwhile)
  }

  /// The same, with floors behind another number of entries than is worth it for people.
  /// - Parameters:
  ///   - clock: seconds since 1970.
  ///   - least: behind so many entries the next floor is raised.
  /// - Returns: what was found and done.
  /// - Throws: as above.
  public func collectGarbage(at clock: Int64, floorAfter least: UInt64) throws -> GarbageReport {
    try Garbage(self, at: clock, floorAfter: least).collect()
  }

  /// Takes an object away that nobody needs.
  /// - Returns: false if the container doesn't let this person.
  /// - Throws: `CloudError` if it can't be used now.
  func discard(_ key: ObjectKey) throws -> Bool {
    do throws(StoreError) { try store.delete(key) } catch {
      guard error.code == .denied else { throw CloudError(error) }
      return false
    }
    return true
  }
}
