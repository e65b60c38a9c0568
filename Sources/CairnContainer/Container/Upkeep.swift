import CairnIdentity
import CairnIndex
import CairnReplica
import CairnStore
import CairnZone

/// The care for a sound and small container: counting objects, finding and restoring lost ones, and
/// deleting unneeded ones. Generations decide about packs, without a clock: a pack is deleted only
/// after all zones that could ever name it have closed it and none does. Log starts decide about
/// entries. The grace period afterwards is for readers in the middle of them.
///
/// It uses these parts of the container: `account`, `accountZone`, `drops`, `id`, `managedFolders`,
/// `openZones`, `people`, `privateDatabase`, `store`, `zones`.
public struct Upkeep: Sendable {
  let container: Container

  /// Creates the access for a container.
  public init(_ container: Container) { self.container = container }

  // MARK: Contents

  /// Counts the objects in the container.
  /// - Throws: `CloudError` if it cannot be read.
  public func survey() throws -> ContainerSurvey {
    guard let file = try ContainerFile.root(of: container.store) else {
      throw CloudError(
        .assetNotAvailable, "the container's root, the object \(ContainerFile.key), is missing",
        remedy: "put it back from a backup")
    }
    var users: [UserID: ContainerSurvey.User] = [:]
    var zones: [ZoneID: ContainerSurvey.Zone] = [:]
    do {
      try each(ObjectKind.people) { parts, key throws(StoreError) in
        guard let user = UserID(hexadecimal: parts[1]) else { return }
        var seen = users[user] ?? ContainerSurvey.User(user: user)
        switch parts[2] {
        case "log": seen.entries += 1
        case "inbox": seen.messages += 1
        case "public" where parts.count == 4:
          try count(key, as: .public(in: container.id, by: user), in: &zones)
        case "zones":
          guard parts.count == 6, parts[4] == "log", let id = ZoneID(hexadecimal: parts[3]) else {
            break
          }
          try count(key, as: id, in: &zones)
        case "packs":
          seen.packs += 1
          seen.bytes += Int64(try container.store.size(of: key) ?? 0)
        default: break
        }
        users[user] = seen
      }
    } catch {
      throw CloudError(error)
    }
    return ContainerSurvey(
      file: file, users: users.values.sorted { $0.user.description < $1.user.description },
      zones: zones.values.sorted { $0.zone.description < $1.zone.description })
  }

  private func count(
    _ key: ObjectKey, as id: ZoneID, in zones: inout [ZoneID: ContainerSurvey.Zone]
  ) throws(StoreError) {
    var seen = zones[id] ?? ContainerSurvey.Zone(zone: id)
    seen.entries += 1
    seen.bytes += Int64(try container.store.size(of: key) ?? 0)
    zones[id] = seen
  }

  /// Calls `body` with the parts of each key below the folder that has at least three parts.
  private func each(
    _ prefix: String, _ body: ([String], ObjectKey) throws(StoreError) -> Void
  ) throws(StoreError) {
    var after: ObjectKey?
    while true {
      let keys = try container.store.list(prefix, after: after, limit: 1_000)
      for key in keys {
        let parts = key.description.split(separator: "/").map(String.init)
        if parts.count >= 3 { try body(parts, key) }
      }
      guard let last = keys.last else { return }
      after = last
    }
  }

  /// The bytes of this person's zones, including the account, as stored in the container: packs and
  /// logs.
  public func storedBytes() throws -> UInt64 {
    var prefixes = [ObjectKind.packs, .published].map { $0.path(container.account.user) + "/" }
    prefixes.append("\(container.accountZone.folder.path)/")
    for zone in try container.zones(.private) { prefixes.append("\(zone.folder.path)/") }
    var sum: UInt64 = 0
    do {
      for prefix in prefixes {
        var after: ObjectKey?
        while true {
          let keys = try container.store.list(prefix, after: after, limit: 1_000)
          for key in keys {
            sum = sum.adding(saturating: UInt64(clamping: try container.store.size(of: key) ?? 0))
          }
          guard let last = keys.last else { break }
          after = last
        }
      }
    } catch {
      throw CloudError(error)
    }
    return sum
  }

  // MARK: What was lost

  /// The differences between the container and this device's reads, at the last check of each log.
  /// It neither asks the container nor waits.
  public var troubles: ContainerTroubles {
    var found = ContainerTroubles()
    for zone in [container.accountZone] + container.openZones {
      if let trouble = zone.trouble { found.zones.append((zone, trouble)) }
    }
    found.people = container.people.troubles
    return found
  }

  /// All zones that this person reads: the account first, and public zones last.
  /// - Throws: errors of the index.
  public func zonesToVerify() throws -> [Zone] {
    [container.accountZone] + (try DatabaseScope.allCases.flatMap { try container.zones($0) })
  }

