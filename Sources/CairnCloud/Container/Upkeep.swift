import CairnIndex
import CairnStore
import CairnZone

/// What keeps a container sound and small: counting what stands in it, seeing and putting back what
/// it lost, and throwing away what nobody needs. For that generations decide which packs these are,
/// and no clock: a pack goes only once all zones that may ever name it have closed it and none
/// does. Floors decide it of entries. The time that both stand on after that is for readers who are
/// in the middle of them.
public struct Upkeep: Sendable {
  let container: Container

  /// In that container.
  public init(_ container: Container) { self.container = container }

  // MARK: What stands there

  /// Counts what stands in the container.
  /// - Throws: `CloudError` if it can't be read.
  public func survey() throws -> ContainerSurvey {
    guard let file = try Container.root(of: container.store) else {
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

  /// Calls `body` with the parts of each key below the folder that has at least three.
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

  /// How many bytes this person's zones, the account among them, take in the container, as it
  /// stores them: packs and logs.
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

  /// How the container differs from what this device has read of it, as of the last look at each
  /// log. Neither asks the container nor waits.
  public var troubles: ContainerTroubles {
    var found = ContainerTroubles()
    for zone in [container.accountZone] + container.openZones {
      if let trouble = zone.trouble { found.zones.append((zone, trouble)) }
    }
    found.people = container.people.troubles
    return found
  }

  /// All zones that this person reads, their account first, and what people publish last.
  /// - Throws: what the index throws.
  public func zonesToVerify() throws -> [Zone] {
    [container.accountZone] + (try DatabaseScope.allCases.flatMap { try container.zones($0) })
  }

  /// Puts back what the container has lost of people's chains, as it was read here.
  /// - Returns: how many entries.
  /// - Throws: `CloudError` if the container can't be used.
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

  /// Reads every identity's log back from the container, and says what is damaged.
  /// - Throws: `CloudError` if the container can't be read.
  public func verifyPeople() throws -> [Damage] {
    do { return try container.people.verify() } catch let error as StoreError {
      throw CloudError(error)
    }
  }

  // MARK: Garbage

  /// How long a pack stands that nobody can name any more, in seconds: seven days.
  public static let garbageLife: Int64 = 7 * 86_400

  /// Whether a look for garbage may find any beside what a crash left: somebody keeps less than
  /// everything, a log is long enough for a floor, or entries stand below one. It asks the
  /// container for next to nothing.
  /// - Throws: `CloudError`.
  public func mayHaveGarbage() throws -> Bool {
    try container.privateDatabase.zones().contains { zone in
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
    let garbage = Garbage(container, at: clock, floorAfter: least)
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
    try Garbage(container, at: clock, floorAfter: least).collect()
  }

  /// Takes an object away that nobody needs.
  /// - Returns: false if the container doesn't let this person.
  /// - Throws: `CloudError` if it can't be used now.
  func discard(_ key: ObjectKey) throws -> Bool {
    do throws(StoreError) { try container.store.delete(key) } catch {
      guard error.code == .denied else { throw CloudError(error) }
      return false
    }
    return true
  }
}