  /// Puts lost entries of people's chains back, as they were read here.
  /// - Returns: the number of entries.
  /// - Throws: `CloudError` if the container cannot be used.
  public func putBackPeople() throws -> Int {
    do {
      let lost = container.people.troubles.filter {
        $0.value.kind == .lostEnd || $0.value.kind == .damaged
      }
      return try lost.keys.sorted().reduce(0) { try $0 + container.people.putBack($1) }
    } catch let error as StoreError {
      throw CloudError(error)
    }
  }

  /// Reads every identity's log back from the container, and reports damage.
  /// - Throws: `CloudError` if the container cannot be read.
  public func verifyPeople() throws -> [Damage] {
    do { return try container.people.verify() } catch let error as StoreError {
      throw CloudError(error)
    }
  }

  /// A folder of this person's that somebody else has made first, so that nothing can be stored in
  /// it.
  public struct BlockedFolder: Sendable, Hashable {
    /// The path in the container.
    public var path: String
    /// The object that takes the place of the folder, in words.
    public var obstacle: String
  }

  /// The folders of this person's in the container that can't be used.
  /// - Returns: The folders; those above others first.
  /// - Throws: `CloudError` if the container cannot be read.
  public func blockedFolders() throws -> [BlockedFolder] {
    do {
      return try container.managedFolders.compactMap { path in
        try container.store.obstacle(at: path).map { BlockedFolder(path: path, obstacle: $0) }
      }
    } catch let error as StoreError {
      throw CloudError(error)
    }
  }

  /// Takes away what stands in the place of a folder of this person's, and creates the folder.
  /// - Parameter folder: The folder.
  /// - Returns: False if the container doesn't let this person.
  /// - Throws: `CloudError` if the container cannot be used.
  public func takeBack(_ folder: BlockedFolder) throws -> Bool {
    do throws(StoreError) { try container.store.reclaim(folder.path) } catch {
      guard error.code == .denied else { throw CloudError(error) }
      return false
    }
    return true
  }

  // MARK: Garbage

  /// The time in seconds for which an unnameable pack stays: seven days.
  public static let garbageLife: Int64 = 7 * 86_400

  /// Returns whether a search for garbage may find more than remains of a crash: there is a history
  /// policy, a log is long enough for a log start, or there are entries below one, or a drop box.
  /// It asks the container for almost nothing.
  /// - Throws: `CloudError`.
  public func mayHaveGarbage() throws -> Bool {
    guard try container.drops.boxes().isEmpty else { return true }
    return try container.privateDatabase.zones().contains { zone in
      try zone.header.history != nil || FloorSweep.isOwed(of: zone)
        || zone.exclusively {
          try FloorRaise($0, at: WallClock.seconds).isDue(after: FloorRaise.worthwhile)
        }
    }
  }

  /// Reports garbage without changing anything.
  /// - Throws: `CloudError`, also if one zone cannot be read to its end.
  public func surveyGarbage() throws -> GarbageReport {
    try surveyGarbage(at: WallClock.seconds)
  }

  /// The same with another clock.
  /// - Parameters:
  ///   - clock: Seconds since 1970.
  ///   - least: The minimum number of entries for a log start.
  /// - Returns: the findings.
  /// - Throws: as above.
  func surveyGarbage(
    at clock: Int64, floorAfter least: UInt64 = FloorRaise.worthwhile
  ) throws -> GarbageReport {
    let garbage = Garbage(container, at: clock, floorAfter: least)
    let survey = try garbage.survey()
    var report = survey.report
    for pack in survey.sparse { report.repacked.add(pack.size) }
    try garbage.countEntries(in: &report)
    return report
  }

  /// Closes packs in all zones of this person if that is worthwhile, and deletes those that have
  /// been closed and unnamed for `garbageLife`. An interruption loses nothing: the next call
  /// continues.
  /// - Throws: `CloudError`, also if one zone cannot be read to its end; then nothing is deleted.
  public func collectGarbage() throws -> GarbageReport {
    try collectGarbage(at: WallClock.seconds)
  }

  /// The same with another clock.
  /// - Parameter clock: Seconds since 1970.
  /// - Returns: the findings and actions.
  /// - Throws: as above.
  public func collectGarbage(at clock: Int64) throws -> GarbageReport {
    try collectGarbage(at: clock, floorAfter: FloorRaise.worthwhile)
  }

  /// The same with another number of entries for a log start.
  /// - Parameters:
  ///   - clock: Seconds since 1970.
  ///   - least: The minimum number of entries for a log start.
  /// - Returns: the findings and actions.
  /// - Throws: as above.
  public func collectGarbage(at clock: Int64, floorAfter least: UInt64) throws -> GarbageReport {
    try Garbage(container, at: clock, floorAfter: least).collect()
  }

  /// Deletes an unneeded object.
  /// - Returns: false if the container does not let this person.
  /// - Throws: `CloudError` if it cannot be used now.
  func discard(_ key: ObjectKey) throws -> Bool {
    do throws(StoreError) { try container.store.delete(key) } catch {
      guard error.code == .denied else { throw CloudError(error) }
      return false
    }
    return true
  }
}
